import { contractOf } from '@contract-server/core/contract/contract.js';
import type { ContractDocument } from '@contract-server/core/contract/document.js';
import { Links } from '@contract-server/core/contract/links.js';
import type { AnyHandlers } from '@contract-server/core/types/types.js';
import { createKey } from 'contract-server/api-keys/api-key.js';
import { apiKeySecurity } from 'contract-server/api-keys/api-key-security.js';
import { readConfig } from 'contract-server/config.js';
import type { SchemeHandlers } from 'contract-server/http/security/security.js';
import { KeyRedactor } from 'contract-server/log/key-redactor.js';
import { openLog } from 'contract-server/log/log.js';
import { composeServer, type Dependencies, type ServerParts } from 'contract-server/service/compose-server.js';
import { createMock } from 'contract-server/service/create-mock.js';
import { closeLater } from '../closing.js';
import { LogLines } from '../log-lines.js';
import { startOfTests } from '../start-of-tests.js';

interface Composition
  extends Pick<ServerParts, 'middleware' | 'routes' | 'reference' | 'validateResponses'>,
    Pick<Dependencies, 'errors'> {
  readonly document: ContractDocument;
  /** For the operations of the document, not for those of the service's own contract. */
  readonly handlers: unknown;
  readonly security: SchemeHandlers;
  /** Settings. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The names of settings depend on it. */
const testService = { name: 'toys' };

const quota = { id: 'quota_app', plan: 'pro', limits: undefined } as const;
const key = createKey({ id: 'key_app', name: 'app', quota, createdAt: startOfTests });

/** The security handler of a scheme that accepts the key `valid`. */
export function validKey(document: ContractDocument, scheme: string): SchemeHandlers {
  const identify = (token: string) => (token === 'valid' ? key : undefined);
  return { [scheme]: apiKeySecurity(contractOf(document), { identify }) };
}

/** Serves a document with handlers on a free port, and closes the server after the test or file. */
export async function startComposed({ document, handlers, errors, env, ...parts }: Composition) {
  const { config, dependencies, reported } = dependenciesOf(document, errors, env);
  const log = new LogLines();
  const serviceLog = openLog({ level: 'info', destination: log, ...dependencies });
  const composed = await composeServer(
    config,
    { ...dependencies, log: serviceLog },
    {
      links: new Links(dependencies.contract, dependencies.clock),
      handlers: handlers as AnyHandlers,
      ...parts,
    },
  );
  await composed.listen();
  closeLater(() => composed.server.close().closeAllConnections());
  return { ...composed, reported, log };
}

/** Serves the mock of a document likewise. */
export async function startMock({ document, errors }: Pick<Composition, 'document' | 'errors'>) {
  const { config, dependencies, reported } = dependenciesOf(document, errors);
  const mock = await createMock(config, dependencies);
  await mock.listen();
  closeLater(() => mock.server.close().closeAllConnections());
  return { ...mock, reported };
}

function dependenciesOf(document: ContractDocument, errors: Composition['errors'], env: Composition['env'] = {}) {
  const reported: unknown[] = [];
  const report = (event: unknown) => void reported.push(event);
  const contract = { ...contractOf(document), bytes: Buffer.of() };
  const dependencies = {
    contract,
    clock: () => startOfTests,
    redactor: new KeyRedactor(Object.values(contract.keyPrefixes)),
    report,
    errors,
  };
  return { config: readConfig(testService, { PORT: '0', ...env }, document), dependencies, reported };
}
