import type { Handler } from 'openapi-backend';
import type { ErrorResponses } from '../http/error-responses.js';
import type { HttpResponse } from '../http/request-context.js';
import { invalidRequest } from '../openapi/validation-messages.js';
import { requireMocked } from './mock-handler.js';
import type { MockedOperations } from './mocked-operations.js';

/**
 * Creates the `validationFail` handler of the mock of a contract whose error bodies are unknown. If the body of the
 * library does not fit the declared response for invalid requests, it returns that response, because clients read what
 * the contract declares; the header `X-Mock-Error` states what is invalid.
 */
export function createInvalidRequestHandler(operations: MockedOperations) {
  return (errors: ErrorResponses): Handler =>
    (call): HttpResponse => {
      const error = invalidRequest(call.validation.errors ?? []);
      const own = errors.from(error);
      const operation = requireMocked(operations, call);
      const status = [own.status, 422].find((each) => operation.responses.has(String(each))) ?? own.status;
      const declared = operation.find(status);
      if (declared?.mediaType === undefined || declared.isValid(JSON.parse(own.body))) return { ...own, status };
      const body = declared.findBody();
      if (body === undefined) return own;
      // Field values have no line breaks and are Latin-1 (RFC 9110, section 5.5).
      const reason = error.message.replace(/[^\x20-\x7e]/g, '?');
      const headers = { ...declared.headers(), 'X-Mock-Error': reason };
      return { status, headers, body: body.written, mediaType: declared.mediaType, code: own.code };
    };
}
