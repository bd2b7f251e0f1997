/** What stands for the operation of an answer that belongs to none: `x-service-responses`. */
export const noOperation = 'no operation';

/** How often an answer was seen, and how often each of its headers, by the name in lower case. */
export interface SeenResponse {
  times: number;
  readonly headers: Map<string, number>;
}

/** What the server of this run has really answered, and the contract was found to declare. */
export interface SeenResponses {
  /** By the operation and the status, `getPet 404`. */
  readonly answers: ReadonlyMap<string, SeenResponse>;
  /** How often each error code. */
  readonly codes: ReadonlyMap<string, number>;
}

const answers = new Map<string, SeenResponse>();
const codes = new Map<string, number>();

export const seenResponses: SeenResponses = { answers, codes };

/**
 * Notes an answer that conforms to the contract.
 *
 * @param place the operation, or `noOperation`; `undefined` outside the path prefix, where only the code belongs to the
 * contract.
 */
export function recordResponse(
  place: string | undefined,
  { status, headers }: { readonly status: number; readonly headers: Readonly<Record<string, string>> },
  code: string | undefined,
): void {
  if (code !== undefined) count(codes, code);
  if (place === undefined) return;
  const name = `${place} ${String(status)}`;
  const seen = answers.get(name) ?? { times: 0, headers: new Map<string, number>() };
  answers.set(name, seen);
  seen.times += 1;
  for (const header of Object.keys(headers)) count(seen.headers, header);
}

function count(times: Map<string, number>, name: string): void {
  times.set(name, (times.get(name) ?? 0) + 1);
}
