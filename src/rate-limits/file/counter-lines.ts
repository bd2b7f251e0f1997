import { newQuotaState, type QuotaState } from '../decide.js';

/** The length of a line in bytes, with its line feed: a sector, which a disk writes as a whole or not at all. */
export const lineBytes = 512;

/** The counters of a quota, and the number of their line, from 0. */
export interface CounterLine {
  readonly line: number;
  readonly state: QuotaState;
}

export interface CounterLines {
  readonly counters: ReadonlyMap<string, CounterLine>;
  readonly lineCount: number;
  /** The lines that belong to no quota. Those that are damaged are among them. */
  readonly free: readonly number[];
  readonly damagedCount: number;
}

/** A line that belongs to no quota. */
export const blankLine = Buffer.alloc(lineBytes, ' ');
blankLine.write('\n', lineBytes - 1);

/** Writes a line of JSON, filled up with spaces, into a buffer of its length. @throws RangeError if it is too long. */
export function writeLine(buffer: Buffer, quotaId: string, state: QuotaState): void {
  const length = buffer.write(JSON.stringify({ quotaId, ...state }));
  if (length >= lineBytes) throw new RangeError(`The counters of the quota ${quotaId} are too long for their line.`);
  buffer.fill(' ', length, lineBytes - 1);
  buffer.write('\n', lineBytes - 1);
}

/** Reads a file. After a power failure, a quota may have two lines: the one with the later state counts. */
export function readLines(file: Buffer): CounterLines {
  const lineCount = Math.ceil(file.length / lineBytes);
  const counters = new Map<string, CounterLine>();
  const free: number[] = [];
  let damagedCount = 0;
  for (let line = 0; line < lineCount; line += 1) {
    const text = file.toString('utf8', line * lineBytes, (line + 1) * lineBytes);
    const counter = parseLine(text);
    if (counter === undefined) {
      free.push(line);
      if (/[^\0 \n]/.test(text)) damagedCount += 1;
      continue;
    }
    const { quotaId, state } = counter;
    const other = counters.get(quotaId);
    const isLater = other === undefined || isLaterThan(state, other.state);
    if (isLater) counters.set(quotaId, { line, state });
    if (other !== undefined) free.push(isLater ? other.line : line);
  }
  return { counters, lineCount, free, damagedCount };
}

function isLaterThan(state: QuotaState, other: QuotaState): boolean {
  if (state.minuteStartedAt !== other.minuteStartedAt) return state.minuteStartedAt > other.minuteStartedAt;
  return state.minuteUsed + state.minuteRejected > other.minuteUsed + other.minuteRejected;
}

/** Returns `undefined` for a line that is blank, never written or damaged. */
function parseLine(text: string): { readonly quotaId: string; readonly state: QuotaState } | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const { quotaId, ...fields } = JSON.parse(text) as Record<string, unknown>;
    const state = newQuotaState();
    for (const field of Object.keys(state) as (keyof QuotaState)[]) {
      const value = fields[field];
      if (!Number.isSafeInteger(value) || Number(value) < 0) return undefined;
      state[field] = Number(value);
    }
    return typeof quotaId === 'string' ? { quotaId, state } : undefined;
  } catch {
    return undefined;
  }
}
