import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { createKey } from '../../api-keys/api-key.js';
import { KeyRedactor } from '../../api-keys/key-redactor.js';
import { hashToken, withChecksum } from '../../api-keys/token.js';
import { type Config, readConfig } from '../../config.js';
import { type ContractDocument, keyPrefixesOf, plansOf } from '../../openapi/document.js';
import { basePathOf } from '../../openapi/servers.js';
import type { ComposedServer, Dependencies } from '../../service/compose-server.js';
import type { OpenService } from '../../service/create-service.js';
import type { ServiceDefinition } from '../../service/definition.js';
import { openAll } from '../../service/resource-stack.js';
import { firstSignal, openCommandLog, type Signals, write } from '../context.js';
import {
  addListenOptions,
  type ContractInvocation,
  type Invocation,
  type ListenOptions,
  settingParser,
} from '../invocation.js';
import { exampleCreation, examplePath } from '../output/example-requests.js';

/**
 * The API key of every mock, of the last environment in the contract. It is fixed, so that the configuration of client
 * tests can contain it.
 */
function mockKeyOf(document: ContractDocument) {
  const [environment, prefix] = Object.entries(keyPrefixesOf(document)).at(-1) ?? ['', ''];
  return { environment, token: withChecksum(`${prefix}ForTestsOnlyTheKeyOfEveryMock0`) };
}

interface MockOptions extends ListenOptions {
  readonly baseUrl?: Config['publicBaseUrl'];
  readonly stateful?: true;
  readonly plan?: string;
  readonly json?: true;
}

const unlimited = { requestsPerMinute: 1_000_000_000, requestsPerDay: 1_000_000_000 };

/** Adds `mock`. */
export function addMock(program: Command, invocation: Invocation): void {
  const { document } = invocation.contract;
  const plans = Object.entries(plansOf(document)).filter(([, limits]) => typeof limits === 'object');
  addMockOptions(program.command('mock'), invocation, invocation.definition)
    .option('--stateful', 'run the real service on an empty store, which is deleted at the end')
    .addOption(
      new Option('--plan <plan>', 'apply the rate limits of this plan to the key; implies --stateful')
        .choices(plans.map(([name]) => name))
        .implies({ stateful: true }),
    );
}

/**
 * Adds the options and the action of a mock server.
 *
 * @param definition of the service that `--stateful` runs.
 */
export function addMockOptions(
  command: Command,
  invocation: ContractInvocation,
  definition?: ServiceDefinition,
): Command {
  const basePath = basePathOf(invocation.contract.document);
  command.description('return the examples of the contract, for tests of clients; stops on SIGTERM, SIGINT or SIGHUP');
  return addListenOptions(command, invocation)
    .option(
      '--base-url <url>',
      `URL for clients${basePath && `, up to and including ${basePath}`} (default: the server's own address)`,
      settingParser('publicBaseUrl', invocation),
    )
    .option('--json', 'print the URL and the API key as one line of JSON, for programs, before the log')
    .action((options: MockOptions) => runMock(invocation, options, definition));
}

async function runMock(
  invocation: ContractInvocation,
  options: MockOptions,
  definition?: ServiceDefinition,
): Promise<void> {
  const { service, context, contract } = invocation;
  // Listening before the start, so that a signal during the start also deletes the store.
  const stopped = firstSignal(context.signals);
  const { HOST, PORT, CORS_ORIGINS, LOG_LEVEL } = context.env;
  // Ignores the other settings, so that a mock never opens real data.
  const env = { HOST, PORT, CORS_ORIGINS, LOG_LEVEL };
  const { environment } = mockKeyOf(contract.document);
  const { baseUrl: publicBaseUrl, stateful, plan, host, port } = options;
  const overrides = {
    environment,
    publicBaseUrl,
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port }),
  };
  const config = readConfig(service, env, contract.document, overrides);
  const redactor = new KeyRedactor(Object.values(keyPrefixesOf(contract.document)));
  const log = await openCommandLog(context, config.logLevel, redactor);
  const dependencies = { contract, clock: context.clock, redactor, report: log.report, log };
  const mock = await openAll(log.report, async (opened) => {
    // Loaded on demand, because it imports the server.
    const { createMock } = await import('../../service/create-mock.js');
    const created: ComposedServer | OpenService =
      stateful && definition
        ? await createEphemeralService(definition, config, plan, context.signals, dependencies)
        : await createMock(config, dependencies);
    opened.add(created);
    await announce(await created.listen(), invocation, options);
    return created;
  });
  await stopped;
  await mock.close();
  await log.close();
  context.signals.exit(0);
}

async function announce(
  { baseUrl, contractUrl, docsUrl }: Awaited<ReturnType<ComposedServer['listen']>>,
  { context, contract }: ContractInvocation,
  { json, stateful }: MockOptions,
): Promise<void> {
  const { title, version } = contract.document.info;
  const { token: apiKey } = mockKeyOf(contract.document);
  if (json) return write(context.stdout, `${JSON.stringify({ baseUrl, apiKey, contractUrl })}\n`);
  const curl = `  curl -H "Authorization: Bearer ${apiKey}"`;
  const path = examplePath(contract.document);
  const second = stateful ? exampleCreation(contract.document, path) : '-H "Prefer: code=429"';
  return write(
    context.stderr,
    `${stateful ? 'An ephemeral service' : 'A mock'} of ${title} ${version} is at ${baseUrl}
  Reference ${docsUrl}
  Contract  ${contractUrl}
  API key   ${apiKey}${stateful ? '' : ', or any other'}

Try it:

${curl} ${baseUrl}${path}
${second === undefined ? '' : `${curl} ${second} ${baseUrl}${path}\n`}
`,
  );
}

/**
 * Creates the real service on an empty store that is deleted when the process exits.
 *
 * @param config accepts the keys of the mock's environment. Its data directory is not used.
 * @param plan the plan of the only API key; `undefined` for practically no limits, also without a key.
 * @throws StartError
 */
async function createEphemeralService(
  definition: ServiceDefinition,
  config: Config,
  plan: string | undefined,
  signals: Signals,
  dependencies: Dependencies,
): Promise<OpenService> {
  // Loaded on demand, because it imports the stores.
  const { openService } = await import('../../service/create-service.js');
  const { contract, clock } = dependencies;
  const dataDirectory = mkdtempSync(join(tmpdir(), `${definition.name}-mock-`));
  signals.once('exit', () => rmSync(dataDirectory, { recursive: true, force: true }));
  const plans = Object.entries(plansOf(contract.document));
  const name = plan ?? plans.find(([, limits]) => typeof limits === 'string')?.[0];
  if (name === undefined) throw new TypeError('The contract has no plan that is custom or unlimited. Use --plan.');
  const limits = plan === undefined ? unlimited : undefined;
  const quota = { id: 'quota_mock', plan: name, limits };
  const key = createKey({ id: 'key_mock', name: 'mock', quota, createdAt: clock() });
  const service = await openService(definition, { ...config, dataDirectory }, dependencies, plan === undefined);
  await service.stores.apiKeys?.store.insertAll([{ key, tokenHash: hashToken(mockKeyOf(contract.document).token) }]);
  return service;
}
