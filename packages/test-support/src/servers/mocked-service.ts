import { readContract } from '@contract-server/core/load/load-contract.js';
import { readConfig } from 'contract-server/config.js';
import { KeyRedactor } from 'contract-server/log/key-redactor.js';
import type { Delay } from 'contract-server/mock/mock-handler.js';
import { createMock } from 'contract-server/service/create-mock.js';
import type { ReceivedResponse } from '../clients/raw-connection.js';
import { closeLater } from '../closing.js';
import { createStrictCheck } from '../contract/strict-check.js';
import { startOfTests } from '../start-of-tests.js';

const url = new URL('../../../contract-server/test/mock/contract.yaml', import.meta.url);
const ownHeaders = { Authorization: 'Bearer anything', Connection: 'close' };

/** The contract of test/mock/. */
export const contract = await readContract({ contract: url });
const assertConforms = await createStrictCheck(url, { coverageDirectory: false });

export interface TestMock {
  readonly baseUrl: string;
  readonly contractUrl: string;
  /** The reported defects. */
  readonly reported: unknown[];
  /** Sends a request with any key, and validates the response against the contract. `path` is below the path prefix. */
  send(path: string, init?: RequestInit): Promise<ReceivedResponse>;
}

/** A mock that the tests of a suite share. */
export function useMock(...options: Parameters<typeof startMock>): TestMock {
  const mock = {} as TestMock;
  before(async () => Object.assign(mock, await startMock(...options)));
  return mock;
}

/** A mock on a free port, which is closed after the test or file. @param delay replaces the timer of `Prefer: wait`. */
export async function startMock(env: Readonly<Record<string, string>> = {}, delay?: Delay): Promise<TestMock> {
  const reported: unknown[] = [];
  const report = (event: unknown) => void reported.push(event);
  const config = readConfig({ name: 'toys' }, { PORT: '0', ...env }, contract.document);
  const redactor = new KeyRedactor(Object.values(contract.keyPrefixes));
  const dependencies = { contract, clock: () => startOfTests, redactor, report };
  const mock = await createMock(config, dependencies, delay);
  const addresses = await mock.listen();
  closeLater(() => mock.close());
  const send = async (path: string, init: RequestInit = {}): Promise<ReceivedResponse> => {
    const headers = { ...ownHeaders, ...(init.headers as Record<string, string>) };
    const response = await fetch(`${addresses.baseUrl}${path}`, { ...init, headers });
    const { status } = response;
    const received = { status, headers: Object.fromEntries(response.headers), text: await response.text() };
    const { 'preference-applied': _applied, ...declared } = received.headers;
    assertConforms(init.method ?? 'GET', `/v1${path}`, { ...received, headers: declared });
    return received;
  };
  return { ...addresses, contractUrl: String(addresses.contractUrl), reported, send };
}
