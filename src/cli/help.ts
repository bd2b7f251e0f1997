import { settings } from '../config.js';
import { type Column, renderTable } from './output/table.js';

const columns: readonly Column<(typeof settings)[keyof typeof settings]>[] = [
  { heading: 'NAME', cell: ({ name }) => name },
  { heading: 'DEFAULT', cell: (setting) => setting.default || '-' },
  { heading: 'UNIT', cell: ({ unit }) => unit },
  { heading: 'DESCRIPTION', cell: ({ description }) => description },
];

/** The end of `petstore --help`: the settings, examples and exit codes. */
export function closingHelp(): string {
  return `
Settings, read from the environment:
${renderTable(columns, Object.values(settings)).replace(/^(?=.)/gm, '  ')}
Examples:
  petstore serve
  petstore mock --port 0
  petstore keys create --name "Mobile app" --plan pro --expires 90d
  petstore keys list --json
  petstore pets import pets.ndjson --dry-run
  petstore pets export --without-ids | gzip > pets.ndjson.gz
  petstore backup /backups/petstore-$(date +%F).db

Commands can run while a server with the same settings is running.
Exit codes: 0 success, 1 failure, 2 invalid arguments.`;
}
