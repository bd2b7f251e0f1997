import { expect } from 'chai';
import { sendRaw } from '../support/clients/raw-connection.js';
import { request } from '../support/clients/request.js';
import { assertConforms } from '../support/contract/conformance.js';
import { apiError, responseOf } from '../support/contract/response.js';
import { useService } from '../support/servers/service.js';

const rexText = '{"name":"Rex","categoryId":7}';
const fault =
  '`Idempotency-Key` must have 1 to 255 visible ASCII characters, bare or in double quotes, in a single line.';
const malformed = apiError(400, 'invalid_request', fault);

describe('the Idempotency-Key', () => {
  const service = useService();

  /** Sends header lines unchanged, including invalid ones, which HTTP clients do not send. */
  const send = async (lines: readonly string[], text = rexText) => {
    const head = [
      'POST /v1/pets HTTP/1.1',
      'Host: pets.example',
      `Authorization: Bearer ${service.token}`,
      'Content-Type: application/json',
      `Content-Length: ${String(Buffer.byteLength(text))}`,
    ];
    const response = await sendRaw(service, Buffer.from([...head, ...lines, '', text].join('\r\n'), 'latin1'));
    assertConforms('POST', '/v1/pets', response);
    return responseOf(response);
  };
  const count = async () => ((await request(service).get('/v1/pets?limit=100')).body as unknown[]).length;

  const good: Readonly<Record<string, string>> = {
    'one character': 'k',
    'a UUID': '8e03978e-40d5-43e8-bc93-6894a57f9324',
    '255 characters': 'k'.repeat(255),
    '255 characters in quotes': `"${'k'.repeat(255)}"`,
    '255 escaped characters in quotes': `"${'\\"'.repeat(255)}"`,
    'every visible ASCII character': Array.from({ length: 94 }, (_, index) => String.fromCharCode(0x7e - index)).join(
      '',
    ),
    'a quote within': 'a"b',
    'a quote at its end': 'a"',
    'a comma within': 'a,b',
    'blanks around it': '  around \t',
  };
  for (const [title, value] of Object.entries(good)) {
    it(`may have ${title}`, async () => {
      const [status, replays] = [await send([`Idempotency-Key: ${value}`]), await send([`idempotency-key: ${value}`])];
      expect([status.status, replays.status, replays.headers['idempotent-replayed']]).to.deep.equal([201, 201, 'true']);
    });
  }

  const bad: Readonly<Record<string, readonly string[]>> = {
    'nothing in it': [''],
    'nothing in its quotes': ['""'],
    'a single quote': ['"'],
    'a quote that is not closed': ['"abc'],
    'a quote within quotes': ['"a"b"'],
    'a backslash within quotes that escapes nothing': ['"a\\b"'],
    'a backslash that escapes the closing quote': ['"abc\\"'],
    'something after its quotes': ['"abc";a=1'],
    'a blank within': ['a b'],
    'a blank within quotes': ['"a b"'],
    'a tab within': ['a\tb'],
    '256 characters': ['k'.repeat(256)],
    '256 characters in quotes': [`"${'k'.repeat(256)}"`],
    '5,000 characters': ['k'.repeat(5000)],
    'a character beyond ASCII': ['Zo\u00eb'],
    'two lines': ['one', 'two'],
    'the same line twice': ['one', 'one'],
    'an empty line before it': ['', 'one'],
    'an empty line after it': ['one', ''],
  };
  for (const [title, values] of Object.entries(bad)) {
    it(`may not have ${title}: returns 400, and creates nothing`, async () => {
      const before = await count();
      expect(await send(values.map((value) => `Idempotency-Key: ${value}`))).to.deep.equal(malformed);
      expect(await count()).to.equal(before);
    });
  }

  it('is validated together with the body: every error is named', async () => {
    expect(await send(['Idempotency-Key: a b'], '{"name":"Rex"}')).to.deep.equal(
      apiError(400, 'invalid_request', `Missing body field \`categoryId\`. ${fault}`),
    );
  });

  it('is never repeated in a response, malformed or not', async () => {
    const secret = 'pets live secret';
    expect(JSON.stringify(await send([`Idempotency-Key: ${secret}`]))).not.to.contain('secret');
  });
});
