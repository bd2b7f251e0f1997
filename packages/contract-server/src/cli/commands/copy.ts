import { UsageError } from '@contract-server/core/lib/errors.js';
import { printable } from '@contract-server/core/lib/printable.js';
import type { Command } from 'commander';
import { readConfig } from '../../config.js';
import type { CopiedTable } from '../../database/copy/copy-database.js';
import { findApiKeys, noStores, settingsOwner } from '../../service/definition.js';
import { openAll } from '../../service/resource-stack.js';
import type { CommandContext } from '../context.js';
import { addJsonOption, createReport, type Invocation, type JsonOption, printResult } from '../invocation.js';
import { type Column, countOf, formatCount, renderTable } from '../output/format.js';

/** When the first line of progress is printed, and the time between two lines, in milliseconds. */
const firstLineMs = 1000;
const nextLineMs = 10_000;

const columns: readonly Column<CopiedTable>[] = [
  { heading: 'TABLE', cell: ({ table }) => table },
  { heading: 'ROWS', align: 'right', cell: ({ rows }) => formatCount(rows) },
];

/** Adds `copy`, from SQLite to PostgreSQL. */
export function addCopy(program: Command, invocation: Invocation): void {
  addJsonOption(program.command('copy [url]'))
    .description('copy SQLite to an empty PostgreSQL database, by default DATABASE_URL, while the server is stopped')
    .action((url: string | undefined, options: JsonOption) => runCopy(invocation, url, options));
}

async function runCopy(invocation: Invocation, url: string | undefined, options: JsonOption): Promise<void> {
  const { context } = invocation;
  const startedAt = context.clock();
  const { tables, ...places } = await copy(invocation, url);
  const seconds = (context.clock() - startedAt) / 1000;
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const { from, to, notCopied } = places;
  const text =
    `${renderTable(columns, tables)}\n` +
    `Copied ${countOf(rows, 'row')} from ${printable(from)} to ${printable(to)} in ${seconds.toFixed(1)} s.\n` +
    (notCopied.length === 0 ? '' : `Not copied, because they belong to one node: ${notCopied.join(', ')}.\n`);
  await printResult(invocation, options, { ...places, tables, rows, seconds }, text);
}

async function copy({ definition, context, contract }: Invocation, url: string | undefined) {
  const { name, stores } = definition;
  const env = url === undefined ? context.env : { ...context.env, DATABASE_URL: url };
  const config = readConfig(settingsOwner(definition), env, contract.document);
  if (config.databaseUrl === undefined)
    throw new UsageError(`Missing the URL of the database. Use \`${name} copy postgres://user@host/database\`.`);
  // Loaded on demand, as by every other command that needs the database.
  const [{ copyDatabase }, { migrationsOf }, { openSqlite }, { openPostgres }] = await Promise.all([
    import('../../database/copy/copy-database.js'),
    import('../../service/open-stores.js'),
    import('../../service/sqlite-engine.js'),
    import('../../service/postgres-engine.js'),
  ]);
  const report = createReport(context);
  return openAll(report, async (opened) => {
    const common = { name, config, clock: context.clock, report };
    const embedded = { ...common, migrations: await migrationsOf(definition, 'sqlite') };
    // As a server, it excludes servers.
    const source = await openSqlite(opened, { ...embedded, role: 'server', mustExist: true }, noStores);
    const shared = { ...common, migrations: await migrationsOf(definition, 'postgres') };
    const target = await openPostgres(opened, { ...shared, role: 'command', mustExist: false }, noStores);
    const notCopied = [...(findApiKeys(definition)?.localTables ?? []), ...(stores?.localTables ?? [])];
    const copying = { localTables: notCopied, progress: createProgress(context) };
    const tables = await copyDatabase(source.db, target.db, copying);
    await opened.close();
    return { from: source.location, to: target.location, tables, notCopied };
  });
}

/** Returns a function that prints a line of progress after a second, and another one every 10 s. */
function createProgress({ stderr, clock }: CommandContext) {
  let nextLineAt = clock() + firstLineMs;
  return (table: string, copied: number, rows: number) => {
    if (clock() < nextLineAt) return;
    nextLineAt = clock() + nextLineMs;
    stderr.write(printable(`Copied ${formatCount(copied)} of ${countOf(rows, 'row')} of ${table}.\n`, '\n'));
  };
}
