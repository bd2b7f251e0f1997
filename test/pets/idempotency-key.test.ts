import { sendRaw } from '@contract-server/test-support/clients/raw-connection.js';
import { apiError, responseOf } from '@contract-server/test-support/contract/response.js';
import { expect } from 'chai';
import { request } from '../support/clients/request.js';
import { assertConforms } from '../support/contract/own-conformance.js';
import { rexText } from '../support/pets.js';
import { useService } from '../support/servers/service.js';

const fault =
  '`Idempotency-Key` must have 1 to 255 visible ASCII characters, bare or in double quotes, in a single line.';
const visible = Array.from({ length: 94 }, (_, index) => String.fromCharCode(0x7e - index)).join('');

describe('the Idempotency-Key', () => {
  const service = useService();

  /** Sends header lines unchanged, including invalid ones, which HTTP clients do not send. */
  const send = async (values: readonly string[], text = rexText) => {
    const head = ['POST /v1/pets HTTP/1.1', 'Host: pets.example', `Authorization: Bearer ${service.token}`];
    const body = ['Content-Type: application/json', `Content-Length: ${String(text.length)}`];
    const lines = [...head, ...body, ...values.map((value) => `Idempotency-Key: ${value}`), '', text];
    const response = await sendRaw(service, Buffer.from(lines.join('\r\n'), 'latin1'));
    assertConforms('POST', '/v1/pets', response);
    return responseOf(response);
  };

  for (const [title, value] of [
    ['one character', 'k'],
    ['a UUID', '8e03978e-40d5-43e8-bc93-6894a57f9324'],
    ['255 characters', 'k'.repeat(255)],
    ['255 characters in quotes', `"${'k'.repeat(255)}"`],
    ['255 escaped characters in quotes', `"${'\\"'.repeat(255)}"`],
    ['every visible ASCII character', visible],
    ['a quote within', 'a"b'],
    ['a comma within', 'a,b'],
    ['blanks around it', '  around \t'],
  ] as const)
    it(`may have ${title}`, async () => {
      const [first, second] = [await send([value]), await send([value])];
      expect([first.status, second.status, second.headers['idempotent-replayed']]).to.deep.equal([201, 201, 'true']);
    });

  it('returns 400 if it is malformed, and creates nothing', async () => {
    const count = async () => ((await request(service).get('/v1/pets?limit=100')).body as unknown[]).length;
    const before = await count();
    const quoted = ['""', '"', '"abc', '"a"b"', '"a\\b"', '"abc\\"', '"abc";a=1', '"a b"', `"${'k'.repeat(256)}"`];
    const bare = ['', 'a b', 'a\tb', 'Zo\u00eb', 'k'.repeat(256), 'k'.repeat(5000)];
    const repeated = ['one two', 'one one', ' one', 'one '].map((pair) => pair.split(' '));
    for (const values of [...[...quoted, ...bare].map((value) => [value]), ...repeated])
      expect(await send(values), values.join()).to.deep.equal(apiError(400, 'invalid_request', fault));
    expect(await count()).to.equal(before);
  });

  it('is validated together with the body: every error is named', async () => {
    const both = `Missing body field \`categoryId\`. ${fault}`;
    expect(await send(['a b'], '{"name":"Rex"}')).to.deep.equal(apiError(400, 'invalid_request', both));
  });
});
