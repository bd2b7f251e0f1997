import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import type { StoredKey } from '../../api-keys/api-key.js';
import { write, writeJson } from '../context.js';
import { openPrivateFile } from '../files.js';
import { type Invocation, withStores } from '../invocation.js';
import { createKeyReader, writeKeyLine } from '../key-lines.js';
import { splitLines } from '../lines.js';
import { countOf, formatCount } from '../output/format.js';
import { formatInvalidLine, readLines } from '../output/invalid-lines.js';
import { addJsonOption, type JsonOption } from '../output/json-option.js';
import { printable } from '../output/printable.js';
import { standardStream } from '../output/standard-stream.js';

/** Adds `petstore keys export` and `petstore keys import`. */
export function addKeyTransfer(keys: Command, invocation: Invocation): void {
  keys
    .command('export [file]')
    .description(
      'write every key, one in JSON per line, with the hash of its token; the tokens themselves are stored nowhere',
    )
    .action((file: string | undefined) => runExport(invocation, file));
  addJsonOption(keys.command('import <file>'))
    .description('add the keys of a file that `petstore keys export` wrote, all or none; - reads the standard input')
    .action((file: string, options: JsonOption) => runImport(invocation, file, options));
}

async function runExport(invocation: Invocation, file: string | undefined): Promise<void> {
  const { stdout } = invocation.context;
  const keys = await withStores(invocation, ({ stores }) => stores.keys.exportAll());
  const lines = Readable.from(keys.map(writeKeyLine));
  if (file === undefined || file === standardStream) {
    await pipeline(lines, stdout, { end: false });
    return;
  }
  await pipeline(lines, await openPrivateFile(file));
  await write(stdout, `Exported ${countOf(keys.length, 'key')} to ${printable(file)}.\n`);
}

async function runImport(invocation: Invocation, file: string, { json }: JsonOption): Promise<void> {
  invocation.exitCodeUnread = 1;
  const { stdin, stdout, stderr } = invocation.context;
  const reader = createKeyReader(invocation.contract.document);
  const keys: StoredKey[] = [];
  let faultyLines = 0;
  for await (const lines of splitLines(file === standardStream ? stdin : createReadStream(file), reader.bytesMax + 1)) {
    const { values, faults } = readLines(lines, reader);
    keys.push(...values);
    faultyLines += faults.length;
    await write(stderr, faults.map(formatInvalidLine).join(''));
  }
  const imported = faultyLines === 0 ? keys.length : 0;
  if (faultyLines === 0) await withStores(invocation, ({ apiKeyService }) => apiKeyService.importAll(keys));
  else invocation.exitCode = 1;
  invocation.exitCodeUnread = invocation.exitCode;
  if (json) await writeJson(stdout, { validLines: keys.length, faultyLines, imported });
  else if (faultyLines === 0) await write(stdout, `Imported ${countOf(imported, 'key')}.\n`);
  else await write(stdout, `Faulty lines: ${formatCount(faultyLines)}. Nothing was imported.\n`);
}
