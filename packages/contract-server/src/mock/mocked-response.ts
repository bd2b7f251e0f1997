import { validateHeaderName, validateHeaderValue } from 'node:http';
import { describedMedia } from '@contract-server/core/contract/item-schema.js';
import { isJson } from '@contract-server/core/contract/media-types.js';
import type { Schema, Schemas } from '@contract-server/core/contract/schemas.js';
import { isAlwaysSent } from '@contract-server/core/contract/server-headers.js';
import { stringifyJson } from '@contract-server/core/json/exact-json.js';
import { ApiError } from '@contract-server/core/lib/errors.js';
import { findAcceptable } from '@contract-server/core/responses/negotiation.js';
import { responseBodySchema } from '@contract-server/core/schema/omitted-members.js';
import type { OpenAPIV3 } from 'openapi-types';
import { propertiesOf } from './schema-alternatives.js';
import { type FindErrors, findValidSample, type Sample, sampleOf } from './valid-sample.js';
import { sentTypeOf, writeBody } from './write-body.js';

export type Example = OpenAPIV3.ExampleObject & { readonly 'x-headers'?: Readonly<Record<string, string | number>> };

/** Compiles a schema of the contract, to validate values of responses. */
export type Compile = (schema: object) => FindErrors;

/** A body and the value that it contains. */
export interface MockedBody {
  readonly value: unknown;
  readonly written: string | Uint8Array;
}

/** A declared response. What takes time is done once, when it is first needed. */
export class MockedResponse {
  /** The media type to send; `undefined` without content. */
  readonly mediaType: string | undefined;
  /** Those with a value, by name. */
  readonly examples: ReadonlyMap<string, Example>;
  /** The same response in each other media type. */
  readonly others: readonly MockedResponse[];
  private readonly schema: Schema;
  private readonly bodies = new Map<string | undefined, MockedBody | undefined>();
  private compiled: FindErrors | undefined;
  private fields: Readonly<Record<string, Schema>> | undefined;
  private stated: Readonly<Record<string, string>> | undefined;

  constructor(
    private readonly schemas: Schemas,
    /** Names it in messages. */
    private readonly title: string,
    private readonly response: OpenAPIV3.ResponseObject,
    private readonly compile: Compile,
    /** The media types that it declares. Default: all of them. */
    content = Object.entries(response.content ?? {}),
  ) {
    const found = content.find(([name]) => isJson(name)) ?? content[0];
    const [type, declared = {}] = found ?? [];
    const media = describedMedia(schemas.document, type ?? '', declared);
    this.schema = responseBodySchema(schemas, media.schema);
    this.mediaType = type && sentTypeOf(schemas, type, this.schema);
    this.examples = examplesOf(schemas, media);
    const others = content.filter((entry) => entry !== found);
    this.others = others.map((entry) => new MockedResponse(schemas, title, response, compile, [entry]));
  }

  /** The same response in the media type that a client prefers; itself if the client accepts none. */
  accepting(accept: string | undefined): MockedResponse {
    const all = [this, ...this.others];
    const preferred = findAcceptable(
      accept,
      all.map(({ mediaType }) => String(mediaType)),
    );
    return all.find(({ mediaType }) => mediaType === preferred) ?? this;
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

  /** The body with a value; `undefined` if the schema does not allow it. */
  bodyOf(value: unknown): MockedBody | undefined {
    if (this.mediaType === undefined || !this.isValid(value)) return undefined;
    return { value, written: writeBody(this.mediaType, sampleOf(this.schemas, this.schema, { const: value })) };
  }

  /** The fields that the schema declares, in all its parts. */
  properties(): Readonly<Record<string, Schema>> {
    return (this.fields ??= propertiesOf(this.schemas, this.schema));
  }

  isValid(value: unknown): boolean {
    return this.findErrors(value).length === 0;
  }

  /**
   * The headers that the response requires, with their examples or samples, and those that the `x-headers` of an
   * example lists; without `x-headers`, those that have an example or a default.
   */
  headers(example?: string): Record<string, string> {
    const { 'x-headers': listed } = this.examples.get(example ?? [...this.examples.keys()][0] ?? '') ?? {};
    this.stated ??= this.statedHeaders();
    if (listed === undefined) return { ...this.stated };
    const entries = this.declaredHeaders().map(([name, { required }]) => {
      const text = listed[name] ?? (required === true ? this.stated?.[name] : undefined);
      return [name, text?.toString()] as const;
    });
    return sendable(entries);
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
        ? findValidSample(this.schemas, this.schema, (value) => this.findErrors(value))
        : sampleOf(this.schemas, this.schema, { const: example.value });
    return sample && { value: sample.value, written: writeBody(type, sample) };
  }

  private statedHeaders(): Readonly<Record<string, string>> {
    return sendable(this.declaredHeaders().map(([name, header]) => [name, this.headerText(header)] as const));
  }

  private declaredHeaders(): readonly (readonly [name: string, header: OpenAPIV3.HeaderObject])[] {
    return Object.entries(this.response.headers ?? {})
      .filter(([name]) => !isOmitted(name.toLowerCase()))
      .map(([name, header]) => [name, this.schemas.resolve<OpenAPIV3.HeaderObject>(header)] as const);
  }

  /**
   * A value of a header, in the style `simple`, which is the only one of headers; `undefined` for one that is neither
   * required nor has an example or a default, and for one without a valid value.
   */
  private headerText(header: OpenAPIV3.HeaderObject): string | undefined {
    const [media] = Object.values(header.content ?? {});
    const { schema = {}, ...stated } = media ?? header;
    const [example] = examplesOf(this.schemas, stated).values();
    if (example === undefined && header.required !== true && !hasValue(this.schemas, schema as Schema))
      return undefined;
    const sample = example ?? findValidSample(this.schemas, schema as Schema, this.compile(schema));
    if (sample === undefined) return undefined;
    return media === undefined ? simpleText(sample.value) : stringifyJson(sample.value);
  }
}

/** Whether the server sends a header itself, or the header describes an encoding that the body does not have. */
function isOmitted(lower: string): boolean {
  return isAlwaysSent(lower) || lower === 'content-encoding';
}

/** Headers without those of some names, whose case does not matter. */
export function withoutHeaders(headers: Readonly<Record<string, string>>, names: readonly string[]) {
  const left = new Set(names.map((name) => name.toLowerCase()));
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !left.has(name.toLowerCase())));
}

function simpleText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return String(Array.isArray(value) ? value : Object.entries(value).flat());
}

/** Whether a schema has an example or a default. */
function hasValue(schemas: Schemas, schema: Schema): boolean {
  const { example, examples, default: standard } = schemas.resolve<Schema>(schema);
  return [example, [examples].flat()[0], standard].some((each) => each !== undefined);
}

/** The headers that have a value, and that can be sent. */
function sendable(headers: readonly (readonly [name: string, text: string | undefined])[]): Record<string, string> {
  const entries = headers.filter(([name, text]) => {
    try {
      validateHeaderName(name);
      validateHeaderValue(name, text as string);
      return true;
    } catch {
      return false;
    }
  });
  return Object.fromEntries(entries) as Record<string, string>;
}

type WithExamples = Pick<OpenAPIV3.MediaTypeObject, 'example' | 'examples'>;

/** The examples that have a value, by name; the name of a single one is `example`. */
export function examplesOf(schemas: Schemas, { example, examples }: WithExamples): ReadonlyMap<string, Example> {
  const named = Object.entries(examples ?? {}).map(([name, node]) => [name, schemas.resolve<Example>(node)] as const);
  const withValue = named.filter(([, { value }]) => value !== undefined);
  const single = example === undefined ? [] : [['example', { value: example as unknown }] as const];
  const all = withValue.length === 0 ? single : withValue;
  return new Map(all);
}
