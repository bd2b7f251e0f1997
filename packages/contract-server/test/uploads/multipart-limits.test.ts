import { fieldBytesMax } from '@contract-server/core/bodies/value-budget.js';
import { RawConnection } from '@contract-server/test-support/clients/raw-connection.js';
import { serveContract } from '@contract-server/test-support/servers/served-contract.js';
import { expect } from 'chai';

const text = `
openapi: 3.0.4
info: { title: Archive, version: 1.0.0 }
paths:
  /archives:
    post:
      operationId: createArchive
      requestBody:
        x-max-body-bytes: 100000000
        x-max-body-values: 100000
        content:
          multipart/form-data:
            schema:
              type: object
              properties:
                note: { type: string }
                data: { type: object }
                file: { type: string, format: binary }
      responses: { "200": { description: Done, content: { application/json: { schema: {} } } } }
`;

interface Body {
  readonly file?: { readonly size: number };
  readonly note?: string;
}

describe('the fields of a multipart body', () => {
  let service: Awaited<ReturnType<typeof serveContract>>;
  before(async () => {
    const createArchive = ({ body: { file, note } }: { readonly body: Body }) => ({
      status: 200,
      body: { file: file?.size ?? null, note: note?.length ?? null },
    });
    service = await serveContract(text, { handlers: { createArchive } });
  });

  const part = (name: string, content: string, rest = '') =>
    `--x\r\nContent-Disposition: form-data; name="${name}"${rest}\r\n\r\n${content}\r\n`;
  const end = '--x--\r\n';
  const send = async (body: string, length = body.length) => {
    const head = 'POST /archives HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=x';
    const connection = await RawConnection.open(service, `${head}\r\nContent-Length: ${String(length)}\r\n\r\n${body}`);
    return connection.readResponse();
  };

  const fitting = fieldBytesMax - 'note'.length;
  it('may have 1 MiB together, besides files of any size', async () => {
    const file = part('file', 'f'.repeat(3 * fieldBytesMax), '; filename="a.bin"');
    // The name of the file is held in memory, too.
    const note = part('note', 'n'.repeat(fitting - 'file'.length));
    const response = await send(`${file}${note}${end}`);
    expect([response.status, JSON.parse(response.text)]).to.deep.equal([
      200,
      { file: 3 * fieldBytesMax, note: fitting - 'file'.length },
    ]);
  });

  const tooMuch: readonly (readonly [title: string, body: string])[] = [
    ['one field', part('note', 'n'.repeat(fitting + 1))],
    ['many fields', part('note', 'n'.repeat(100)).repeat(fieldBytesMax / 100)],
    ['many empty fields with long names', part('n'.repeat(7000), '').repeat(fieldBytesMax / 7000 + 1)],
    ['undeclared fields', part('other', 'n'.repeat(fieldBytesMax / 2)).repeat(2)],
    ['JSON', part('data', `{"a":"${'n'.repeat(fieldBytesMax)}"}`)],
    [
      'text with a media type of JSON',
      part('other', `"${'n'.repeat(fieldBytesMax)}"`, '\r\nContent-Type: application/json'),
    ],
    ['fields behind a file', part('file', 'f', '; filename="a"') + part('note', 'n'.repeat(fieldBytesMax))],
  ];
  for (const [title, body] of tooMuch) {
    it(`are a 413 above it before the rest has arrived: ${title}`, async () => {
      const { status, text } = await send(body, 90_000_000);
      const message = 'The body has more than 1048576 bytes in fields that are not files. Shorten it.';
      expect([status, JSON.parse(text)]).to.deep.equal([413, { code: 'body_too_large', message, status: 413 }]);
    });
  }
});
