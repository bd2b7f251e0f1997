import type { Subject } from '../../domain/limit-store.js';

/** Every key of ours begins so. */
const prefix = 'petstore:';

/** The one key under which a subject is counted. */
export function limitKey({ kind, id }: Pick<Subject, 'kind' | 'id'>): string {
  return `${prefix}${kind}:${id}`;
}

/** Under which nobody is counted, to find out whether anybody could be. */
export const probeKey = `${prefix}probe`;
