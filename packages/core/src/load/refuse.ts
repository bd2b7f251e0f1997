import { Source, type YamlParseError } from '@redocly/openapi-core';
import { ContractError } from '../contract/contract-error.js';
import { printable } from '../lib/printable.js';
import { asSentence, positionOf } from './problem-lines.js';

const tooDeep = 'The document is nested too deeply, with what it refers to';

/** Throws a ContractError for a file that is missing, not YAML, or contains a reference that leads to itself. */
export function refuse(path: string): (error: unknown) => never {
  return (error) => {
    // Some have no place, and some have NaN.
    const { line = 1, col = 1 } = error as Partial<YamlParseError>;
    const message = error instanceof RangeError ? tooDeep : (error as Error).message;
    const position = positionOf({
      source: new Source(path, ''),
      pointer: undefined,
      start: { line: line || 1, col: col || 1 },
    });
    throw new ContractError(`${position} ${printable(asSentence(message))}`, { cause: error });
  };
}
