import { createHash } from 'node:crypto';
import type { Clock } from '../lib/clock.js';
import { ApiError } from '../openapi/api-error.js';
import type { RequestSource } from '../openapi/types.js';
import type { NewPet } from './pet.js';
import type { IdempotentRequest, IdempotentResult, PetStore } from './pet-store.js';

/** When a client may ask again about a request that is still being answered, in seconds. */
const retryAfterSeconds = 1;

export interface CreatedPet {
  readonly id: number;
  /** Whether an earlier request of the same key created the animal. */
  readonly isReplayed: boolean;
}

/**
 * Adds animals. A client that sends an `Idempotency-Key` may send its request again until it has an answer, and adds
 * one animal (IETF draft-ietf-httpapi-idempotency-key-header-07). Keys of different budgets never meet; those of a key
 * and its successors do.
 *
 * What is in flight is known to this process alone and vanishes with it. A request that meets one in another process
 * waits in the store, where one of them creates the animal and the other is told of it.
 */
export class IdempotentCreation {
  private readonly inFlight = new Set<string>();

  constructor(
    private readonly pets: PetStore,
    private readonly retentionMs: number,
    private readonly clock: Clock,
  ) {}

  /**
   * @param idempotencyKey is the header as sent, if it was.
   * @throws ApiError `idempotency_key_reused` if the key stands for a request with another body,
   * `idempotency_key_in_flight` while it stands for one that is being answered, whose outcome nobody knows yet.
   */
  create(pet: NewPet, idempotencyKey: string | undefined, origin: RequestSource): Promise<CreatedPet> {
    return idempotencyKey === undefined
      ? this.pets.insert(pet).then((id) => ({ id, isReplayed: false }))
      : this.createOnce(pet, idempotencyKey, origin);
  }

  private async createOnce(
    pet: NewPet,
    idempotencyKey: string,
    { quotaId, bodyBytes }: RequestSource,
  ): Promise<CreatedPet> {
    const sentAt = this.clock();
    const bodyDigest = createHash('sha256').update(bodyBytes).digest();
    const request = {
      quotaId,
      key: unquote(idempotencyKey),
      bodyDigest,
      sentAt,
      expiresAt: sentAt + this.retentionMs,
    };
    const { kind, id } = (await this.pets.findReplay(request)) ?? (await this.insertOnce(pet, request));
    if (kind === 'other body') {
      throw new ApiError(
        'idempotency_key_reused',
        'This Idempotency-Key was sent before with another body. Send that body again, or this one with a key of its own.',
      );
    }
    return { id, isReplayed: kind === 'replayed' };
  }

  private async insertOnce(pet: NewPet, request: IdempotentRequest): Promise<IdempotentResult> {
    // Neither part has a blank in it.
    const name = `${request.quotaId} ${request.key}`;
    if (this.inFlight.has(name)) {
      throw new ApiError(
        'idempotency_key_in_flight',
        `A request with this Idempotency-Key is still being answered. Retry after ${String(retryAfterSeconds)} s.`,
        { headers: { 'Retry-After': String(retryAfterSeconds) } },
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

/** The key that a header holds: bare text, or a String with its quotes and escapes (RFC 8941, section 3.3.3). */
function unquote(text: string): string {
  return text.startsWith('"') ? text.slice(1, -1).replace(/\\(.)/g, '$1') : text;
}
