import type { Command } from 'commander';
import type { StoredKey } from '../../api-keys/api-key.js';
import { write } from '../context.js';
import { isStandardStream, readFrom, writeTo } from '../files.js';
import { addJsonOption, type Invocation, type JsonOption, printResult, withStores } from '../invocation.js';
import { createKeyReader, formatKeyLine } from '../key-lines.js';
import { formatInvalidLine, parseLines, splitLines } from '../lines.js';
import { countOf, formatCount, printable } from '../output/format.js';

/** Adds `petstore keys export` and `petstore keys import`. */
export function addKeysTransfer(keys: Command, invocation: Invocation): void {
  keys
    .command('export [file]')
    .description('write every key as one JSON object per line, with the hash of its token; tokens are not stored')
    .action((file: string | undefined) => runExport(invocation, file));
  addJsonOption(keys.command('import <file>'))
    .description('add the keys of a `petstore keys export` file, all or none; - reads the standard input')
    .action((file: string, options: JsonOption) => runImport(invocation, file, options));
}

async function runExport(invocation: Invocation, file: string | undefined): Promise<void> {
  const { stdout } = invocation.context;
  const keys = await withStores(invocation, ({ stores }) => stores.keys.exportAll());
  await writeTo(file, stdout, keys.map(formatKeyLine));
  if (!isStandardStream(file)) await write(stdout, `Exported ${countOf(keys.length, 'key')} to ${printable(file)}.\n`);
}

async function runImport(invocation: Invocation, file: string, options: JsonOption): Promise<void> {
  invocation.exitCodeIfClosed = 1;
  const { context, contract } = invocation;
  const reader = createKeyReader(contract.document);
  const keys: StoredKey[] = [];
  let invalidLines = 0;
  for await (const lines of splitLines(readFrom(file, context), reader.bytesMax + 1)) {
    const parsed = parseLines(lines, reader);
    keys.push(...parsed.values);
    invalidLines += parsed.invalidLines.length;
    await write(context.stderr, parsed.invalidLines.map(formatInvalidLine).join(''));
  }
  const imported = invalidLines === 0 ? keys.length : 0;
  if (invalidLines === 0) await withStores(invocation, ({ apiKeyService }) => apiKeyService.importAll(keys));
  else invocation.exitCode = 1;
  invocation.exitCodeIfClosed = invocation.exitCode;
  const text =
    invalidLines === 0
      ? `Imported ${countOf(imported, 'key')}.\n`
      : `Invalid lines: ${formatCount(invalidLines)}. Nothing was imported.\n`;
  await printResult(invocation, options, { validLines: keys.length, invalidLines, imported }, text);
}
