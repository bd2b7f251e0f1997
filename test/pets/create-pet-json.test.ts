import { expect } from 'chai';
import { request } from '../support/clients/request.js';
import { apiError, responseOf } from '../support/contract/response.js';
import { startService, type TestService } from '../support/servers/service.js';

describe('createPet rejects as malformed JSON', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  afterEach(() => request(service).get('/v1/pets').expect(200, []));

  const post = async (body: string | Buffer) =>
    responseOf(
      await request(service)
        .post('/v1/pets')
        .type('json')
        .serialize((bytes) => bytes as unknown as string)
        .send(body),
    );
  const malformed = (fault: string) => apiError(400, 'malformed_json', `The body is not valid JSON: ${fault}`);

  const faults: readonly (readonly [body: string, fault: string])[] = [
    ['{"name":"Rex"', 'unexpected end of JSON, after 13 characters.'],
    ['{"name":"Rex', 'unexpected end of JSON, after 12 characters.'],
    ['{"name":"Rex","categoryId":', 'unexpected end of JSON, after 27 characters.'],
    [' ', 'unexpected end of JSON, after 1 characters.'],
    ["{'name':'Rex'}", 'expected a property name in double quotes, at character 2.'],
    ['{"name" "Rex"}', 'expected a colon, at character 9.'],
    ['{"name":"Rex" "categoryId":7}', 'expected a comma or a closing brace, at character 15.'],
    ['{"name":"Rex","categoryId":7,}', 'expected a property name in double quotes, at character 30.'],
    ['[1 2]', 'expected a comma or a closing bracket, at character 4.'],
    ['{"name":Rex}', 'expected a value, at character 9.'],
    ['{"name":"Rex","categoryId":+7}', 'expected a value, at character 28.'],
    ['{"name":"Rex","categoryId":.5}', 'expected a value, at character 28.'],
    ['{"name":"Rex","categoryId":NaN}', 'expected a value, at character 28.'],
    ['{"name":"Rex","categoryId":07}', 'expected a comma or a closing brace, at character 29.'],
    ['{"name":"Rex","categoryId":0x7}', 'expected a comma or a closing brace, at character 29.'],
    ['{"name":"Rex","categoryId":7}x', 'unexpected characters after the JSON value, at character 30.'],
    ['{"name":"Rex","categoryId":7}{}', 'unexpected characters after the JSON value, at character 30.'],
    ['{"name":"R\tx","categoryId":7}', 'unterminated string or unescaped character, at character 11.'],
    ['{"name":"R\\x","categoryId":7}', 'unterminated string or unescaped character, at character 11.'],
    ['{"name":"\\ud83d","categoryId":7}', 'unpaired surrogate in a string, at character 9.'],
    ['{"name":"\\udc15\\ud83d","categoryId":7}', 'unpaired surrogate in a string, at character 9.'],
    ['{"\\ud83d":"Rex","categoryId":7}', 'unpaired surrogate in a string, at character 2.'],
    ['{"name":"Rex","categoryId":7,"name":"Mia"}', 'duplicate property name "name", at character 30.'],
    ['{"name":"Rex","categoryId":7,"n\\u0061me":"Mia"}', 'duplicate property name "name", at character 30.'],
    ['{"__proto__":1,"__proto__":2}', 'duplicate property name "__proto__", at character 16.'],
    ['\ufeff{"name":"Rex","categoryId":7}', 'expected a value, at character 1.'],
    ['/* Rex */ {}', 'expected a value, at character 1.'],
  ];
  for (const [body, fault] of faults) {
    it(`${JSON.stringify(body)}: ${fault}`, async () => {
      expect(await post(body)).to.deep.equal(malformed(fault));
    });
  }

  it('a duplicate name at any depth, which it truncates to 64 characters', async () => {
    const name = 'n'.repeat(70);
    const at = `{"a":[{"${name}":1,`.length + 1;
    expect(await post(`{"a":[{"${name}":1,"${name}":2}]}`)).to.deep.equal(
      malformed(`duplicate property name "${'n'.repeat(64)}", at character ${String(at)}.`),
    );
  });

  const notUtf8: Readonly<Record<string, number[]>> = {
    'a byte that never occurs': [0xff],
    'a lone continuation byte': [0x80],
    'a sequence that is cut short': [0xf0, 0x9f, 0x90],
    'an overlong form': [0xc0, 0xaf],
    'an encoded surrogate': [0xed, 0xa0, 0xbd],
    'ISO 8859-1': [0xeb],
  };
  for (const [title, bytes] of Object.entries(notUtf8)) {
    it(`bytes that are not UTF-8: ${title}`, async () => {
      const body = Buffer.concat([Buffer.from('{"name":"R'), Buffer.from(bytes), Buffer.from('x","categoryId":7}')]);
      expect(await post(body)).to.deep.equal(malformed('invalid UTF-8.'));
    });
  }

  it('UTF-16', async () => {
    expect(await post(Buffer.from('{"name":"Zoë","categoryId":7}', 'utf16le'))).to.deep.equal(
      malformed('invalid UTF-8.'),
    );
  });

  it('more values than the contract allows, at any depth', async () => {
    const max = 1000;
    // The object, its two members and the array are values too.
    const withElements = (count: number, element: string) =>
      `{"name":"Rex","categoryId":7,"a":[${Array(count).fill(element).join()}]}`;
    const expectTooMany = async (body: string, element: string) => {
      const at = String(body.lastIndexOf(element) + 1);
      expect(await post(body)).to.deep.equal(malformed(`more than ${String(max)} values, at character ${at}.`));
    };
    expect((await post(withElements(max - 4, '0'))).body).to.include({ code: 'invalid_request' });
    await expectTooMany(withElements(max - 3, '0'), '0');
    await expectTooMany(withElements((max - 2) / 2, '[0]'), '[0]');
  });

  it('more than 64 nesting levels, up to the maximum body size', async () => {
    const nested = (depth: number) => `{"name":"Rex","categoryId":7,"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    expect((await post(nested(63))).body).to.include({ code: 'invalid_request' });
    expect(await post(nested(64))).to.deep.equal(malformed('nested deeper than 64 levels, at character 97.'));
    expect((await post(nested(32_000))).body).to.include({ code: 'malformed_json' });
    expect((await post('[{"a":'.repeat(9000))).body).to.include({ code: 'malformed_json' });
  });
});
