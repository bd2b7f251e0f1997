import { InvalidLineError } from '../../openapi/ndjson-validator.js';
import type { Line } from '../lines.js';
import { printable } from './printable.js';

export interface InvalidLine {
  /** Of the line, counted from 1. */
  readonly number: number;
  readonly message: string;
}

/** What lines hold, and what is wrong with those that hold nothing of the kind. Blank lines are neither. */
export function readLines<Value>(
  lines: readonly Line[],
  reader: { read(line: Uint8Array): Value },
): { values: Value[]; faults: InvalidLine[] } {
  const values: Value[] = [];
  const faults: InvalidLine[] = [];
  for (const { number, bytes } of lines) {
    if (isBlank(bytes)) continue;
    try {
      values.push(reader.read(bytes));
    } catch (error) {
      if (!(error instanceof InvalidLineError)) throw error;
      faults.push({ number, message: error.message });
    }
  }
  return { values, faults };
}

export function formatInvalidLine({ number, message }: InvalidLine): string {
  return `Line ${String(number)}: ${printable(message)}\n`;
}

/** Nothing but what JSON takes for blank (RFC 8259, section 2). */
function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
