import { operations, parametersOf } from '../../support/contract/contract-requests.js';
import type { BackendResult, TriedRequest } from './both-backends.js';

type Kind = BackendResult['kind'];
type Handled = Extract<BackendResult, { kind: 'handled' }>;

/** An intended difference from openapi-backend. */
export interface Deviation {
  readonly name: string;
  readonly reason: string;
  /** A request that shows the difference. */
  readonly example: TriedRequest;
  /** Whether the difference can affect a request. */
  readonly concerns: (request: TriedRequest) => boolean;
  /** The results of the two backends; `undefined` for any. */
  readonly ours?: Kind;
  readonly theirs?: Kind;
  /** If both call the handler: converts the values of openapi-backend to those that ours must receive. */
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
/** A parameter of an operation, by its name in lower case if it is a header. */
export function parameterOf(id: string, place: string, name: string) {
  const entry = operations.find(({ operation }) => operation.operationId === id);
  const parameters = entry === undefined ? [] : parametersOf(entry);
  return parameters.find(
    (parameter) =>
      parameter.in === place && (place === 'header' ? parameter.name.toLowerCase() : parameter.name) === name,
  );
}
/** The texts in place of integers: in the path, in the query, and in the body. */
export const numbersOf = (request: TriedRequest) => [
  decoded(pathOf(request).split('/').at(-1) ?? ''),
  ...queryOf(request)
    .split('&')
    .map((pair) => decoded(pair.slice(pair.indexOf('=') + 1).replaceAll('+', ' '))),
  ...(bodyOf(request).match(/-?[0-9][0-9.eE+-]*/g) ?? []),
];
