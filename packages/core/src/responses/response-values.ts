import type { ErrorObject } from 'ajv';
import type { OpenAPIV3 } from 'openapi-types';
import { isEventStream, isJson, isJsonLines, isText } from '../contract/media-types.js';
import type { DeclaredMedia } from '../contract/responses.js';
import type { Schema, Schemas } from '../contract/schemas.js';
import { parseJson } from '../json/exact-json.js';
import { parseJsonLines } from '../json/json-lines.js';
import { createAjv } from '../schema/create-ajv.js';
import { memberRulesOf } from '../schema/member-rules.js';
import { responseBodySchema } from '../schema/omitted-members.js';
import { findTextParser } from '../schema/parse-text.js';
import type { Validator } from '../schema/validator.js';
import { parseEvents } from './parse-events.js';

/** Validates the bodies and the headers of responses by the schemas that the contract declares for them. */
export class ResponseValues {
  private readonly ajv: ReturnType<typeof createAjv>;
  private readonly validators = new Map<object, Validator>();

  constructor(private readonly schemas: Schemas) {
    this.ajv = createAjv(schemas, 'response');
  }

  /**
   * The errors of a body; none if its schema does not describe it, as that of XML does not describe the text.
   *
   * @throws SyntaxError for text that is not JSON, where JSON is declared.
   */
  errorsOfBody({ media }: DeclaredMedia, mediaType: string, body: string | Uint8Array): readonly ErrorObject[] {
    const schema = media.schema as Schema | undefined;
    if (isJson(mediaType)) return this.errorsOf(responseBodySchema(this.schemas, schema), parseJson(Buffer.from(body)));
    if (isJsonLines(mediaType) && this.schemas.allows('array', schema))
      return this.errorsOf(responseBodySchema(this.schemas, schema), parseJsonLines(Buffer.from(body)));
    if (isEventStream(mediaType)) {
      const events = parseEvents(Buffer.from(body).toString());
      return events.flatMap(({ data }, index) => errorsAt(`/${String(index)}`, this.errorsOfData(schema, data)));
    }
    const isDescribed = isText(mediaType) && this.schemas.allows('string', schema);
    return isDescribed ? this.errorsOf(schema, Buffer.from(body).toString()) : [];
  }

  /**
   * The errors of an item of a stream, in JSON lines or server-sent events; none in other media types.
   *
   * @param item as it is sent.
   * @throws SyntaxError for an item of JSON lines that is not JSON.
   */
  errorsOfItem({ media }: DeclaredMedia, mediaType: string, item: string): readonly ErrorObject[] {
    const schema = media.schema as Schema | undefined;
    if (isEventStream(mediaType)) return parseEvents(item).flatMap(({ data }) => this.errorsOfData(schema, data));
    if (!isJsonLines(mediaType) || schema === undefined) return [];
    const items = memberRulesOf(this.schemas).of(schema).items?.find(0);
    return parseJsonLines(Buffer.from(item)).flatMap((value) => this.errorsOf(items, value));
  }

  /** The errors of the data of an event, which is JSON unless its schema allows the text. */
  private errorsOfData(schema: Schema | undefined, data: string): readonly ErrorObject[] {
    const errors = this.errorsOf(schema, data);
    const isText = schema === undefined || !this.schemas.allowsMembers(schema);
    if (errors.length === 0 || (isText && this.schemas.allows('string', schema))) return errors;
    return this.errorsOf(responseBodySchema(this.schemas, schema), parseJson(Buffer.from(data)));
  }

  /**
   * The errors of a header. One that is sent several times is a list (RFC 9110, section 5.3), but each cookie is a
   * header of its own, and may contain a comma.
   *
   * @param name in lower case.
   * @throws SyntaxError for text that is not JSON, where JSON is declared.
   */
  errorsOfHeader(
    name: string,
    header: OpenAPIV3.HeaderObject,
    sent: string | readonly string[],
  ): readonly ErrorObject[] {
    const values = [sent].flat();
    const text = values.join(', ');
    const [[mediaType, media] = ['', undefined]] = Object.entries(header.content ?? {});
    if (media !== undefined) return isJson(mediaType) ? this.errorsOf(media.schema, parseJson(Buffer.from(text))) : [];
    const schema = header.schema as Schema | undefined;
    const parse = findTextParser(this.schemas, schema) ?? String;
    const isArray = this.schemas.allows('array', schema);
    if (name !== 'set-cookie')
      return this.errorsOf(schema, isArray ? text.split(',').map((item) => parse(item.trim())) : parse(text));
    if (isArray) return this.errorsOf(schema, values.map(parse));
    return values.flatMap((value, index) => errorsAt(`/${String(index)}`, this.errorsOf(schema, parse(value))));
  }

  private errorsOf(schema: object | boolean | undefined, value: unknown): readonly ErrorObject[] {
    // Of items, `false` describes those that are not sent.
    if (typeof schema !== 'object') return [];
    const validate = this.validators.get(schema) ?? this.ajv.compile(schema);
    this.validators.set(schema, validate);
    return validate(value) ? [] : (validate.errors ?? []);
  }
}

/** The errors of a value within another one. @param pointer of the value. */
export function errorsAt(pointer: string, errors: readonly ErrorObject[]): readonly ErrorObject[] {
  return errors.map((error) => ({ ...error, instancePath: pointer + error.instancePath }));
}
