import { readFile } from 'node:fs/promises';
import { type CommandParser, defineScript } from '@redis/client';
import { newQuotaState, type QuotaState, type RejectedBy } from '../decide.js';
import type { Quota } from '../quota-store.js';

const prefix = 'petstore:';

/** The key of the state of a quota or an address. */
export function redisKey({ kind, id }: Pick<Quota, 'kind' | 'id'>): string {
  return `${prefix}${kind}:${id}`;
}

/** The key of the data set that every node polls. */
export const dataSetKey = `${prefix}dataset`;

/** How often every node polls the data set. */
export const pollIntervalMs = 250;

const folder = new URL('./', import.meta.url);

export interface CurrentState {
  readonly state: QuotaState;
  /** Unix milliseconds, by the clock of Redis. */
  readonly now: number;
}

/** An element of the reply of `consume.lua`. */
export interface ScriptDecision extends CurrentState {
  readonly rejectedBy: RejectedBy;
  readonly beginsBan: boolean;
  /** The state that was stored before, if a known state was sent. */
  readonly before: QuotaState | undefined;
}

/** Polled by every node: a random id, which changes when Redis loses its data, and the latest unbans by quota id. */
export interface DataSet {
  readonly id: string;
  readonly unbans: Readonly<Record<string, number>>;
}

/** The scripts. A script is called by its SHA-1, and sent in full if the server has not loaded it. */
export const rateLimitScripts = {
  consume: await defineLimitScript(['state.lua', 'consume.lua'], readDecisions),
  peek: await defineLimitScript(['state.lua', 'peek.lua'], readCurrentState),
  unban: await defineLimitScript(['state.lua', 'unban.lua'], readTime),
  readDataSet: await defineLimitScript(['data-set.lua'], parseDataSet),
};

async function defineLimitScript<Reply>(files: readonly string[], transformReply: (reply: unknown) => Reply) {
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, folder), 'utf8')));
  return defineScript({
    SCRIPT: texts.join('\n'),
    parseCommand: (parser: CommandParser, keys: string | string[], ...args: string[]) => {
      parser.pushKeysLength(keys);
      parser.push(...args);
    },
    transformReply,
  });
}

function readDecisions(reply: unknown): ScriptDecision[] {
  return requireList(reply).map(readDecision);
}

/** In a reply of Redis, true is 1 and false is null. @throws TypeError for an invalid reply. */
function readDecision(reply: unknown): ScriptDecision {
  const [rejectedBy, now, text, beginsBan, before] = requireList(reply);
  return {
    rejectedBy: readRejectedBy(rejectedBy),
    now: readTime(now),
    state: readState(text),
    beginsBan: beginsBan !== null,
    before: before === null ? undefined : readState(before),
  };
}

function readCurrentState(reply: unknown): CurrentState {
  const [text, now] = requireList(reply);
  return { state: readState(text), now: readTime(now) };
}

function requireList(reply: unknown): readonly unknown[] {
  if (!Array.isArray(reply)) throw unexpected();
  return reply;
}

function readRejectedBy(value: unknown): RejectedBy {
  if (value === null) return undefined;
  if (value === 'minute' || value === 'day' || value === 'ban') return value;
  throw unexpected();
}

function readTime(value: unknown): number {
  if (!Number.isSafeInteger(value)) throw unexpected();
  return value as number;
}

/** A missing field is 0. */
function readState(text: unknown): QuotaState {
  const state = { ...newQuotaState(), ...readJson(text) };
  for (const value of Object.values(state)) if (!Number.isFinite(value)) throw unexpected();
  return state;
}

export function parseDataSet(text: unknown): DataSet {
  const { id, unbans } = readJson(text) as Partial<DataSet>;
  if (typeof id !== 'string' || typeof unbans !== 'object') throw unexpected();
  for (const at of Object.values(unbans)) readTime(at);
  return { id, unbans };
}

function readJson(text: unknown): object {
  const value: unknown = JSON.parse(String(text));
  if (typeof value !== 'object' || value === null) throw unexpected();
  return value;
}

function unexpected(): TypeError {
  return new TypeError('unexpected reply');
}
