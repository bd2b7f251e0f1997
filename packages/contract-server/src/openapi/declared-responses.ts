import type { OpenAPIV3 } from 'openapi-types';
import { type ContractDocument, requireOperation } from './document.js';
import { isJson, mediaTypeOf } from './media-types.js';
import { resolve } from './operations.js';

/** What a handler returns, with any body. */
export interface HandlerResponse {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly mediaType?: string;
}

/** A response that an operation declares. */
export interface DeclaredResponse {
  /** By name in lower case. */
  readonly headers: ReadonlyMap<string, OpenAPIV3.HeaderObject>;
  /** By media type in lower case, without parameters; empty for a response without a body. */
  readonly content: ReadonlyMap<string, OpenAPIV3.MediaTypeObject>;
  /** The media type of a body for which the handler names none: the first one that is JSON. */
  readonly jsonType: string | undefined;
}

/**
 * Returns the response that an operation declares for a status: its own, that of its range (`2XX`), or `default`.
 *
 * @throws TypeError if the contract has no such operation.
 */
export function declaredResponses(document: ContractDocument, id: string) {
  const { responses } = requireOperation(document, id).operation;
  const found = new Map<number, DeclaredResponse | undefined>();
  return (status: number): DeclaredResponse | undefined => {
    if (!found.has(status)) {
      const node = responses[status] ?? responses[rangeOf(status)] ?? responses['default'];
      found.set(status, node && declarationOf(document, resolve<OpenAPIV3.ResponseObject>(document, node)));
    }
    return found.get(status);
  };
}

/** The range of a status, such as `2XX`. */
export function rangeOf(status: number): string {
  return `${String(status).charAt(0)}XX`;
}

/** The range of every media type allows `application/json` too. */
function jsonTypeOf(content: Readonly<Record<string, OpenAPIV3.MediaTypeObject>>): string | undefined {
  const types = Object.keys(content)
    .map(mediaTypeOf)
    .filter((type) => !type.includes('*') || type === '*/*');
  const found = types.find(isJson) ?? types.find((type) => type === '*/*');
  return found === '*/*' ? 'application/json' : found;
}

function declarationOf(document: object, { headers = {}, content = {} }: OpenAPIV3.ResponseObject): DeclaredResponse {
  const resolved = Object.entries(headers).map(
    ([name, header]) => [name.toLowerCase(), resolve<OpenAPIV3.HeaderObject>(document, header)] as const,
  );
  const media = Object.entries(content).map(([type, each]) => [mediaTypeOf(type), each] as const);
  return { headers: new Map(resolved), content: new Map(media), jsonType: jsonTypeOf(content) };
}
