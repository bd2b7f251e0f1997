import { createKey } from '#src/api-keys/api-key.js';
import { KeyRedactor } from '#src/api-keys/key-redactor.js';
import { readConfig } from '#src/config.js';
import { apiKeySecurity, type SecurityHandlers } from '#src/http/security.js';
import { openLog } from '#src/observability/log.js';
import type { ContractDocument } from '#src/openapi/document.js';
import { Links } from '#src/openapi/links.js';
import type { AnyHandlers } from '#src/openapi/types.js';
import { composeServer, type ServerParts } from '#src/service/compose-server.js';
import { closeLater } from '../closing.js';
import { LogLines } from '../log-lines.js';
import { startOfTests } from '../start-of-tests.js';

interface Composition extends Pick<ServerParts, 'before' | 'routes'> {
  readonly document: ContractDocument;
  /** For the operations of the document, not for those of the service's own contract. */
  readonly handlers: unknown;
  readonly security: SecurityHandlers;
}

/** The names of settings depend on it. */
export const testService = { name: 'toys' };

const quota = { id: 'quota_app', plan: 'pro', limits: undefined } as const;
const key = createKey({ id: 'key_app', name: 'app', quota, createdAt: startOfTests });

/** The security handler of a scheme that accepts the key `valid`. */
export function validKey(document: ContractDocument, scheme: string): SecurityHandlers {
  const identify = (token: string) => (token === 'valid' ? key : undefined);
  return { [scheme]: apiKeySecurity(document, scheme, { identify }) };
}

/** Serves a document with handlers on a free port, and closes the server after the test or file. */
export async function startComposed({ document, handlers, ...parts }: Composition) {
  const reported: unknown[] = [];
  const report = (event: unknown) => void reported.push(event);
  const clock = () => startOfTests;
  const contract = { bytes: Buffer.of(), document };
  const [redactor, log] = [new KeyRedactor(document), new LogLines()];
  const serviceLog = openLog({ level: 'info', destination: log, clock, redactor });
  const dependencies = { contract, clock, redactor, report, log: serviceLog };
  const composed = await composeServer(readConfig(testService, { PORT: '0' }, document), dependencies, {
    links: new Links(document, clock),
    handlers: handlers as AnyHandlers,
    ...parts,
  });
  await composed.listen();
  closeLater(() => composed.server.close().closeAllConnections());
  return { ...composed, reported, log };
}
