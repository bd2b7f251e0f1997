import { accessSync, constants, statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { systemReasonOf } from '@contract-server/core/lib/errors.js';
import { Argument, type Command, InvalidArgumentError } from 'commander';

/** Creates an argument that names the file of a contract. */
export function contractArgument(name: string, description: string): Argument {
  return new Argument(`<${name}>`, description).argParser(parseFile);
}

/** What a command reads a contract with. */
export interface ReadOptions {
  readonly overlay?: URL;
  readonly lenient?: true;
}

/** Adds the options of reading a contract. */
export function addReadOptions(command: Command): Command {
  return command
    .option('--overlay <file>', 'OpenAPI Overlay 1.0 with changes of the contract', parseFile)
    .option('--lenient', 'accept what is invalid but has an evident meaning, with a warning');
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
