import { styleText } from 'node:util';
import { formatJson } from '@contract-server/core/json/exact-json.js';
import { printable } from '@contract-server/core/lib/printable.js';
import { isScalar } from '@contract-server/diff/describe-change.js';
import type { ClassifiedChange, ComparedFile, FileDiff } from '@contract-server/diff/diff-contract.js';
import type { Effect } from '@contract-server/diff/verdicts.js';
import type { Command } from 'commander';
import { type CommandContext, print, write } from '../context.js';
import { toClauses } from '../describe-error.js';
import { addJsonOption, type JsonOption, type Run } from '../invocation.js';
import { type Column, countOf, renderTable } from '../output/format.js';
import { addReadOptions, contractArgument, parseFile, type ReadOptions } from './contract-file.js';
import { withProgress } from './progress.js';

/** Adds `diff`. */
export function addDiff(program: Command, run: Run): void {
  const command = program
    .command('diff')
    .description('list the changes of a contract; fail if they break clients, or do not match its version')
    .addArgument(contractArgument('released', 'contract of the last release'))
    .addArgument(contractArgument('current', 'contract to compare with it'))
    .addHelpText('after', () => help);
  addReadOptions(command).option('--released-overlay <file>', 'the same for the released contract', parseFile);
  addJsonOption(command).action((released: URL, current: URL, options: DiffOptions) => {
    const { overlay, releasedOverlay, lenient: isLenient = false } = options;
    return diff(
      { url: released, overlay: releasedOverlay, isLenient },
      { url: current, overlay, isLenient },
      options,
      run,
    );
  });
}

const help = `
A breaking change requires a higher major version. If the path prefix is that of the major version, such as /v1,
it requires another prefix. Operations with x-stability beta or experimental may change.

Examples:
  contract-server diff spec/released/1.0.0.yaml spec/petstore.yaml
  git show main:contract.yaml > main.yaml && contract-server diff main.yaml contract.yaml
  contract-server diff released.yaml contract.yaml --json

Exit codes: 0 compatible, 1 incompatible or an invalid contract, 2 invalid arguments.`;

interface DiffOptions extends JsonOption, ReadOptions {
  readonly releasedOverlay?: URL;
}

async function diff(one: ComparedFile, other: ComparedFile, { json }: JsonOption, run: Run): Promise<void> {
  const { context } = run;
  const found = await withProgress(context.stderr, 'Comparing the contracts…', async () => {
    const { diffFiles } = await import('@contract-server/diff/diff-contract.js');
    return diffFiles(one, other, new Date(context.clock()).toISOString().slice(0, 'YYYY-MM-DD'.length));
  });
  if (found.breakingProblems.length + found.versionProblems.length > 0) run.exitCode = 1;
  if (json) await print(context.stdout, `${formatJson(viewOf(found))}\n`);
  else await printDiff(found, context);
}

/** What `--json` prints. Fields may be added. */
function viewOf({ released, current, changes, breakingProblems, versionProblems }: FileDiff) {
  return {
    released: released.info.version,
    current: current.info.version,
    problems: [...breakingProblems, ...versionProblems],
    changes: changes.map(({ effect, operation = null, operations, place, change, action, pointer, before, after }) => ({
      ...{ effect, operation, ...(operations.length > 1 && { operations }), place, change, action, pointer },
      ...(isScalar(before) && { before }),
      ...(isScalar(after) && { after }),
    })),
  };
}

const columns: readonly Column<ClassifiedChange>[] = [
  { heading: 'EFFECT', cell: ({ effect }) => effect },
  { heading: 'OPERATION', cell: ({ operations }) => operations.join(', ') || '-' },
  { heading: 'PLACE', cell: ({ place }) => place || '-' },
  { heading: 'CHANGE', cell: ({ change }) => change },
  { heading: 'POINTER', cell: ({ pointer }) => pointer },
];

const colors = { breaking: 'red', 'non-breaking': 'green', annotation: 'gray' } as const;
const effects = Object.keys(colors) as readonly Effect[];

async function printDiff(
  { released, changes, breakingProblems, versionProblems }: FileDiff,
  { stdout, stderr, env }: CommandContext,
): Promise<void> {
  const { version } = released.info;
  const sorted = effects.flatMap((effect) => changes.filter((each) => each.effect === effect));
  const table = sorted.length === 0 ? '' : `${renderTable(columns, sorted)}\n`;
  const hasColors = stdout.isTTY === true && !env['NO_COLOR'];
  const paint = (line: string, effect: Effect) =>
    hasColors ? styleText(colors[effect], line, { validateStream: false }) : line;
  const counts = effects.flatMap((effect) => {
    const { length } = sorted.filter((each) => each.effect === effect);
    if (length === 0) return [];
    return [effect === 'annotation' ? countOf(length, effect) : `${String(length)} ${effect}`];
  });
  const colored = table.replace(/^(breaking|non-breaking|annotation)/gm, (effect) => paint(effect, effect as Effect));
  const summary = [printable(version), counts.join(', ')].filter(Boolean).join(': ');
  await write(stdout, `${colored}${countOf(changes.length, 'change')} since ${summary}.\n`);
  const { length } = breakingProblems;
  const breaking =
    length === 0 ? [] : [`${countOf(length, 'change')} ${length === 1 ? 'breaks' : 'break'} clients of ${version}.`];
  for (const problem of [...breaking, ...versionProblems]) await print(stderr, `error: ${toClauses(problem)}\n`);
}
