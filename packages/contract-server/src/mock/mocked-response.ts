import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { OpenAPIV3 } from 'openapi-types';
import { requestIdHeader } from '../http/request-context.js';
import { isServerHeader } from '../http/response-headers.js';
import { stringifyJson } from '../json/exact-json.js';
import { int64Max } from '../json/int64.js';
import { ApiError } from '../lib/errors.js';
import type { ContractDocument } from '../openapi/document.js';
import type { Schema } from '../openapi/exact-number.js';
import { isJson } from '../openapi/media-types.js';
import { responseBodySchema } from '../openapi/omitted-members.js';
import { resolve } from '../openapi/operations.js';
import { type FindErrors, findValidSample, type Sample, sampleOf } from './valid-sample.js';
import { sentTypeOf, writeBody } from './write-body.js';

export type Example = OpenAPIV3.ExampleObject & { readonly 'x-headers'?: Readonly<Record<string, string | number>> };

/** Compiles a schema of the contract, to validate values of responses. */
export type Compile = (schema: object) => FindErrors;

/** A body and the value that it contains. */
interface MockedBody {
  readonly value: unknown;
  readonly written: string | Uint8Array;
}

/** Those that the server sends itself, and `Content-Type`, which OpenAPI ignores (3.1.1, section 4.8.17.1). */
function isSentByServer(name: string): boolean {
  const lower = name.toLowerCase();
  return isServerHeader(lower) || lower === 'content-type' || lower === requestIdHeader.toLowerCase();
}

/** A declared response. What takes time is done once, when it is first needed. */
export class MockedResponse {
  /** The media type to send; `undefined` without content. */
  readonly mediaType: string | undefined;
  /** Those with a value, by name. */
  readonly examples: ReadonlyMap<string, Example>;
  private readonly schema: Schema;
  private readonly bodies = new Map<string | undefined, MockedBody | undefined>();
  private compiled: FindErrors | undefined;
  private required: Readonly<Record<string, string>> | undefined;

  constructor(
    private readonly document: ContractDocument,
    /** Names it in messages. */
    private readonly title: string,
    private readonly response: OpenAPIV3.ResponseObject,
    private readonly compile: Compile,
  ) {
    const content = Object.entries(response.content ?? {});
    const [type, media = {}] = content.find(([name]) => isJson(name)) ?? content[0] ?? [];
    this.schema = responseBodySchema(document, media.schema);
    this.mediaType = type && sentTypeOf(document, type, this.schema);
    this.examples = examplesOf(document, media);
  }

  /**
   * The body. Without the name of an example, it is the first valid one, otherwise a sample of the schema. An example
   * that is named is sent as the contract has it.
   *
   * @throws ApiError `not_implemented` if no valid body is found.
   */
  body(example?: string): MockedBody | undefined {
    if (this.mediaType === undefined) return undefined;
    const found = this.findBody(example);
    if (found !== undefined) return found;
    const message = `The mock finds no valid body for ${this.title}. Add an example to the contract.`;
    throw new ApiError('not_implemented', message);
  }

  /** The body likewise; `undefined` if there is none. */
  findBody(example?: string): MockedBody | undefined {
    if (this.mediaType === undefined || this.bodies.has(example)) return this.bodies.get(example);
    const body = this.createBody(this.mediaType, example);
    this.bodies.set(example, body);
    return body;
  }

  /** The items of all valid examples, each once; `undefined` if none is a valid array, or for other types than JSON. */
  items(): readonly unknown[] | undefined {
    if (this.mediaType === undefined || !isJson(this.mediaType)) return undefined;
    const lists = [...this.examples.values()].filter(({ value }) => Array.isArray(value) && this.isValid(value));
    const items = lists.flatMap(({ value }) => value as unknown[]);
    return lists.length === 0 ? undefined : [...new Map(items.map((item) => [stringifyJson(item), item])).values()];
  }

  isValid(value: unknown): boolean {
    return this.findErrors(value).length === 0;
  }

  /**
   * The headers that the response requires, with their examples or samples, and those that the `x-headers` of an
   * example lists.
   */
  headers(example?: string): Record<string, string> {
    const { 'x-headers': listed = {} } = this.examples.get(example ?? [...this.examples.keys()][0] ?? '') ?? {};
    this.required ??= this.requiredHeaders();
    const own = this.declaredHeaders().filter(([name]) => listed[name] !== undefined);
    return { ...this.required, ...Object.fromEntries(own.map(([name]) => [name, String(listed[name])])) };
  }

  private findErrors(value: unknown) {
    this.compiled ??= this.compile(this.schema);
    return this.compiled(value);
  }

  private createBody(type: string, name: string | undefined): MockedBody | undefined {
    const selected = name === undefined ? undefined : this.examples.get(name);
    // The text of an example in another format than JSON is not a value of the schema.
    const isUsable = ({ value }: Example) => (typeof value === 'string' && !isJson(type)) || this.isValid(value);
    const example = selected ?? [...this.examples.values()].find(isUsable);
    const sample: Sample | undefined =
      example === undefined
        ? findValidSample(this.document, this.schema, (value) => this.findErrors(value))
        : sampleOf(this.document, this.schema, { const: example.value });
    return sample && { value: sample.value, written: writeBody(type, sample) };
  }

  private requiredHeaders(): Readonly<Record<string, string>> {
    const required = this.declaredHeaders().filter(([, header]) => header.required === true);
    const texts = required.map(([name, header]) => [name, this.headerText(header)] as const);
    return Object.fromEntries(texts.filter(([name, text]) => canBeSent(name, text)));
  }

  private declaredHeaders(): readonly (readonly [name: string, header: OpenAPIV3.HeaderObject])[] {
    return Object.entries(this.response.headers ?? {})
      .filter(([name]) => !isSentByServer(name))
      .map(([name, header]) => [name, resolve<OpenAPIV3.HeaderObject>(this.document, header)] as const);
  }

  /** A value of a header, in the style `simple`, which is the only one of headers. */
  private headerText(header: OpenAPIV3.HeaderObject): string {
    const [media] = Object.values(header.content ?? {});
    const { schema = {}, ...stated } = media ?? header;
    const [example] = examplesOf(this.document, stated).values();
    const sample = example ?? findValidSample(this.document, schema as Schema, this.compile(schema));
    return media === undefined ? simpleText(sample?.value) : stringifyJson(sample?.value);
  }
}

function simpleText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return String(Array.isArray(value) ? value : Object.entries(value).flat());
}

function canBeSent(name: string, text: string): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, text);
    return true;
  } catch {
    return false;
  }
}

type WithExamples = Pick<OpenAPIV3.MediaTypeObject, 'example' | 'examples'>;

/** The examples that have a value, by name; the name of a single one is `example`. */
export function examplesOf(document: object, { example, examples }: WithExamples): ReadonlyMap<string, Example> {
  const named = Object.entries(examples ?? {}).map(([name, node]) => [name, resolve<Example>(document, node)] as const);
  const withValue = named.filter(([, { value }]) => value !== undefined);
  const single = example === undefined ? [] : [['example', { value: example as unknown }] as const];
  const all = withValue.length === 0 ? single : withValue;
  return new Map(all.map(([name, each]) => [name, { ...each, value: withExactInt64(each.value) }]));
}

/** The greatest int64 in place of 2^63, to which parsers of YAML and JSON round it. */
function withExactInt64(value: unknown): unknown {
  if (value === 2 ** 63) return int64Max;
  if (Array.isArray(value)) return value.map(withExactInt64);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withExactInt64(each)]));
}
