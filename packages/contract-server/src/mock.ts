import { addMockOptions } from './cli/commands/mock.js';
import { contextOf } from './cli/context.js';
import { type ContractService, createCommand, runCommand } from './cli/invocation.js';

/** Runs the mock server of a contract as a command of its own, and sets the exit code of the process. */
export async function runMock(service: ContractService, process: NodeJS.Process): Promise<void> {
  process.exitCode = await runCommand(
    service,
    (invocation) => addMockOptions(createCommand(`${service.name}-mock`, invocation), invocation),
    process.argv.slice(2),
    contextOf(process),
  );
}
