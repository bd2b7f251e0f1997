import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { UsageError } from '@contract-server/core/lib/errors.js';
import { type Command, Option } from 'commander';
import type { Run } from '../invocation.js';
import { defaultOutput } from './generate.js';
import type { DevOptions } from './run-dev.js';

type GivenOptions = Partial<DevOptions> & Pick<DevOptions, 'output' | 'watch'>;

/** Adds `dev`. */
export function addDev(program: Command, run: Run): void {
  program
    .command('dev')
    .description('run a service from source; after each change, generate, build and restart')
    .argument('[arguments...]', 'arguments of the service, after --')
    .option('--contract <file>', 'OpenAPI document (default: contract.yaml, or the only *.yaml file in spec/)')
    .option('--overlay <file>', 'overlay of the contract, that of the service')
    .option('--lenient', 'accept what is invalid but has an evident meaning, as the service does')
    .option('--output <file>', 'types to generate', defaultOutput)
    .option('--build <command>', 'command that builds the service (default: `npm run build`, or `tsc -b`)')
    .option('--entry <file>', 'file to run (default: main of package.json, or dist/main.js)')
    .addOption(new Option('--watch <folders...>', 'folders with sources').default(['src'], 'src'))
    .addHelpText('after', () => help)
    .action(async (args: readonly string[], options: GivenOptions) => {
      const { runDev } = await import('./run-dev.js');
      await runDev(withDefaults(options), args, run.context);
    });
}

const help = `
If a step fails, the running service stays unchanged until the next change. The service validates each response, and
sends a 500 in place of one that does not match the contract.

Examples:
  contract-server dev
  contract-server dev -- --settings .env
  contract-server dev --contract api/books.yaml --build "tsc -p ." --entry build/main.js`;

/** @throws UsageError if the contract cannot be found. */
function withDefaults(options: GivenOptions): DevOptions {
  const { main, scripts } = readManifest();
  return {
    ...options,
    contract: options.contract ?? findContract(),
    build: options.build ?? (scripts?.['build'] === undefined ? 'tsc -b' : 'npm run --silent build'),
    entry: options.entry ?? main ?? 'dist/main.js',
  };
}

interface Manifest {
  readonly main?: string;
  readonly scripts?: Readonly<Record<string, string>>;
}

function readManifest(): Manifest {
  return existsSync('package.json') ? (JSON.parse(readFileSync('package.json', 'utf8')) as Manifest) : {};
}

function findContract(): string {
  if (existsSync('contract.yaml')) return 'contract.yaml';
  const files = existsSync('spec') ? readdirSync('spec').filter((name) => /\.ya?ml$/.test(name)) : [];
  if (files.length === 1) return `spec/${String(files[0])}`;
  throw new UsageError('Cannot find the contract. Use --contract.');
}
