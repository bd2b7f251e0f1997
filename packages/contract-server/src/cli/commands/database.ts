import { resolve } from 'node:path';
import { CommandError } from '@contract-server/core/lib/errors.js';
import { printable } from '@contract-server/core/lib/printable.js';
import type { Command } from 'commander';
import { readConfig } from '../../config.js';
import type { MigrationResult } from '../../database/migrations.js';
import { settingsOwner } from '../../service/definition.js';
import { stopSignals } from '../context.js';
import { addJsonOption, type Invocation, type JsonOption, printResult, withStores } from '../invocation.js';
import { type Column, countOf, formatCount, renderTable } from '../output/format.js';
import { addCopy } from './copy.js';

interface BackupOptions extends JsonOption {
  readonly force?: true;
}

const migrationColumns: readonly Column<MigrationResult>[] = [
  { heading: 'PART', cell: ({ part }) => part },
  { heading: 'MIGRATION', align: 'right', cell: ({ version }) => String(version) },
  { heading: 'NAME', cell: ({ name }) => name },
  { heading: 'STATE', cell: ({ wasApplied }) => (wasApplied ? 'applied' : 'already applied') },
];

/** Adds `migrate`, `backup` of a SQLite database and, with both engines, `copy`. */
export function addDatabaseCommands(program: Command, invocation: Invocation): void {
  const { stores } = invocation.definition;
  if (stores !== undefined) addMigrate(program, invocation);
  if (stores?.sqlite === undefined) return;
  addBackup(program, invocation);
  if (stores.postgres !== undefined) addCopy(program, invocation);
}

/** Adds `migrate`, for use before a rollout. The server also migrates when it starts. */
function addMigrate(program: Command, invocation: Invocation): void {
  addJsonOption(program.command('migrate'))
    .description('apply pending migrations, as the server does when it starts')
    .action(async (options: JsonOption) => {
      const { location, db } = await withStores(invocation, (stores) => Promise.resolve(stores), { creates: true });
      const { migrations = [] } = db ?? {};
      const applied = migrations.filter(({ wasApplied }) => wasApplied).length;
      const summary = applied === 0 ? 'No pending migrations' : `Applied ${countOf(applied, 'migration')}`;
      const text = `${renderTable(migrationColumns, migrations)}\n${summary} in ${printable(location)}.\n`;
      await printResult(invocation, options, { location, applied, migrations }, text);
    });
}

/** Adds `backup`. */
function addBackup(program: Command, invocation: Invocation): void {
  addJsonOption(program.command('backup <file>'))
    .description('copy the database into one consistent file, also while the server runs')
    .option('--force', 'overwrite an existing file')
    .action((file: string, options: BackupOptions) => runBackup(invocation, file, options));
}

async function runBackup(invocation: Invocation, file: string, options: BackupOptions): Promise<void> {
  const { definition } = invocation;
  const { env, clock, signals } = invocation.context;
  const { databaseUrl, dataDirectory } = readConfig(settingsOwner(definition), env, invocation.contract.document);
  if (databaseUrl !== undefined)
    throw new CommandError('The data is in PostgreSQL. Back up the database with pg_dump.');
  const { records } = definition.stores ?? {};
  // Loaded on demand, as by every other command that needs the database.
  const { backUpDatabase } = await import('../../database/sqlite/backup.js');
  const { databaseFileOf } = await import('../../service/sqlite-engine.js');
  const startedAt = clock();
  const stopping = new AbortController();
  const stop = () => stopping.abort(new CommandError('The backup was stopped. No file was written.'));
  for (const signal of stopSignals) signals.once(signal, stop);
  const { rows, bytes } = await backUpDatabase({
    source: databaseFileOf(definition.name, dataDirectory),
    countedTable: records?.table,
    file,
    overwrites: options.force === true,
    signal: stopping.signal,
  });
  const seconds = (clock() - startedAt) / 1000;
  const size = `${formatCount(bytes)} bytes in ${seconds.toFixed(1)} s`;
  const what = records === undefined ? 'the database' : countOf(rows, records.one, records.many);
  const value = { file: resolve(file), ...(records && { [records.table]: rows }), bytes, seconds };
  await printResult(invocation, options, value, `Backed up ${what} to ${printable(file)}: ${size}.\n`);
}
