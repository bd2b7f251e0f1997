import {
  type DeclaredMedia,
  type DeclaredResponse,
  declaredResponses,
  findMedia,
  type HandlerResponse,
} from '../contract/declared-responses.js';
import type { ContractDocument } from '../contract/document.js';
import { isJson, isText } from '../contract/media-types.js';
import type { Schema } from '../contract/schema-document.js';
import { parseJson } from '../json/exact-json.js';
import { createAjv } from '../schema/create-ajv.js';
import { isMessage, responseBodySchema } from '../schema/omitted-members.js';
import { allowsType, findTextParser } from '../schema/parse-text.js';
import { describeResponseErrors } from '../schema/validation-messages.js';
import type { Validator } from '../schema/validator.js';

/** A response as it is sent, without the headers that the server adds. */
interface WrittenResponse extends HandlerResponse {
  readonly body?: string | Uint8Array;
}

/** Headers that the server adds, so that handlers need not return them. */
const serverHeaders =
  /^(?:access-control-.*|cache-control|connection|content-.*|date|deprecation|link|.*ratelimit.*|sunset|vary|x-request-id)$/;

/** Validates the responses of handlers against the contract. */
export class ResponseValidator {
  private readonly ajv: ReturnType<typeof createAjv>;
  private readonly validators = new Map<DeclaredMedia | DeclaredResponse, Validator>();

  constructor(private readonly document: ContractDocument) {
    this.ajv = createAjv(document, 'response');
  }

  /**
   * Returns a function that validates the responses of an operation.
   *
   * @throws Error with the operation, the status, the JSON pointer and the rule, but without values of the response.
   */
  for(id: string): (response: WrittenResponse) => void {
    const declared = declaredResponses(this.document, id);
    return (response) => {
      const { status } = response;
      const violations = this.findViolations(declared(status), response);
      if (violations !== undefined)
        throw new Error(`The response ${String(status)} of ${id} does not conform to the contract: ${violations}`);
    };
  }

  private findViolations(declared: DeclaredResponse | undefined, response: WrittenResponse): string | undefined {
    if (declared === undefined) return 'the status is not declared.';
    const type = response.mediaType ?? declared.defaultType ?? '';
    const found = findMedia(declared.content, type);
    const undeclared = findUndeclared(declared, response, found);
    if (undeclared !== undefined) return undeclared;
    const values: { headers: object; body?: unknown } = { headers: this.parseHeaders(declared, response.headers) };
    try {
      if (response.body !== undefined) values.body = this.valueOf(response.body, type, found?.media.schema);
    } catch (error) {
      return `the body is not valid JSON: ${(error as Error).message}`;
    }
    const validate = this.validatorOf(declared, found);
    return validate(values) ? undefined : describeResponseErrors(validate.errors ?? []);
  }

  private parseHeaders({ headers }: DeclaredResponse, sent: HandlerResponse['headers'] = {}): object {
    const parsed = Object.entries(sent).map(([sentName, value]): [string, unknown] => {
      const name = sentName.toLowerCase();
      const schema = headers.get(name)?.schema as Schema | undefined;
      const parse = findTextParser(this.document, schema) ?? String;
      const isArray = allowsType('array', this.document, schema);
      // Each cookie is a header of its own, and may contain a comma.
      if (name === 'set-cookie') return [name, isArray ? [[value].flat().map(parse)] : [value].flat().map(parse)];
      const text = [value].flat().join(', ');
      return [name, isArray ? text.split(/ *, */).map(parse) : parse(text)];
    });
    return Object.fromEntries(parsed);
  }

  /** `undefined` for what is not validated: the schema of XML, for example, does not describe its text. */
  private valueOf(body: string | Uint8Array, type: string, schema: object | undefined): unknown {
    if (isJson(type)) return parseJson(Buffer.from(body));
    const isDescribed = isText(type) && allowsType('string', this.document, schema as Schema | undefined);
    return isDescribed ? Buffer.from(body).toString() : undefined;
  }

  private validatorOf(declared: DeclaredResponse, found: DeclaredMedia | undefined): Validator {
    const key = found ?? declared;
    const validate = this.validators.get(key) ?? this.ajv.compile(schemaOf(this.document, declared, found));
    this.validators.set(key, validate);
    return validate;
  }
}

function findUndeclared(
  { headers, content }: DeclaredResponse,
  { headers: sent = {}, body, mediaType = '' }: WrittenResponse,
  found: DeclaredMedia | undefined,
): string | undefined {
  // OpenAPI declares the media type elsewhere (OpenAPI 3.0.4, section 4.7.16.1).
  const names = Object.keys(sent).filter((name) => name.toLowerCase() !== 'content-type');
  const header = names.find((name) => !headers.has(name.toLowerCase()));
  if (header !== undefined) return `the header ${header} is not declared.`;
  if (body === undefined) return content.length === 0 ? undefined : 'the body is missing.';
  if (content.length === 0) return 'a body is not declared.';
  if (found !== undefined) return undefined;
  return `the media type ${mediaType} is not declared, but ${content.map(({ name }) => name).join(', ')}.`;
}

function schemaOf(document: ContractDocument, { headers }: DeclaredResponse, found: DeclaredMedia | undefined): object {
  const all = [...headers].filter(([name]) => name !== 'content-type');
  const required = all.filter(([name, header]) => header.required === true && !serverHeaders.test(name));
  // A response may have several cookies.
  const schemas = all.map(([name, { schema = {} }]): [string, object] => {
    return [name, name === 'set-cookie' ? { items: schema } : schema];
  });
  const properties = Object.fromEntries(schemas);
  return {
    [isMessage]: true,
    properties: {
      headers: { [isMessage]: true, required: required.map(([name]) => name), properties },
      body: responseBodySchema(document, found?.media.schema),
    },
  };
}
