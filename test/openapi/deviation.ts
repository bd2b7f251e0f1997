import type { TriedRequest, Verdict } from './both-backends.js';

type Kind = Verdict['kind'];
type Handled = Extract<Verdict, { kind: 'handled' }>;

/** Something that we decide otherwise than openapi-backend does, on purpose. */
export interface Deviation {
  readonly name: string;
  readonly reason: string;
  /** Shows the difference. */
  readonly example: TriedRequest;
  /** Whether a request has what the difference is about. */
  readonly concerns: (request: TriedRequest) => boolean;
  /** What we decide and what they decide; `undefined` for anything. */
  readonly ours?: Kind;
  readonly theirs?: Kind;
  /** Where both run the handler: turns the values that theirs received into those that ours must have. */
  readonly reconcile?: (theirs: Handled) => Handled;
}

export const get = (target: string): TriedRequest => ({ method: 'GET', target });
export const post = (body: string | Buffer): TriedRequest => ({ method: 'POST', target: '/v1/pets', body });

export const pathOf = ({ target }: TriedRequest) => target.split('?', 1)[0] ?? '';
export const queryOf = ({ target }: TriedRequest) => target.slice(pathOf({ method: '', target }).length + 1);
export const bodyOf = ({ body = '' }: TriedRequest) => body.toString();
export const isDecodable = (text: string) => {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
};
const decoded = (text: string) => (isDecodable(text) ? decodeURIComponent(text) : text);
export const namesOf = (request: TriedRequest) =>
  queryOf(request)
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => decoded(pair.split('=', 1)[0] ?? ''));
/** The texts that stand where an integer is expected: in the path, as `limit`, and in the body. */
export const numbersOf = (request: TriedRequest) => [
  decoded(pathOf(request).split('/').at(-1) ?? ''),
  ...queryOf(request)
    .split('&')
    .map((pair) => decoded(pair.slice(pair.indexOf('=') + 1).replaceAll('+', ' '))),
  ...(bodyOf(request).match(/-?[0-9][0-9.eE+-]*/g) ?? []),
];
