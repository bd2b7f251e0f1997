import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Clock } from 'contract-server';
import { ApiError, type HandlerContext } from '../contract.js';
import {
  expiredKeysMax,
  type IdempotentRequest,
  type IdempotentResult,
  type NewPet,
  type PetStore,
} from './pet-store.js';

/** Maximum number of transactions per call of `deleteExpiredKeys`: a shutdown waits for them. */
const deletionsMax = 20;

/**
 * Creates pets. Clients can safely retry requests with an `Idempotency-Key` (IETF
 * draft-ietf-httpapi-idempotency-key-header-07). Keys are scoped to a quota, which an API key and its successors share.
 *
 * Concurrent requests with the same key are detected within this process; between processes, the database serializes
 * them.
 */
export class IdempotentCreation {
  private readonly inFlight = new Set<string>();

  constructor(
    private readonly pets: PetStore,
    private readonly retentionMs: number,
    private readonly clock: Clock,
  ) {}

  /**
   * @param idempotencyKey the value of the header.
   * @throws ApiError `idempotency_key_reused` if the key was used with another body, `idempotency_key_in_flight` while
   * the first request is in progress.
   * @throws TypeError for a key without a quota: the keys of all such requests would have the same scope.
   */
  async create(
    pet: NewPet,
    idempotencyKey: string | undefined,
    { quotaId, bodyBytes }: Pick<HandlerContext<'createPet'>, 'quotaId' | 'bodyBytes'>,
  ): Promise<IdempotentResult> {
    if (idempotencyKey === undefined) return { kind: 'created', id: await this.pets.insert(pet) };
    if (quotaId === undefined) throw new TypeError('A request with an Idempotency-Key has no quota.');
    const receivedAt = this.clock();
    const bodyDigest = createHash('sha256').update(bodyBytes).digest();
    const expiresAt = receivedAt + this.retentionMs;
    const request = { quotaId, key: unquote(idempotencyKey), bodyDigest, receivedAt, expiresAt };
    const result = (await this.pets.findReplay(request)) ?? (await this.insertOnce(pet, request));
    if (result.kind === 'other body') {
      throw new ApiError(
        'idempotency_key_reused',
        'This Idempotency-Key was already used with a different body. Repeat the original body, or use a new key.',
      );
    }
    return result;
  }

  private async insertOnce(pet: NewPet, request: IdempotentRequest): Promise<IdempotentResult> {
    const name = `${request.quotaId} ${request.key}`;
    if (this.inFlight.has(name)) {
      throw new ApiError(
        'idempotency_key_in_flight',
        'A request with this Idempotency-Key is in progress. Retry after 1 s.',
        { headers: { 'Retry-After': '1' } },
      );
    }
    this.inFlight.add(name);
    try {
      return await this.pets.insertOnce(pet, request);
    } finally {
      this.inFlight.delete(name);
    }
  }
}

/** Deletes expired keys, in at most `deletionsMax` transactions. There may be more. */
export async function deleteExpiredKeys(pets: PetStore, now: number): Promise<void> {
  for (let run = 0; run < deletionsMax; run += 1) {
    if ((await pets.deleteExpiredKeys(now)) < expiredKeysMax) return;
    // Lets pending requests run.
    await setImmediate();
  }
}

/** The key in a header: bare text, or a quoted String with escapes (RFC 8941, section 3.3.3). */
function unquote(text: string): string {
  return text.startsWith('"') ? text.slice(1, -1).replace(/\\(.)/g, '$1') : text;
}
