import type { OpenAPIV3 } from 'openapi-types';
import { declaredMediaOf, findMedia } from '../contract/declared-responses.js';
import type { ContractDocument } from '../contract/document.js';
import { isJson, isText } from '../contract/media-types.js';
import { resolve } from '../contract/operations.js';
import type { Schema } from '../contract/schema-document.js';
import { parseJson } from '../json/exact-json.js';
import { createAjv } from '../schema/create-ajv.js';
import { responseBodySchema } from '../schema/omitted-members.js';
import { allowsType, findTextParser } from '../schema/parse-text.js';
import type { Validator } from '../schema/validator.js';
import { describeSchemaError } from './describe-schema-error.js';

/** A response as it was received. */
export interface ReceivedResponse {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body; '' without one. */
  readonly text: string;
}

/** What is wrong with a received response, in one line each. */
export class ResponseViolations {
  private readonly ajv: ReturnType<typeof createAjv>;
  private readonly validators = new Map<object, Validator>();

  constructor(private readonly document: ContractDocument) {
    this.ajv = createAjv(document, 'response');
  }

  /** Validates the media type and the body. @param method HEAD has no body. */
  ofBody(method: string, { content }: OpenAPIV3.ResponseObject, { status, headers, text }: ReceivedResponse): string[] {
    const bodyless = bodylessReason(method, status, content);
    if (bodyless !== undefined) return text === '' ? [] : [`body must be empty: ${bodyless}`];
    const declared = Object.keys(content ?? {}).join(', ');
    const received = headers['content-type'];
    if (typeof received !== 'string') return [`header content-type is missing; declared: ${declared}`];
    const found = findMedia(declaredMediaOf(content), received);
    if (found === undefined) return [`header content-type ${received} is not declared, but ${declared}`];
    const { media } = found;
    if (isJson(received)) return this.ofJson('body', responseBodySchema(this.document, media.schema), text);
    const isDescribed = isText(received) && allowsString(this.document, media.schema);
    return isDescribed ? this.ofValue('body', media.schema, text) : [];
  }

  /** Validates the headers. @param exempt the names of those that need not be declared, in lower case. */
  ofHeaders(
    response: Pick<OpenAPIV3.ResponseObject, 'headers'>,
    headers: ReceivedResponse['headers'],
    exempt: readonly string[],
  ): string[] {
    const declared = Object.entries(response.headers ?? {})
      .map(([name, header]) => [name.toLowerCase(), resolve<OpenAPIV3.HeaderObject>(this.document, header)] as const)
      // OpenAPI describes it elsewhere, and ignores it here (OpenAPI 3.0.4, section 4.7.16.1).
      .filter(([name]) => name !== 'content-type');
    const names = new Set([...exempt, 'content-type', ...declared.map(([name]) => name)]);
    const undeclared = Object.keys(headers).filter((name) => headers[name] !== undefined && !names.has(name));
    return [
      ...undeclared.map((name) => `header ${name} is not declared`),
      ...declared.flatMap(([name, header]) => this.ofHeader(name, header, headers[name])),
    ];
  }

  private ofHeader(name: string, header: OpenAPIV3.HeaderObject, received: string | readonly string[] | undefined) {
    if (received === undefined) return header.required === true ? [`header ${name} is missing`] : [];
    const [media] = Object.entries(header.content ?? {});
    const values = [received].flat();
    if (media !== undefined && isJson(media[0]))
      return values.flatMap((text) => this.ofJson(`header ${name}`, media[1].schema, text));
    const { schema = {} } = header;
    const read = findTextParser(this.document, schema as Schema) ?? String;
    const isArray = allowsType('array', this.document, schema as Schema);
    const items = values.flatMap((text) => splitHeader(name, text).map((item) => read(item.trim())));
    return (isArray ? [items] : values.map(read)).flatMap((value) => this.ofValue(`header ${name}`, schema, value));
  }

  private ofJson(place: string, schema: object | undefined, text: string): string[] {
    const parsed = parse(text);
    return 'error' in parsed ? [`${place} is not JSON: ${parsed.error}`] : this.ofValue(place, schema, parsed.value);
  }

  private ofValue(place: string, schema: object | undefined, value: unknown): string[] {
    if (schema === undefined) return [];
    const validate = this.validators.get(schema) ?? this.ajv.compile(schema);
    this.validators.set(schema, validate);
    return validate(value) ? [] : (validate.errors ?? []).map((error) => describeSchemaError(place, error));
  }
}

/** The members of a list. Each cookie is a header of its own, and may contain a comma. */
function splitHeader(name: string, text: string): string[] {
  return name === 'set-cookie' ? [text] : text.split(',');
}

/** Why a response has no body; `undefined` if it has one (RFC 9110, section 6.4.1). */
function bodylessReason(method: string, status: number, content: Content | undefined): string | undefined {
  if (method === 'HEAD') return 'the method is HEAD';
  if (status === 204 || status === 304) return `the status is ${String(status)}`;
  return Object.keys(content ?? {}).length === 0 ? 'the contract declares no content' : undefined;
}

type Content = Readonly<Record<string, OpenAPIV3.MediaTypeObject>>;

function allowsString(document: object, schema: object | undefined): boolean {
  const { type } = resolve<{ readonly type?: unknown }>(document, schema ?? {});
  return [type].flat().includes('string');
}

function parse(text: string): { readonly value: unknown } | { readonly error: string } {
  try {
    return { value: parseJson(Buffer.from(text)) };
  } catch (error) {
    return { error: (error as Error).message };
  }
}
