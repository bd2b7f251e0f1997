import type { Command } from 'commander';
import type { Stores } from '../../service/open-stores.js';
import { write, writeJson } from '../context.js';
import { type Invocation, withStores } from '../invocation.js';
import { countOf } from '../output/format.js';
import { addJsonOption, type JsonOption } from '../output/json-option.js';
import { printable } from '../output/printable.js';
import { type Column, renderTable } from '../output/table.js';

type Outcome = Stores['migrations'][number];

const columns: readonly Column<Outcome>[] = [
  { heading: 'DATABASE', cell: ({ database }) => database },
  { heading: 'MIGRATION', align: 'right', cell: ({ version }) => String(version) },
  { heading: 'NAME', cell: ({ name }) => name },
  { heading: 'STATE', cell: ({ wasApplied }) => (wasApplied ? 'applied' : 'was there') },
];

/** Adds `petstore migrate`. Every start migrates; the command does so alone, before a release is rolled out. */
export function addMigrate(program: Command, invocation: Invocation): void {
  addJsonOption(program.command('migrate'))
    .description('bring the schemas up to date, as each start does, and say what was done')
    .action(async ({ json }: JsonOption) => {
      const { stdout } = invocation.context;
      const { place, migrations } = await withStores(invocation, ({ stores }) => Promise.resolve(stores));
      const applied = migrations.filter(({ wasApplied }) => wasApplied).length;
      if (json) await writeJson(stdout, { place, applied, migrations });
      else await write(stdout, `${renderTable(columns, migrations)}\n${printable(summary(applied, place))}\n`);
    });
}

function summary(applied: number, place: string): string {
  if (applied === 0) return `There was nothing to do in ${place}.`;
  return `Applied ${countOf(applied, 'migration')} in ${place}.`;
}
