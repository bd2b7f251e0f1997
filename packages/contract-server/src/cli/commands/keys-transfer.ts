import type { Command } from 'commander';
import { type ApiKey, keyNamePattern, type StoredKey, toLimits } from '../../api-keys/api-key.js';
import { type Contract, limitMaxOf } from '../../contract/contract.js';
import type { PlanLimits } from '../../contract/document.js';
import { printable } from '../../lib/printable.js';
import { print } from '../context.js';
import { addJsonOption, type Invocation, type JsonOption, printResult, withKeys } from '../invocation.js';
import {
  createSchemaValidator,
  type ExportOptions,
  InvalidLineError,
  isStandardStream,
  type NdjsonValidator,
  readLines,
  writeTo,
} from '../ndjson.js';
import { countOf, formatCount } from '../output/format.js';

/** The times of a key. Those that are unset are omitted. */
const times = ['createdAt', 'expiresAt', 'revokedAt', 'rotatedAt', 'lastUsedAt'] as const;

/** A key in an export file, with the SHA-256 of its token in hexadecimal digits. Limits only with a custom plan. */
type KeyLine = Readonly<Record<'id' | 'tokenSha256' | 'name' | 'quotaId', string>> & {
  readonly plan: string;
} & Partial<PlanLimits & Readonly<Record<(typeof times)[number], string>>>;

/** More than any key has. */
const lineLimits = { bytesMax: 16_384, valuesMax: 100 };

/** Adds `keys export` and `keys import`. */
export function addKeysTransfer(keys: Command, invocation: Invocation): void {
  keys
    .command('export [file]')
    .description('write every key as one JSON object per line, with the hash of its token; tokens are not stored')
    .option('--force', 'overwrite an existing file')
    .action((file: string | undefined, options: ExportOptions) => runExport(invocation, file, options));
  addJsonOption(keys.command('import <file>'))
    .description(
      `add the keys of a \`${invocation.definition.name} keys export\` file, all or none; - reads the standard input`,
    )
    .action((file: string, options: JsonOption) => runImport(invocation, file, options));
}

async function runExport(invocation: Invocation, file: string | undefined, options: ExportOptions): Promise<void> {
  const { stdout } = invocation.context;
  const keys = await withKeys(invocation, ({ store }) => store.list());
  await writeTo(file, options, stdout, keys.map(formatKeyLine));
  if (!isStandardStream(file)) await print(stdout, `Exported ${countOf(keys.length, 'key')} to ${printable(file)}.\n`);
}

async function runImport(invocation: Invocation, file: string, options: JsonOption): Promise<void> {
  invocation.exitCode = 1;
  const { context, contract } = invocation;
  const keys: StoredKey[] = [];
  let invalidLines = 0;
  for await (const { values, errors } of readLines(file, context, createKeyValidator(contract))) {
    keys.push(...values);
    invalidLines += errors.length;
    await print(context.stderr, errors.join(''));
  }
  const imported = invalidLines === 0 ? keys.length : 0;
  if (invalidLines === 0) await withKeys(invocation, ({ service }) => service.importAll(keys), { creates: true });
  invocation.exitCode = invalidLines === 0 ? 0 : 1;
  const text =
    invalidLines === 0
      ? `Imported ${countOf(imported, 'key')}.\n`
      : `Invalid lines: ${formatCount(invalidLines)}. Nothing was imported.\n`;
  await printResult(invocation, options, { validLines: keys.length, invalidLines, imported }, text);
}

function formatKeyLine({ key, tokenHash }: StoredKey): string {
  const { id, name, quota } = key;
  const tokenSha256 = tokenHash.toString('hex');
  const line = { id, tokenSha256, name, quotaId: quota.id, plan: quota.plan, ...quota.limits };
  const setTimes = times
    .filter((time) => key[time] !== undefined)
    .map((time) => [time, new Date(key[time] as number).toISOString()]);
  return `${JSON.stringify({ ...line, ...Object.fromEntries(setTimes) })}\n`;
}

/** Validates lines of `formatKeyLine`. */
function createKeyValidator(contract: Contract): NdjsonValidator<StoredKey> {
  const text = (pattern: string, allowed: string) => ({ type: 'string', pattern, 'x-allowed': allowed });
  // The pattern of `toISOString`. The format `date-time` alone accepts leap seconds, which `Date.parse` rejects.
  const timePattern = '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-5][0-9]\\.[0-9]{3}Z$';
  const time = { ...text(timePattern, 'a time like 2026-11-20T12:00:00.000Z'), format: 'date-time' };
  const count = { type: 'integer', minimum: 1, maximum: limitMaxOf(contract) };
  const validator = createSchemaValidator<KeyLine>(
    {
      type: 'object',
      additionalProperties: false,
      required: ['id', 'tokenSha256', 'name', 'quotaId', 'plan', 'createdAt'],
      properties: {
        id: text('^key_[0-9A-Za-z]+$', 'key_ and letters or digits'),
        tokenSha256: text('^[0-9a-f]{64}$', '64 hexadecimal digits'),
        name: text(keyNamePattern, '1 to 100 characters that are not all blank'),
        quotaId: text('^[a-z]+_[0-9A-Za-z]{1,32}$', 'quota_ and at most 32 letters or digits'),
        plan: { type: 'string', enum: Object.keys(contract.plans) },
        requestsPerMinute: count,
        requestsPerDay: count,
        ...Object.fromEntries(times.map((name) => [name, time])),
      },
    },
    lineLimits,
    contract.schemas,
  );
  return { bytesMax: lineLimits.bytesMax, read: (line) => toStoredKey(validator.read(line)) };
}

/** @throws InvalidLineError if one of two limits is missing. */
function toStoredKey(line: KeyLine): StoredKey {
  const { id, tokenSha256, name, quotaId, plan, requestsPerMinute, requestsPerDay } = line;
  const limits = toLimits(requestsPerMinute, requestsPerDay);
  if (limits === undefined && (requestsPerMinute ?? requestsPerDay) !== undefined)
    throw new InvalidLineError('Fields requestsPerMinute and requestsPerDay must be set together.');
  const instants = times.map((time) => [time, line[time] && Date.parse(line[time])]);
  const parsedTimes = Object.fromEntries(instants) as Pick<ApiKey, (typeof times)[number]>;
  const key = { id, name, quota: { id: quotaId, plan, limits }, ...parsedTimes };
  return { key, tokenHash: Buffer.from(tokenSha256, 'hex') };
}
