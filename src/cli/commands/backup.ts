import { resolve } from 'node:path';
import type { Command } from 'commander';
import { readConfig } from '../../config.js';
import { BackupError } from '../../lib/errors.js';
import { stopSignals, write, writeJson } from '../context.js';
import type { Invocation } from '../invocation.js';
import { countOf, formatCount } from '../output/format.js';
import { printable } from '../output/printable.js';
import { Progress } from '../output/progress.js';

interface BackupOptions {
  readonly force?: true;
  readonly json?: true;
}

/** Adds `petstore backup`. */
export function addBackup(program: Command, invocation: Invocation): void {
  program
    .command('backup <file>')
    .description('copy animals and keys, as they are at one moment, into one file; also while the server runs')
    .option('--force', 'overwrite a file that exists')
    .option('--json', 'sum up for programs: JSON with stable field names')
    .action((file: string, options: BackupOptions) => runBackup(invocation, file, options));
}

async function runBackup({ context, contract }: Invocation, file: string, options: BackupOptions): Promise<void> {
  const { stdout, stderr, clock, signals } = context;
  const { backUp } = await import('../../service/open-stores.js');
  const progress = new Progress(stderr, clock, undefined);
  const stopping = new AbortController();
  const stop = () => stopping.abort(new BackupError('The backup was stopped. It left nothing behind.'));
  for (const signal of stopSignals) signals.once(signal, stop);
  const { animals, bytes } = await backUp(readConfig(context.env, contract.document), {
    file,
    overwrites: options.force === true,
    onProgress: (copiedBytes, bytesTotal) => {
      progress.expectBytes(bytesTotal);
      progress.update(`${formatCount(copiedBytes)} bytes`, copiedBytes);
    },
    onCheck: () => progress.say('Checking the copy.'),
    signal: stopping.signal,
  }).finally(() => progress.clear());
  const seconds = progress.elapsedMs / 1000;
  if (options.json) await writeJson(stdout, { file: resolve(file), animals, bytes, seconds });
  else
    await write(
      stdout,
      `Backed up ${countOf(animals, 'animal')} to ${printable(file)}: ${formatCount(bytes)} bytes in ${seconds.toFixed(1)} s.\n`,
    );
}
