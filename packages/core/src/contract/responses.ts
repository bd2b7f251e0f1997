import type { OpenAPIV3 } from 'openapi-types';
import { describedMedia } from './item-schema.js';
import { resolve } from './json-pointer.js';
import { findRange, isJson, type MediaRange, mediaRangeOf, typeOfJson } from './media-types.js';

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
  /** Empty for a response without a body. */
  readonly content: readonly DeclaredMedia[];
  /** The media type of a body for which the handler names none: the first one that is JSON, or the only one. */
  readonly defaultType: string | undefined;
  /** As the document has it: its description, its links. */
  readonly declaration: OpenAPIV3.ResponseObject;
}

/** Whether a response has no content, whatever is declared for it (RFC 9110, section 6.4.1). */
export function hasNoContent(method: string | undefined, status: number): boolean {
  return method === 'HEAD' || status === 204 || status === 304;
}

/** What a response declares for a media type or a range of them. */
export interface DeclaredMedia extends MediaRange {
  readonly media: OpenAPIV3.MediaTypeObject;
}

/** The responses that an operation declares. */
export class Responses {
  /** By status, by range such as `2XX`, or `default`. */
  readonly declared: ReadonlyMap<string, DeclaredResponse>;
  private readonly found = new Map<number, DeclaredResponse | undefined>();

  constructor(document: object, responses: OpenAPIV3.ResponsesObject = {}) {
    const entries = Object.entries(responses).filter(([status]) => !status.startsWith('x-'));
    this.declared = new Map(
      entries.map(([status, node]) => [
        status,
        declarationOf(document, resolve<OpenAPIV3.ResponseObject>(document, node)),
      ]),
    );
  }

  /** Whether a success or a redirect is declared, or `default` alone. Otherwise, the operation is reserved. */
  get haveSuccess(): boolean {
    const statuses = [...this.declared.keys()].filter((name) => name !== 'default');
    return statuses.length === 0 || statuses.some((name) => /^[23]/.test(name));
  }

  /** The name under which a status is declared: its own, its range or `default`. */
  nameOf(status: number): string | undefined {
    return [String(status), rangeOf(status), 'default'].find((name) => this.declared.has(name));
  }

  find(status: number): DeclaredResponse | undefined {
    if (!this.found.has(status)) this.found.set(status, this.declared.get(this.nameOf(status) ?? ''));
    return this.found.get(status);
  }
}

/** The range of a status, such as `2XX`. */
export function rangeOf(status: number): string {
  return `${String(status).charAt(0)}XX`;
}

/** What a content declares for a media type, by the most specific range that contains it. */
export function findMedia(content: readonly DeclaredMedia[], mediaType: string): DeclaredMedia | undefined {
  return content.find(({ name }) => name === mediaType) ?? findRange(content, mediaType);
}

function declaredMediaOf(
  document: object,
  content: OpenAPIV3.ResponseObject['content'] = {},
): readonly DeclaredMedia[] {
  return Object.entries(content).map(([name, media]) => ({
    ...mediaRangeOf(name),
    media: describedMedia(document, name, media),
  }));
}

/** A range of every media type allows `application/json` too. */
function defaultTypeOf(content: readonly DeclaredMedia[]): string | undefined {
  const exact = content.filter(({ mediaType }) => !mediaType.includes('*')).map(({ name }) => name);
  const hasAny = content.some(({ mediaType }) => mediaType === '*/*' || mediaType === 'application/*');
  const json = exact.find(isJson);
  if (json !== undefined) return typeOfJson(json);
  return hasAny ? 'application/json' : content.length === 1 ? exact[0] : undefined;
}

function declarationOf(document: object, declaration: OpenAPIV3.ResponseObject): DeclaredResponse {
  const { headers = {}, content } = declaration;
  const resolved = Object.entries(headers).map(
    ([name, header]) => [name.toLowerCase(), resolve<OpenAPIV3.HeaderObject>(document, header)] as const,
  );
  const media = declaredMediaOf(document, content);
  return { headers: new Map(resolved), content: media, defaultType: defaultTypeOf(media), declaration };
}
