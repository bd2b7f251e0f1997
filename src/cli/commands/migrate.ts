import type { Command } from 'commander';
import type { Stores } from '../../service/open-stores.js';
import { addJsonOption, type Invocation, type JsonOption, printResult, withStores } from '../invocation.js';
import { countOf, printable } from '../output/format.js';
import { type Column, renderTable } from '../output/table.js';

const columns: readonly Column<Stores['db']['migrations'][number]>[] = [
  { heading: 'MIGRATION', align: 'right', cell: ({ version }) => String(version) },
  { heading: 'NAME', cell: ({ name }) => name },
  { heading: 'STATE', cell: ({ wasApplied }) => (wasApplied ? 'applied' : 'already applied') },
];

/** Adds `petstore migrate`, which migrates before a release is rolled out. The server also migrates when it starts. */
export function addMigrate(program: Command, invocation: Invocation): void {
  addJsonOption(program.command('migrate'))
    .description('apply pending migrations, as the server does when it starts')
    .action(async (options: JsonOption) => {
      const { location, db } = await withStores(invocation, (stores) => Promise.resolve(stores));
      const { migrations } = db;
      const applied = migrations.filter(({ wasApplied }) => wasApplied).length;
      const summary = applied === 0 ? 'No pending migrations' : `Applied ${countOf(applied, 'migration')}`;
      const text = `${renderTable(columns, migrations)}\n${summary} in ${printable(location)}.\n`;
      await printResult(invocation, options, { location, applied, migrations }, text);
    });
}
