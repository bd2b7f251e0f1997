/**
 * Measures the CPU time of a request: compared with peers that do the same work or, with `growth`, by the number of
 * pets, API keys, idle connections and nodes.
 *
 *   npm run bench -- [growth] [--quick] [--json]
 */
import { compareServers } from './comparison.js';
import { measureGrowth } from './growth.js';
import { describeMachine, loadAverage, renderTable } from './report.js';

const args = process.argv.slice(2);
const unknown = args.filter((argument) => !['growth', '--quick', '--json'].includes(argument));
if (unknown.length > 0) throw new Error(`Unknown argument: ${unknown.join(', ')}`);
// Child processes and temporary files are removed when this process exits.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const isQuick = args.includes('--quick');
const effort = isQuick
  ? { rounds: 1, warmUpSeconds: 1, discardedSeconds: 1, loadSeconds: 1 }
  : { rounds: 11, warmUpSeconds: 2, discardedSeconds: 1, loadSeconds: 1 };
const machine = describeMachine();
const results = args.includes('growth') ? await measureGrowth(effort, isQuick) : await compareServers(effort);
const after = `Load average after the run: ${loadAverage()}.`;
if (args.includes('--json')) console.log(JSON.stringify({ isCitable: !isQuick, machine, after, results }));
else console.log(`${machine}\n${after}\n${renderTable(results)}`);
if (isQuick) console.error('A quick run: do not cite its results.');
process.exit();
