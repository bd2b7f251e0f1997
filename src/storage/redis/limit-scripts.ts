import { readFile } from 'node:fs/promises';
import { type CommandParser, defineScript } from '@redis/client';
import { type Admission, type BudgetState, freshBudget } from '../../domain/limits.js';

/** Lua is not compiled, so it is read where it is written. */
const folder = new URL('../../../src/storage/redis/', import.meta.url);

/** What is known of a subject, and when. */
export interface Account {
  readonly state: BudgetState;
  /** Unix milliseconds, by Redis's clock. */
  readonly now: number;
}

/**
 * What Redis runs for the counters, each on one key, so that a cluster can take it. A script is called by its SHA-1, and sent whole to a
 * server that does not know it.
 */
export const limitScripts = {
  admit: await defineLimitScript('admit.lua', readDecision),
  peek: await defineLimitScript('peek.lua', readAccount),
  pardon: await defineLimitScript('pardon.lua', () => undefined),
};

async function defineLimitScript<Raw, Reply>(file: string, transformReply: (reply: Raw) => Reply) {
  return defineScript({
    SCRIPT: await readFile(new URL(file, folder), 'utf8'),
    NUMBER_OF_KEYS: 1,
    parseCommand: (parser: CommandParser, key: string, ...args: string[]) => {
      parser.pushKey(key);
      parser.push(...args);
    },
    transformReply,
  });
}

type RefusedBy = Exclude<Admission['refusedBy'], undefined>;

/** A yes is 1 in an answer of Redis, and a no is null. */
function readDecision([refusedBy, now, text, beginsBan]: [RefusedBy | null, number, string, 1 | null]) {
  return { refusedBy: refusedBy ?? undefined, beginsBan: beginsBan !== null, now, state: readState(text) };
}

function readAccount([text, [seconds, microseconds]]: [string, [string, string]]): Account {
  return { state: readState(text), now: Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000) };
}

/** The text of a state that has been used; what it does not mention is 0. */
export function readState(text: string): BudgetState {
  return { ...freshBudget(), ...(JSON.parse(text) as Partial<BudgetState>) };
}
