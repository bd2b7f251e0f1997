import { inspect } from 'node:util';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { readConfig, settings } from '../../config.js';
import { basePathOf } from '../../openapi/document.js';
import type { PlanName } from '../../openapi/types.js';
import { write } from '../context.js';
import { firstSignal } from '../first-signal.js';
import type { Invocation } from '../invocation.js';
import { mockKey } from './mock-key.js';

interface MockOptions {
  readonly host?: string;
  readonly port?: string;
  readonly baseUrl?: string;
  readonly stateful?: true;
  readonly plan?: PlanName;
  readonly json?: true;
}

/** What is run until it is told to stop. */
interface Mock {
  listen(): Promise<Addresses>;
  close(): Promise<void>;
}

interface Addresses {
  readonly baseUrl: string;
  readonly contractUrl: string;
}

/** Adds `petstore mock`. */
export function addMock(program: Command, invocation: Invocation): void {
  const { document } = invocation.contract;
  const plans = Object.entries(document['x-rate-limit-plans']).filter(([, limits]) => limits !== 'custom');
  const basePath = basePathOf(document);
  program
    .command('mock')
    .description(
      'answer with the examples of the contract, for the tests of clients; it stops on SIGTERM, SIGINT or SIGHUP',
    )
    .option('--host <address>', 'where to listen (default: HOST)', validate(settings.host, invocation))
    .option('--port <port>', 'where to listen; 0 takes a free one (default: PORT)', validate(settings.port, invocation))
    .option(
      '--base-url <url>',
      `what clients call it, up to and including ${basePath} (default: its own address)`,
      validate(settings.publicBaseUrl, invocation),
    )
    .option('--stateful', 'run the real service instead, on an empty store that is removed at the end')
    .addOption(
      new Option('--plan <plan>', 'limit its key like one of this plan; implies --stateful')
        .choices(plans.map(([name]) => name))
        .implies({ stateful: true }),
    )
    .option('--json', 'say for programs where it is and what its API key is: one line of JSON')
    .action((options: MockOptions) => runMock(invocation, options));
}

async function runMock(invocation: Invocation, options: MockOptions): Promise<void> {
  const { signals } = invocation.context;
  // Listened for from the first moment on, so that nothing is left behind.
  const told = firstSignal(signals);
  const mock = await composeEither(invocation, options);
  try {
    await announce(await mock.listen(), invocation, options);
    await told;
  } finally {
    await mock.close();
  }
  signals.exit(0);
}

/** What a mock has of the environment: nothing that leads it to anybody's data. */
async function composeEither({ context, contract }: Invocation, options: MockOptions): Promise<Mock> {
  const { env, clock, signals, stderr } = context;
  const { host = env['HOST'], port = env['PORT'], baseUrl, stateful, plan } = options;
  const settings = { HOST: host, PORT: port, PUBLIC_BASE_URL: baseUrl, CORS_ORIGINS: env['CORS_ORIGINS'] };
  const report = (told: unknown) => void stderr.write(`${inspect(told)}\n`);
  // Loaded here, because they are most of the program.
  if (stateful) {
    const { openEphemeralService: composeThrowAwayService } = await import('./ephemeral-service.js');
    return composeThrowAwayService(settings, plan, { contract, clock, report }, signals);
  }
  const { createMock: composeMock } = await import('../../service/create-mock.js');
  return composeMock(readConfig(settings, contract.document), { contract, clock, report });
}

async function announce(
  { baseUrl, contractUrl }: Addresses,
  invocation: Invocation,
  options: MockOptions,
): Promise<void> {
  const { context, contract } = invocation;
  const { title, version } = contract.document.info;
  const { token: apiKey } = mockKey;
  if (options.json) {
    await write(context.stdout, `${JSON.stringify({ baseUrl, apiKey, contractUrl })}\n`);
    return;
  }
  const curl = `  curl -H "Authorization: Bearer ${apiKey}"`;
  await write(
    context.stderr,
    `A ${options.stateful ? 'throw-away service' : 'mock'} of ${title} ${version} is at ${baseUrl}
  Contract  ${contractUrl}
  API key   ${apiKey}${options.stateful ? '' : ', or any other'}

Try it:

${curl} ${baseUrl}/pets
${options.stateful ? `${curl} -H "Content-Type: application/json" -d '{"name":"Rex","categoryId":7}'` : `${curl} -H "Prefer: code=429"`} ${baseUrl}/pets

`,
  );
}

/** Checks an option like the setting that it overrides, and passes it on as text. */
function validate(setting: (typeof settings)['host' | 'port' | 'publicBaseUrl'], { contract }: Invocation) {
  return (text: string): string => {
    try {
      setting.parse(text, contract.document);
      return text;
    } catch (error) {
      throw new InvalidArgumentError(`It ${(error as Error).message}`);
    }
  };
}
