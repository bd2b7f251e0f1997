import type { RateLimitClient } from '../rate-limit-store.js';

/** Every key of ours begins so. */
const prefix = 'petstore:';

/** The one key under which a subject is counted. */
export function redisKey({ kind, id }: Pick<RateLimitClient, 'kind' | 'id'>): string {
  return `${prefix}${kind}:${id}`;
}

/** The key of the notice that every node polls. */
export const noticeKey = `${prefix}notice`;

/** How often every node polls it, in milliseconds. */
export const noticeIntervalMs = 250;
