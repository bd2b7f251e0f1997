import {
  type ListeningAddress,
  RawConnection,
  type ReceivedResponse,
} from '@contract-server/test-support/clients/raw-connection.js';
import { unknownMethod } from '../contract/contract-requests.js';

/** The tokens of a key without practical limits, and of one without requests left. */
export interface Tokens {
  readonly token: string;
  readonly used: string;
}

const json = 'Content-Type: application/json\r\n';
const pet = '{"name":"Rex","categoryId":1}';

/** A request without a body. */
export const request = (line: string, headers = '') => `${line} HTTP/1.1\r\nHost: api.example\r\n${headers}\r\n`;
const post = (body: string, headers: string) =>
  request('POST /v1/pets', `${headers}Content-Length: ${String(body.length)}\r\n`) + body;
const authorization = (token: string) => `Authorization: Bearer ${token}\r\n`;

/** A request whose body ends too early. */
export const incomplete = (token: string) => post(pet, authorization(token) + json).slice(0, -1);

/** Requests with responses of each kind. The first creates a pet, once. */
export function validRequests({ token, used }: Tokens): Readonly<Record<string, string>> {
  const key = authorization(token);
  return {
    '201, a creation': post(pet, `${key}${json}Idempotency-Key: k\r\n`),
    '200, a page with a link to the next': request('GET /v1/pets?limit=1', key),
    '200, the head of a page': request('HEAD /v1/pets?limit=1', key),
    '200, a pet, with the announced removal': request('GET /v1/pets/1', key),
    '200, a pet, although a range is requested': request('GET /v1/pets/1', `${key}Range: bytes=0-3\r\n`),
    '200, a percent-encoded letter': request('GET /v1/p%65ts?limit=1', key),
    '204, the methods of a path': request('OPTIONS /v1/pets'),
    '400, an encoded slash': request('GET /v1/pets/1%2F2', key),
    '400, a bad Idempotency-Key': post(pet, `${key}${json}Idempotency-Key: ä\r\n`),
    '401, no key': request('GET /v1/pets'),
    '404, no such pet': request('GET /v1/pets/999', key),
    '404, no such path': request('GET /v1//pets/../cats?x=%7E', key),
    '405, no such method': request(`${unknownMethod} /v1/pets`, key),
    '413, a body that is too long': post(' '.repeat(70_000), key + json),
    '414, a target that is too long': request(`GET /v1/pets?cursor=${'x'.repeat(9000)}`),
    '415, another media type': post(pet, `${key}Content-Type: text/plain\r\n`),
    '429, no requests left': request('GET /v1/pets', authorization(used)),
    '431, headers that are too long': request('GET /v1/pets', `X-Long: ${'x'.repeat(17_000)}\r\n`),
  };
}

/** Requests that some proxies reject themselves. */
export function rejectedRequests({ token }: Tokens): readonly string[] {
  return [
    'GET /v1/pets HTTP/1.1\r\n\r\n',
    request('GET /v1/pe ts'),
    request('TRACE /v1/pets'),
    post(' '.repeat(200_000), authorization(token) + json),
    request(`GET /v1/${'x'.repeat(40_000)}`),
    request('GET /v1/pets', `X-Long: ${'x'.repeat(40_000)}\r\n`),
  ];
}

/** Sends bytes on a new connection. @throws if it is closed before a complete response. */
export async function sendTo(
  address: ListeningAddress,
  bytes: string,
  localAddress = '127.0.0.1',
): Promise<ReceivedResponse> {
  const connection = await RawConnection.openTo(address, localAddress);
  connection.send(bytes);
  const response = await connection.readResponse(bytes.startsWith('HEAD '));
  connection.end();
  return response;
}
