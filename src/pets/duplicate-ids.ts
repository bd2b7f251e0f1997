/** At most this many ids are named. */
const namedMax = 10;

/** Animals cannot keep their ids, because others have them, or because they were given twice. Nothing was changed. */
export class TakenIds extends Error {
  override readonly name = 'TakenIds';

  /** @param ids in ascending order. */
  constructor(
    readonly ids: readonly number[],
    cause: unknown,
  ) {
    const named = ids.slice(0, namedMax).join(', ');
    const more = ids.length > namedMax ? ` and ${String(ids.length - namedMax)} more` : '';
    super(`These ids are taken, or were given twice: ${named}${more}. Nothing was imported.`, { cause });
  }
}
