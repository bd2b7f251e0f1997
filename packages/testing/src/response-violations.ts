import { type DeclaredResponse, findMedia, hasNoContent } from '@contract-server/core/contract/responses.js';
import type { Schemas } from '@contract-server/core/contract/schemas.js';
import { ResponseValues } from '@contract-server/core/responses/response-values.js';
import type { ErrorObject } from 'ajv';
import type { OpenAPIV3 } from 'openapi-types';
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
  private readonly values: ResponseValues;

  constructor(schemas: Schemas) {
    this.values = new ResponseValues(schemas);
  }

  /** Validates the media type and the body. @param method HEAD has no body. */
  ofBody(method: string, { content }: DeclaredResponse, { status, headers, text }: ReceivedResponse): string[] {
    const bodyless = bodylessReason(method, status, content);
    if (bodyless !== undefined) return text === '' ? [] : [`body must be empty: ${bodyless}`];
    const declared = content.map(({ name }) => name).join(', ');
    const received = headers['content-type'];
    if (typeof received !== 'string') return [`header content-type is missing; declared: ${declared}`];
    const found = findMedia(content, received);
    if (found === undefined) return [`header content-type ${received} is not declared, but ${declared}`];
    return describe('body', () => this.values.errorsOfBody(found, received, text));
  }

  /** Validates the headers. @param exempt those that need not be declared, in lower case: `date`, `x-*`. */
  ofHeaders(
    response: Pick<DeclaredResponse, 'headers'>,
    headers: ReceivedResponse['headers'],
    exempt: readonly string[],
  ): string[] {
    // OpenAPI describes the media type elsewhere, and ignores it here (OpenAPI 3.0.4, section 4.7.16.1).
    const declared = [...response.headers].filter(([name]) => name !== 'content-type');
    const names = new Set([...exempt, 'content-type', ...declared.map(([name]) => name)]);
    const prefixes = exempt.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));
    const isExempt = (name: string) => names.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
    const undeclared = Object.keys(headers).filter((name) => headers[name] !== undefined && !isExempt(name));
    return [
      ...undeclared.map((name) => `header ${name} is not declared`),
      ...declared.flatMap(([name, header]) => this.ofHeader(name, header, headers[name])),
    ];
  }

  private ofHeader(name: string, header: OpenAPIV3.HeaderObject, received: string | readonly string[] | undefined) {
    if (received === undefined) return header.required === true ? [`header ${name} is missing`] : [];
    return describe(`header ${name}`, () => this.values.errorsOfHeader(name, header, received));
  }
}

/** Describes the errors of a part of a response, which may not be JSON. */
function describe(place: string, validate: () => readonly ErrorObject[]): string[] {
  try {
    return validate().map((error) => describeSchemaError(place, error));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return [`${place} is not JSON: ${error.message}`];
  }
}

/** Why a response has no body; `undefined` if it has one (RFC 9110, section 6.4.1). */
function bodylessReason(method: string, status: number, content: DeclaredResponse['content']): string | undefined {
  if (hasNoContent(method, status)) return method === 'HEAD' ? 'the method is HEAD' : `the status is ${String(status)}`;
  return content.length === 0 ? 'the contract declares no content' : undefined;
}
