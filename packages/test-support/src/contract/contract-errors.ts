import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ContractError } from '@contract-server/core/contract/contract-error.js';
import { loadDocument } from '@contract-server/core/load/load-document.js';
import { expect } from 'chai';
import { errorOf } from '../error-of.js';
import { temporaryDirectory } from '../temporary-directory.js';

/** Writes the files of a contract, of which the first one is the contract. */
export function place(files: Readonly<Record<string, string>>) {
  const directory = temporaryDirectory();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
  return { directory, url: pathToFileURL(join(directory, Object.keys(files)[0] ?? '')) };
}

/** The lines of the error that prevents a contract from being served, with paths relative to its directory. */
export async function errorsOf(files: Readonly<Record<string, string>>): Promise<string[]> {
  const { directory, url } = place(files);
  const error = await errorOf(loadDocument(url));
  expect(error).to.be.instanceOf(ContractError);
  const prefix = `${relative('', directory)}/`;
  return (error as ContractError).message.split('\n').map((line) => line.replaceAll(prefix, ''));
}
