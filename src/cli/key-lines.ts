import { keyNamePattern, type StoredKey, toLimits } from '../api-keys/api-key.js';
import { isoTime } from '../lib/clock.js';
import { type ContractDocument, quotaMaxOf } from '../openapi/document.js';
import { createSchemaValidator, InvalidLineError } from '../openapi/ndjson-validator.js';
import type { PlanName } from '../openapi/types.js';

/** A key in an export file, which contains the hash of its token. Times that are unset are omitted. */
interface KeyLine {
  readonly id: string;
  /** The SHA-256 of the token, in hexadecimal digits. */
  readonly tokenSha256: string;
  readonly name: string;
  readonly quotaId: string;
  readonly plan: PlanName;
  /** Only with a custom plan. */
  readonly requestsPerMinute?: number | undefined;
  readonly requestsPerDay?: number | undefined;
  readonly createdAt: string;
  readonly expiresAt?: string | undefined;
  readonly revokedAt?: string | undefined;
  readonly rotatedAt?: string | undefined;
  readonly lastUsedAt?: string | undefined;
}

/** Longer than any key. */
const bytesMax = 16_384;

export function formatKeyLine({ key, tokenHash }: StoredKey): string {
  const { id, name, quota, createdAt, expiresAt, revokedAt, rotatedAt, lastUsedAt } = key;
  const line: KeyLine = {
    id,
    tokenSha256: tokenHash.toString('hex'),
    name,
    quotaId: quota.id,
    plan: quota.plan,
    ...quota.limits,
    createdAt: isoTime(createdAt),
    expiresAt: isoTimeOf(expiresAt),
    revokedAt: isoTimeOf(revokedAt),
    rotatedAt: isoTimeOf(rotatedAt),
    lastUsedAt: isoTimeOf(lastUsedAt),
  };
  return `${JSON.stringify(line)}\n`;
}

/** Parses lines of `formatKeyLine`; throws `InvalidLineError` for any other line. */
export function createKeyReader(document: ContractDocument): {
  readonly bytesMax: number;
  read(line: Uint8Array): StoredKey;
} {
  const text = (pattern: string, allowed: string) => ({ type: 'string', pattern, 'x-allowed': allowed });
  // The pattern is that of `isoTime`. The format `date-time` alone accepts leap seconds, which `Date.parse` rejects.
  const time = {
    ...text(
      '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-5][0-9]\\.[0-9]{3}Z$',
      'a time like 2026-11-20T12:00:00.000Z',
    ),
    format: 'date-time',
  };
  const count = { type: 'integer', minimum: 1, maximum: quotaMaxOf(document) };
  const reader = createSchemaValidator<KeyLine>(
    {
      type: 'object',
      additionalProperties: false,
      required: ['id', 'tokenSha256', 'name', 'quotaId', 'plan', 'createdAt'],
      properties: {
        id: text('^key_[0-9A-Za-z]+$', 'key_ and letters or digits'),
        tokenSha256: text('^[0-9a-f]{64}$', '64 hexadecimal digits'),
        name: text(keyNamePattern, '1 to 100 characters that are not all blank'),
        quotaId: text('^[a-z]+_[0-9A-Za-z]{1,32}$', 'quota_ and at most 32 letters or digits'),
        plan: { type: 'string', enum: Object.keys(document['x-rate-limit-plans']) },
        requestsPerMinute: count,
        requestsPerDay: count,
        createdAt: time,
        expiresAt: time,
        revokedAt: time,
        rotatedAt: time,
        lastUsedAt: time,
      },
    },
    { bytesMax, valuesMax: Infinity },
  );
  return { bytesMax, read: (line) => parseKeyLine(reader.read(line)) };
}

function parseKeyLine(line: KeyLine): StoredKey {
  const { id, tokenSha256, name, quotaId, plan, requestsPerMinute, requestsPerDay } = line;
  const limits = toLimits(requestsPerMinute, requestsPerDay);
  if (limits === undefined && (requestsPerMinute ?? requestsPerDay) !== undefined)
    throw new InvalidLineError('Fields requestsPerMinute and requestsPerDay must be set together.');
  const key = {
    id,
    name,
    quota: { id: quotaId, plan, limits },
    createdAt: Date.parse(line.createdAt),
    expiresAt: parseTime(line.expiresAt),
    revokedAt: parseTime(line.revokedAt),
    rotatedAt: parseTime(line.rotatedAt),
    lastUsedAt: parseTime(line.lastUsedAt),
  };
  return { key, tokenHash: Buffer.from(tokenSha256, 'hex') };
}

function isoTimeOf(instant: number | undefined): string | undefined {
  return instant === undefined ? undefined : isoTime(instant);
}

function parseTime(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}
