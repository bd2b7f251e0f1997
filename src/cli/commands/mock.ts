import { type Command, Option } from 'commander';
import { KeyRedactor } from '../../api-keys/key-redactor.js';
import { withChecksum } from '../../api-keys/token.js';
import { readConfig, settings } from '../../config.js';
import { basePathOf, type ContractDocument, keyPrefixesOf } from '../../openapi/document.js';
import type { PlanName } from '../../openapi/types.js';
import { openAll } from '../../service/resource-stack.js';
import { firstSignal, reportTo, write } from '../context.js';
import { addListenOptions, type Invocation, type ListenOptions, settingParser } from '../invocation.js';

/**
 * The API key of every mock, of the last environment in the contract. It is fixed, so that the configuration of client
 * tests can contain it.
 */
export function mockKeyOf(document: ContractDocument) {
  const [environment, prefix] = Object.entries(keyPrefixesOf(document)).at(-1) ?? ['', ''];
  return { environment, token: withChecksum(`${prefix}ForTestsOnlyTheKeyOfEveryMock0`) };
}

interface MockOptions extends ListenOptions {
  readonly baseUrl?: string;
  readonly stateful?: true;
  readonly plan?: PlanName;
  readonly json?: true;
}

interface Mock {
  listen(): Promise<MockAddresses>;
  close(): Promise<void>;
}

interface MockAddresses {
  readonly baseUrl: string;
  readonly contractUrl: string;
  readonly docsUrl: string;
}

/** Adds `petstore mock`. */
export function addMock(program: Command, invocation: Invocation): void {
  const { document } = invocation.contract;
  const plans = Object.entries(document['x-rate-limit-plans']).filter(([, limits]) => limits !== 'custom');
  addMockOptions(program.command('mock'), invocation)
    .option('--stateful', 'run the real service on an empty store, which is deleted at the end')
    .addOption(
      new Option('--plan <plan>', 'apply the rate limits of this plan to the key; implies --stateful')
        .choices(plans.map(([name]) => name))
        .implies({ stateful: true }),
    );
}

/** Adds the options and the action of a mock server without a store. */
export function addMockOptions(command: Command, invocation: Invocation): Command {
  const basePath = basePathOf(invocation.contract.document);
  command.description('return the examples of the contract, for tests of clients; stops on SIGTERM, SIGINT or SIGHUP');
  return addListenOptions(command, invocation)
    .option(
      '--base-url <url>',
      `URL for clients, up to and including ${basePath} (default: the server's own address)`,
      settingParser(settings.publicBaseUrl, invocation),
    )
    .option('--json', 'print the URL and the API key as one line of JSON, for programs')
    .action((options: MockOptions) => runMock(invocation, options));
}

async function runMock(invocation: Invocation, options: MockOptions): Promise<void> {
  const { signals } = invocation.context;
  // Listening before the start, so that a signal during the start also deletes the store.
  const stopped = firstSignal(signals);
  const mock = await openAll(reportTo(invocation.context), async (opened) => {
    const created = opened.add(await createEither(invocation, options));
    await announce(await created.listen(), invocation, options);
    return created;
  });
  await stopped;
  await mock.close();
  signals.exit(0);
}

/** Ignores the other settings, so that a mock never opens real data. */
async function createEither({ context, contract }: Invocation, options: MockOptions): Promise<Mock> {
  const { env, clock, signals } = context;
  const { host = env['HOST'], port = env['PORT'], baseUrl, stateful, plan } = options;
  const overrides = { HOST: host, PORT: port, PUBLIC_BASE_URL: baseUrl, CORS_ORIGINS: env['CORS_ORIGINS'] };
  const report = reportTo(context);
  // Loaded on demand, because they import the server.
  if (stateful) {
    const { createEphemeralService } = await import('./ephemeral-service.js');
    const key = mockKeyOf(contract.document);
    const redactor = new KeyRedactor(contract.document);
    return createEphemeralService({ env: overrides, key, plan, signals }, { contract, clock, redactor, report });
  }
  const { createMock } = await import('../../service/create-mock.js');
  return createMock(readConfig(overrides, contract.document), { contract, clock, report });
}

async function announce(
  { baseUrl, contractUrl, docsUrl }: MockAddresses,
  invocation: Invocation,
  options: MockOptions,
): Promise<void> {
  const { context, contract } = invocation;
  const { title, version } = contract.document.info;
  const { token: apiKey } = mockKeyOf(contract.document);
  if (options.json) {
    await write(context.stdout, `${JSON.stringify({ baseUrl, apiKey, contractUrl })}\n`);
    return;
  }
  const curl = `  curl -H "Authorization: Bearer ${apiKey}"`;
  await write(
    context.stderr,
    `${options.stateful ? 'An ephemeral service' : 'A mock'} of ${title} ${version} is at ${baseUrl}
  Reference ${docsUrl}
  Contract  ${contractUrl}
  API key   ${apiKey}${options.stateful ? '' : ', or any other'}

Try it:

${curl} ${baseUrl}/pets
${options.stateful ? `${curl} -H "Content-Type: application/json" -d '{"name":"Rex","categoryId":7}'` : `${curl} -H "Prefer: code=429"`} ${baseUrl}/pets

`,
  );
}
