import { expect } from 'chai';
import { RawConnection } from '../clients/raw-connection.js';
import { assertConforms, type ReceivedResponse } from '../contract/conformance.js';
import type { TestService } from '../servers/service.js';
import { type Delivery, dispatch } from './delivery.js';
import { get, keyMark, type MalformedRequest } from './malformed-request.js';

/** Error codes of responses that belong to no operation. */
const protocolCodes = new Set([
  ...[
    'malformed_http',
    'uri_too_long',
    'headers_too_large',
    'expectation_failed',
    'not_implemented',
    'http_version_not_supported',
  ],
]);
/** Timeout after which a conversation counts as hanging, in milliseconds. */
const hangTimeoutMs = 15_000;

/** Sends a malformed request and checks every response until the connection is closed. @throws if a check fails. */
export async function converse(service: TestService, request: MalformedRequest, delivery: Delivery): Promise<void> {
  const connection = await RawConnection.open(service);
  let timer: NodeJS.Timeout | undefined;
  const hang = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error(`Nothing was received after: ${connection.rest.slice(0, 300)}`)),
      hangTimeoutMs,
    );
  });
  try {
    await Promise.race([follow(connection, service, request, delivery), hang]);
  } finally {
    clearTimeout(timer);
    connection.end();
  }
}

async function follow(
  connection: RawConnection,
  service: TestService,
  request: MalformedRequest,
  delivery: Delivery,
): Promise<void> {
  const { pieces, finishes, isFollowed } = dispatch(request, delivery, service.token);
  const sending = send(connection, pieces, finishes);
  if (delivery.follows) await expectValid(connection, service);
  if (request.isContinued === true) expect((await connection.readResponse()).status).to.equal(100);
  const { status } = await expectResponse(connection, service, request);
  // Without a valid key, a connection is closed after 429.
  if (request.keepsAlive && status !== 429) {
    if (isFollowed) await expectValid(connection, service);
    await sending;
    if (!finishes) {
      connection.send(get().replaceAll(keyMark, service.token));
      await expectValid(connection, service);
      return;
    }
  }
  await connection.whenEnded();
  expect(connection.rest, 'after the last response').to.equal('');
  await sending;
  await expectValidOnNewConnection(service);
}

/** Sends one piece per event-loop tick, so that the server reads them one by one. */
async function send(connection: RawConnection, pieces: readonly string[], finishes: boolean): Promise<void> {
  for (const piece of pieces) {
    connection.send(Buffer.from(piece, 'latin1'));
    if (pieces.length > 1) await new Promise(setImmediate);
  }
  if (finishes) connection.endSending();
}

async function expectResponse(
  connection: RawConnection,
  service: TestService,
  request: MalformedRequest,
): Promise<ReceivedResponse> {
  const { responses, operation = 'GET /v1/pets' } = request;
  const [method = '', target = ''] = operation.split(' ');
  const response = await connection.readResponse(method === 'HEAD');
  const code =
    response.status < 400 || response.text === '' ? '' : ` ${(JSON.parse(response.text) as { code: string }).code}`;
  expect(responses, `${String(response.status)}${code}`).to.include(`${String(response.status)}${code}`);
  if (protocolCodes.has(code.trim())) {
    assertConforms('GET', '/v1/-', response);
    expect(response.headers['connection'], 'Connection').to.equal('close');
  } else assertConforms(method, target, response);
  expect(response.headers['cache-control'], 'Cache-Control').to.equal('no-store');
  expect(response.headers['x-request-id'], 'X-Request-Id').to.match(/^[A-Za-z0-9._~:/+=@-]{1,128}$/);
  assertNoLeak(response, service);
  return response;
}

function assertNoLeak({ headers, text }: ReceivedResponse, service: TestService): void {
  const shown = `${JSON.stringify(headers)}${text}`;
  for (const secret of [
    service.token,
    service.directory,
    process.cwd(),
    'node_modules',
    '.js:',
    'node:',
    'HPE_',
    'SQLITE',
  ]) {
    expect(shown).not.to.include(secret);
  }
}

async function expectValid(connection: RawConnection, service: TestService): Promise<void> {
  const response = await connection.readResponse();
  expect(response.status, 'a valid request').to.equal(200);
  assertConforms('GET', '/v1/pets', response);
  assertNoLeak(response, service);
}

async function expectValidOnNewConnection(service: TestService): Promise<void> {
  const connection = await RawConnection.open(service);
  connection.send(get().replaceAll(keyMark, service.token));
  await expectValid(connection, service);
  connection.end();
}
