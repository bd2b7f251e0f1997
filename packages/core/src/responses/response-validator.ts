import { type Contract, requireOperation } from '../contract/contract.js';
import type { Method } from '../contract/operations.js';
import { type DeclaredMedia, type DeclaredResponse, findMedia, hasNoContent } from '../contract/responses.js';
import { isAddedLater } from '../contract/server-headers.js';
import { describeResponseErrors } from '../schema/validation-messages.js';
import { FileBody } from './file-body.js';
import { errorsAt, ResponseValues } from './response-values.js';
import type { WrittenResponse } from './response-writer.js';
import { StreamedBody } from './streamed-body.js';

/** Validates the responses of handlers against the contract. */
export class ResponseValidator {
  private readonly values: ResponseValues;

  constructor(private readonly contract: Contract) {
    this.values = new ResponseValues(contract.schemas);
  }

  /**
   * Returns a function that validates the responses of an operation.
   *
   * @throws Error with the operation, the status, the JSON pointer and the rule, but without values of the response.
   */
  for(id: string): (response: WrittenResponse) => void {
    const { responses, method } = requireOperation(this.contract, id);
    return (response) => {
      const { status, body } = response;
      const declared = responses.find(status);
      const refuse = (violations: string | undefined) => {
        if (violations !== undefined)
          throw new Error(`The response ${String(status)} of ${id} does not conform to the contract: ${violations}`);
      };
      refuse(this.findViolations(method, declared, response));
      if (body instanceof StreamedBody) body.check = this.itemCheckOf(declared, response, refuse);
    };
  }

  /** Returns a function that validates the items of a stream. */
  private itemCheckOf(
    declared: DeclaredResponse | undefined,
    { mediaType = declared?.defaultType ?? '' }: WrittenResponse,
    refuse: (violations: string | undefined) => void,
  ): StreamedBody['check'] {
    const found = declared && findMedia(declared.content, mediaType);
    if (found === undefined) return undefined;
    let index = 0;
    return (written) => {
      const place = `/body/${String(index)}`;
      index += 1;
      const find = () => this.values.errorsOfItem(found, mediaType, written);
      refuse(describeErrors(() => errorsAt(place, errorsOfJson('an item', find))));
    };
  }

  private findViolations(method: Method, declared: DeclaredResponse | undefined, response: WrittenResponse) {
    if (declared === undefined) return 'the status is not declared.';
    const type = response.mediaType ?? declared.defaultType ?? '';
    const found = findMedia(declared.content, type);
    const undeclared = findUndeclared(declared, response, found) ?? findMissing(method, declared, response);
    if (undeclared !== undefined) return undeclared;
    return describeErrors(() => [
      ...this.errorsOfHeaders(declared, response),
      ...this.errorsOfBody(found, type, response),
    ]);
  }

  private errorsOfHeaders({ headers }: DeclaredResponse, { headers: sent = {} }: WrittenResponse) {
    return Object.entries(sent).flatMap(([sentName, value]) => {
      const name = sentName.toLowerCase();
      const header = headers.get(name);
      // OpenAPI declares the media type elsewhere.
      if (header === undefined || name === contentType) return [];
      const errors = errorsOfJson(`the header ${name}`, () => this.values.errorsOfHeader(name, header, value));
      return errorsAt(`/headers/${name}`, errors);
    });
  }

  private errorsOfBody(found: DeclaredMedia | undefined, type: string, { body }: WrittenResponse) {
    if (found === undefined || body === undefined || isSentLater(body)) return [];
    const errors = errorsOfJson('the body', () => this.values.errorsOfBody(found, type, body));
    return errorsAt('/body', errors);
  }
}

/** Describes the errors of a response; `undefined` if there are none. */
function describeErrors(find: () => Parameters<typeof describeResponseErrors>[0]): string | undefined {
  try {
    const errors = find();
    return errors.length === 0 ? undefined : describeResponseErrors(errors);
  } catch (error) {
    if (error instanceof SyntaxError) return error.message;
    throw error;
  }
}

/** The errors of a part of a response. @throws SyntaxError with the name of the part, if its text is not JSON. */
function errorsOfJson<Errors>(part: string, find: () => Errors): Errors {
  try {
    return find();
  } catch (error) {
    throw error instanceof SyntaxError ? new SyntaxError(`${part} is not valid JSON: ${error.message}`) : error;
  }
}

/** A header that OpenAPI ignores, because it declares the media type elsewhere (3.0.4, section 4.7.16.1). */
const contentType = 'content-type';

function findUndeclared(
  { headers, content }: DeclaredResponse,
  { headers: sent = {}, body, mediaType = '' }: WrittenResponse,
  found: DeclaredMedia | undefined,
): string | undefined {
  const names = Object.keys(sent).filter((name) => name.toLowerCase() !== contentType);
  const header = names.find((name) => !headers.has(name.toLowerCase()));
  if (header !== undefined) return `the header ${header} is not declared.`;
  if (body === undefined || found !== undefined) return undefined;
  if (content.length === 0) return 'a body is not declared.';
  return `the media type ${mediaType} is not declared, but ${content.map(({ name }) => name).join(', ')}.`;
}

/** Whether a body is not known yet. */
function isSentLater(body: unknown): body is StreamedBody | FileBody {
  return body instanceof StreamedBody || body instanceof FileBody;
}

/** The headers of a file. */
const ofFiles = ['accept-ranges', 'etag', 'last-modified'];

function findMissing(
  method: Method,
  declared: DeclaredResponse,
  { status, headers: sent = {}, body }: WrittenResponse,
): string | undefined {
  const needsBody = declared.content.length > 0 && !hasNoContent(method.toUpperCase(), status);
  return needsBody && body === undefined ? 'the body is missing.' : findMissingHeader(declared, sent, body);
}

function findMissingHeader(
  { headers }: DeclaredResponse,
  sent: NonNullable<WrittenResponse['headers']>,
  body: WrittenResponse['body'],
): string | undefined {
  const added = body instanceof FileBody ? ofFiles : [];
  const names = new Set([...added, ...Object.keys(sent).map((name) => name.toLowerCase())]);
  for (const [name, { required }] of headers)
    if (required === true && name !== contentType && !isAddedLater(name) && !names.has(name))
      return `the header ${name} is missing.`;
  return undefined;
}
