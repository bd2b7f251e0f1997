import Negotiator from 'negotiator';
import type { Operation } from '../contract/contract.js';
import { isJson, isText, mediaTypeOf } from '../contract/media-types.js';
import type { Responses } from '../contract/responses.js';
import { ApiError } from '../lib/errors.js';

/** Each range of a longer header is compared with each media type. A server may ignore it (RFC 9110). */
const acceptLengthMax = 1000;

/** The choice among the media types of an operation by the `Accept` of a request (RFC 9110, section 12.5.1). */
export class Negotiation {
  /** Whether a request that accepts no media type of a success is a 406, whatever the handler chooses from. */
  readonly isRequired: boolean;
  /**
   * Whether the contract declares 406. One that does not leaves it to the server to send another media type, as RFC
   * 9110 allows.
   */
  private readonly isStrict: boolean;
  /** The media types of successes. */
  private readonly types: readonly string[];

  constructor({ responses }: Pick<Operation, 'responses'>) {
    this.types = successTypesOf(responses);
    const hasRange = this.types.some((type) => type.includes('*'));
    this.isStrict = responses.declared.has('406');
    this.isRequired = this.isStrict && this.types.length > 0 && !hasRange;
  }

  /**
   * The media type that a client prefers; the first one if it accepts none.
   *
   * @param types those to choose from. Default: those of successes.
   * @throws ApiError `not_acceptable` if it accepts none, and the contract declares 406.
   */
  choose(accept: string | undefined, types = this.types): string | undefined {
    const found = findAcceptable(accept, types);
    if (found !== undefined || types.length === 0) return found;
    if (!this.isStrict) return types[0];
    const available = types.map(mediaTypeOf).join(', ');
    throw new ApiError<'not_acceptable'>('not_acceptable', `Accept one of these media types: ${available}.`);
  }
}

/** The declared media type that a client prefers; `undefined` if it accepts none. */
export function findAcceptable(accept: string | undefined, types: readonly string[]): string | undefined {
  // An empty header states no preference.
  if (accept === undefined || accept.trim() === '' || accept.length > acceptLengthMax) return types[0];
  const sent = types.map(withCharset);
  const preferred = new Negotiator({ headers: { accept } }).mediaType(sent);
  return preferred === undefined ? undefined : types[sent.indexOf(preferred)];
}

/** With the charset in which text and JSON are sent, which a client may state. */
function withCharset(type: string): string {
  return (isText(type) || isJson(type)) && !/;\s*charset\s*=/i.test(type) ? `${type};charset=utf-8` : type;
}

function successTypesOf({ declared }: Responses): readonly string[] {
  const successes = [...declared].filter(([status]) => status.startsWith('2'));
  const chosen = successes.length === 0 ? [declared.get('default')] : successes.map(([, response]) => response);
  return [...new Set(chosen.flatMap((response) => response?.content.map(({ name }) => name) ?? []))];
}
