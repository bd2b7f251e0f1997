import { accessSync, constants, statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { Argument, InvalidArgumentError } from 'commander';
import { systemReasonOf } from '../../lib/errors.js';

/** Creates an argument that names the file of a contract. */
export function contractArgument(name: string, description: string): Argument {
  return new Argument(`<${name}>`, description).argParser(parseFile);
}

/** Returns the URL of a file. @throws InvalidArgumentError if it cannot be read. */
export function parseFile(path: string): URL {
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    throw new InvalidArgumentError(`It cannot be read: ${systemReasonOf(error)}.`);
  }
  if (!statSync(path).isFile()) throw new InvalidArgumentError('It is not a file.');
  return pathToFileURL(path);
}
