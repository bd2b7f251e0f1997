import type { ValidateFunction } from 'ajv';
import { expect } from 'chai';
import { OpenAPIBackend } from 'openapi-backend';
import type { OpenAPIV3 } from 'openapi-types';
import { parseJson } from '#src/json/exact-json.js';
import { createAjv } from '#src/openapi/create-ajv.js';
import type { ContractDocument } from '#src/openapi/document.js';
import { errorCodesOf } from '#src/openapi/error-codes.js';
import type { Schema } from '#src/openapi/exact-number.js';
import { operationsOf } from '#src/openapi/operations.js';
import { findTextParser } from '#src/openapi/parse-text.js';
import { basePathOf } from '#src/openapi/servers.js';
import type { ReceivedResponse } from '../clients/raw-connection.js';
import { noOperation } from './seen-responses.js';

type Headers = Readonly<Record<string, OpenAPIV3.HeaderObject>>;

/** Headers of HTTP and CORS, which the contract does not declare; docs/decisions.md lists them. */
const transportHeaders = new Set([
  ...['cache-control', 'connection', 'content-length', 'content-type', 'date', 'keep-alive', 'transfer-encoding'],
  ...['vary', 'x-content-type-options'],
]);

/** The headers of every response of a deprecated operation. */
const deprecationNames = ['Deprecation', 'Sunset', 'Link'];

export interface Declared {
  /** `getPet 404`, or `noOperation`; `undefined` if the contract does not cover the response. */
  readonly declared?: string;
  readonly code?: string | undefined;
}

/** Validates responses against a contract, of which every operation has the same `default` response. */
export class Conformance {
  private readonly basePath: string;
  private readonly defaultResponse: OpenAPIV3.ResponseObject;
  private readonly ajv: ReturnType<typeof createAjv>;
  private readonly validators = new Map<object, ValidateFunction>();

  /** @param api openapi-backend with its own router and validator, to check those of the server independently. */
  private constructor(
    private readonly document: ContractDocument,
    private readonly api: OpenAPIBackend,
  ) {
    this.basePath = basePathOf(document);
    // It contains no references.
    const [first] = operationsOf(api.definition as ContractDocument);
    this.defaultResponse = first?.operation.responses['default'] as OpenAPIV3.ResponseObject;
    this.ajv = createAjv(document);
  }

  static async of(document: ContractDocument): Promise<Conformance> {
    const api = new OpenAPIBackend({
      definition: structuredClone(document),
      apiRoot: basePathOf(document),
      strict: true,
      ignoreTrailingSlashes: false,
      ajvOpts: { logger: false },
    });
    return new Conformance(document, await api.init());
  }

  /**
   * Fails unless the contract declares the response of the server: its status, its body, and exactly its headers. The
   * contract does not declare successful responses outside the path prefix.
   */
  check(method: string, target: string, response: ReceivedResponse): Declared {
    const { status, headers } = response;
    const path = target.split('?', 1)[0] ?? '';
    const where = `${method} ${target} returns ${String(status)}`;
    // Browsers must not guess the media type (Fetch standard, "X-Content-Type-Options").
    expect(headers, where).to.include({ 'x-content-type-options': 'nosniff' });
    const isApi = path === this.basePath || path.startsWith(`${this.basePath}/`);
    if (!isApi && status < 400 && status !== 204) return {};
    const { id, own, added } = this.declarationOf(method, path, status);
    if (own === undefined)
      return { declared: noOperation, code: this.assertDefault(where, method, response, isApi, added) };
    const code = this.assertBody(where, method, own, response);
    this.assertHeaders(where, own, response, added);
    return { declared: `${id} ${String(status)}`, code };
  }

  /** The response that an operation declares for a status, and the headers of each of its responses. */
  private declarationOf(method: string, path: string, status: number) {
    const operation = this.api.router.matchOperation({ method: method === 'HEAD' ? 'GET' : method, path, headers: {} });
    const { operationId: id = '', deprecated = false, responses = {} } = operation ?? {};
    const own = responses[String(status)] as OpenAPIV3.ResponseObject | undefined;
    return { id, own, added: deprecated ? deprecationNames : [] };
  }

  /**
   * Validates a response by `default`, which allows any error of `x-error-codes`, and the 204 of OPTIONS. Outside the
   * path prefix, only the limit of documents sends rate-limit headers.
   *
   * @param own the names of further headers that the operation sends.
   */
  private assertDefault(
    where: string,
    method: string,
    response: ReceivedResponse,
    isApi: boolean,
    own: readonly string[],
  ): string | undefined {
    const { status } = response;
    if (status < 400 && !(status === 204 && method === 'OPTIONS'))
      throw new Error(`${where}, which the contract does not declare.`);
    const code = this.assertBody(where, method, status === 204 ? { description: '' } : this.defaultResponse, response);
    const { headers = {} } = this.defaultResponse as { readonly headers?: Headers };
    const sent = Object.entries(headers).filter(([name]) => isApi || !/ratelimit/i.test(name) || status === 429);
    const declared: Record<string, OpenAPIV3.HeaderObject> = Object.fromEntries(sent);
    for (const name of own) declared[name] = { schema: {} };
    const required = { 204: ['Allow'], 405: ['Allow'], 429: ['Retry-After'], 503: ['Retry-After'] }[status] ?? [];
    this.assertHeaders(where, { headers: declared }, response, required);
    return code;
  }

  /** Validates a body. Returns its error code. */
  private assertBody(
    where: string,
    method: string,
    declared: OpenAPIV3.ResponseObject,
    { status, headers, text }: ReceivedResponse,
  ): string | undefined {
    const media = declared.content?.['application/json'];
    if (method === 'HEAD' || media === undefined) {
      expect(text, `${where} with a body`).to.equal('');
      return undefined;
    }
    expect(headers['content-type'], where).to.equal('application/json');
    const body = parseJson(Buffer.from(text));
    this.assertValid(where, media.schema as object, body);
    if (status < 400) return undefined;
    expect(body, where).to.have.all.keys('code', 'message', 'status').and.include({ status });
    const { code } = body as { code: string };
    expect(errorCodesOf(this.document)[code], `${where}: ${code} in x-error-codes`).to.include({ status });
    return code;
  }

  /** Validates the headers. @param required the names of headers that are required here, although they are optional. */
  private assertHeaders(
    where: string,
    response: Pick<OpenAPIV3.ResponseObject, 'headers'>,
    { headers }: ReceivedResponse,
    required: readonly string[],
  ): void {
    const declared = Object.entries((response.headers ?? {}) as Headers);
    for (const name of Object.keys(headers)) {
      const isTransport = transportHeaders.has(name) || name.startsWith('access-control-');
      if (!isTransport && !declared.some(([declaredName]) => declaredName.toLowerCase() === name))
        throw new Error(`${where} with the header ${name}, which the contract does not declare.`);
    }
    for (const [name, header] of declared) {
      const value = headers[name.toLowerCase()];
      if (value !== undefined) this.assertHeader(`${where}: ${name}`, header.schema as Schema, value);
      else if (header.required === true || required.includes(name))
        throw new Error(`${where} without the header ${name}.`);
    }
  }

  private assertHeader(where: string, schema: Schema, text: string): void {
    this.assertValid(where, schema, (findTextParser(this.document, schema) ?? String)(text));
  }

  private assertValid(where: string, schema: object, value: unknown): void {
    const validate = this.validators.get(schema) ?? this.ajv.compile(schema);
    this.validators.set(schema, validate);
    if (!validate(value))
      throw new Error(`${where}, which does not conform to the contract: ${this.ajv.errorsText(validate.errors)}`);
  }
}
