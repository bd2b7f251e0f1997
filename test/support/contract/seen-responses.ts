/** The place of responses that `x-service-responses` declares. */
export const noOperation = 'no operation';
/** The place of responses that `x-document-responses` declares. */
export const documents = 'documents';

/** How often a response was received, and how often each of its headers, by the name in lower case. */
export interface SeenResponse {
  times: number;
  readonly headers: Map<string, number>;
}

/** The responses of the server that conform to the contract, in the current test run. */
export interface SeenResponses {
  /** By place and status: `getPet 404`. */
  readonly responses: ReadonlyMap<string, SeenResponse>;
  /** How often each error code was received. */
  readonly codes: ReadonlyMap<string, number>;
}

const responses = new Map<string, SeenResponse>();
const codes = new Map<string, number>();

export const seenResponses: SeenResponses = { responses, codes };

/**
 * Records a response that conforms to the contract.
 *
 * @param place the operationId, `noOperation` or `documents`.
 */
export function recordResponse(
  place: string,
  { status, headers }: { readonly status: number; readonly headers: Readonly<Record<string, string>> },
  code: string | undefined,
): void {
  if (code !== undefined) count(codes, code);
  const name = `${place} ${String(status)}`;
  const seen = responses.get(name) ?? { times: 0, headers: new Map<string, number>() };
  responses.set(name, seen);
  seen.times += 1;
  for (const header of Object.keys(headers)) count(seen.headers, header);
}

function count(times: Map<string, number>, name: string): void {
  times.set(name, (times.get(name) ?? 0) + 1);
}
