/**
 * Compares the cost of requests to the service with that of peers that do the same work; fails if their responses
 * differ. The cost is the CPU time of the server, which other load on the machine changes little.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { measureColdStarts, renderColdStarts } from './cold-start.js';
import { Contest } from './contest.js';
import { describeMachine } from './machine.js';
import { fullPlan, quickPlan } from './plan.js';
import { renderReport } from './report.js';
import { rootPath } from './root-path.js';

interface Options {
  readonly quick?: true;
  readonly json?: true;
  readonly rounds?: number;
  readonly seconds?: number;
}

const count = (text: string) => Math.max(1, Math.trunc(Number(text)));

// All child processes and temporary files are removed when this process exits.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const program = new Command('npm run bench --').enablePositionalOptions();
withOptions(program)
  .description('measure the CPU time per request of the service and its peers')
  .option('--quick', 'one short round of the cases with a target')
  .action(compareWithPeers);
program
  .command('start')
  .description('measure the time from start to the first response')
  .option('--json', 'print JSON')
  .option('--rounds <count>', 'number of starts per server (default: 9)', count)
  .action(compareStarts);
await program.parseAsync();
process.exit();

function withOptions(command: Command): Command {
  return command
    .option('--json', 'print JSON')
    .option('--rounds <count>', 'number of rounds (default: 5)', count)
    .option('--seconds <count>', 'duration of each load (default: 2)', count);
}

async function compareWithPeers(options: Options): Promise<void> {
  installPeers();
  const plan = options.quick ? quickPlan : fullPlan;
  const { rounds = options.quick ? 1 : 5, seconds = options.quick ? 1 : 2 } = options;
  const machine = describeMachine();
  const contest = await Contest.open();
  const results = await contest.measure(plan, { rounds, seconds });
  const { loadGenerator } = contest;
  if (options.json) console.log(JSON.stringify({ machine, loadGenerator, rounds, seconds, ...results }));
  else console.log(renderReport(results, machine));
}

async function compareStarts({ rounds = 9, json }: Options): Promise<void> {
  installPeers();
  const starts = await measureColdStarts(rounds);
  console.log(json ? JSON.stringify({ node: process.version, rounds, starts }) : renderColdStarts(starts));
}

/** The packages of the peers are not dependencies of the service; the benchmark installs them. */
function installPeers(): void {
  const cwd = rootPath('scripts/bench');
  if (existsSync(`${cwd}/node_modules`)) return;
  const { status } = spawnSync('npm', ['ci'], { cwd, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error('The packages of the peers cannot be installed.');
}
