import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readContract } from '@contract-server/core/load/load-contract.js';
import type { Command } from 'commander';
import { addMockOptions, type MockOptions, runMock } from '../commands/mock.js';
import { print } from '../context.js';
import type { Run } from '../invocation.js';
import { addReadOptions, contractArgument, type ReadOptions } from './contract-file.js';
import { withProgress } from './progress.js';

/** Adds `mock`: the mock server of any contract. */
export function addMock(program: Command, { context }: Run): void {
  addMockOptions(addReadOptions(program.command('mock').addArgument(contractArgument('contract', 'OpenAPI document'))))
    .addHelpText('after', () => help)
    .action(async (file: URL, { overlay, lenient, ...options }: MockOptions & ReadOptions) => {
      const line = `Loading ${relative('', fileURLToPath(file))}…`;
      const contract = await withProgress(context.stderr, line, () =>
        readContract({ contract: file, overlay, lenient }),
      );
      for (const warning of contract.warnings) await print(context.stderr, `Warning: ${warning}\n`);
      await runMock({ name: 'mock', contract, context }, options);
    });
}

const help = `
Any credentials are valid. A Prefer header selects a response, such as \`Prefer: code=404\`. If the contract declares other
errors than those of contract-server, the header X-Mock-Error of a response says what is invalid in the request.
The environment variables HOST, PORT (8080), CORS_ORIGINS and LOG_LEVEL apply too.

Examples:
  contract-server mock contract.yaml
  contract-server mock spec/petstore.yaml --port 0 --json
  contract-server mock contract.yaml --host 0.0.0.0 --base-url http://books:8080/v1`;
