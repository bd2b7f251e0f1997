import { apiError, responseOf } from '@contract-server/test-support/contract/response.js';
import { expect } from 'chai';
import { request } from '../support/clients/request.js';
import { allowedFields, rexText } from '../support/pets.js';
import { useService } from '../support/servers/service.js';

const missing = (...names: string[]) => names.map((name) => `Missing body field \`${name}\`.`).join(' ');
const unknown = (name: string) => `Unknown body field \`${name}\`; allowed: ${allowedFields}.`;
const noObject = 'The body must be a JSON object.';
const badName = '`name` must have at least one visible character, and no control characters.';
const notPlain = '`categoryId` must be written without a fraction or an exponent.';
const badCategory = '`categoryId` must be an integer from -9223372036854775808 to 9223372036854775807.';
const badStatus = '`status` must be one of: available, pending, sold.';
const badUrl = 'The URL has an invalid percent-encoding. Encode a percent sign as %25.';
const pageUnknown = 'Unknown query parameter `page`; this operation takes none.';

const withName = (name: string) => `{"name":${name},"categoryId":7}`;
const withCategory = (categoryId: string) => `{"name":"Rex","categoryId":${categoryId}}`;
const withStatus = (status: string) => `{"name":"Rex","categoryId":7,"status":${status}}`;
const withField = (name: string) => `{${JSON.stringify(name)}:{"status":"sold"},"name":"Rex","categoryId":7}`;

const invalid: readonly (readonly [message: string, ...bodies: string[]])[] = [
  ['The body is required.', ''],
  [missing('name', 'categoryId'), '{}'],
  [missing('name'), '{"categoryId":7}'],
  [missing('categoryId'), '{"name":"Rex","status":"sold"}'],
  [noObject, 'null', '[]', '"x"', '1', 'true', '1.5', `[${rexText}]`, JSON.stringify(rexText)],
  ['`name` must have 1 to 255 characters.', ...['R', '🐕'].map((character) => withName(`"${character.repeat(256)}"`))],
  [
    badName,
    ...['', ' ', 'R\0x', 'Rex\n', '\tRex', 'Rex\u007f', 'R\u0085x'].map((name) => withName(JSON.stringify(name))),
  ],
  ['`name` must be a string.', ...['null', '5', 'true', '["Rex"]', '{"first":"Rex"}'].map(withName)],
  [notPlain, ...['7.0', '1e3', '-0.0', '1e17'].map(withCategory)],
  [badCategory, ...['0.5', '1e19', '-1.5e-1', '"1"', '""', 'null', 'true', '[1]', '{}'].map(withCategory)],
  // The maximum of values and of nesting.
  [badCategory, ...[`[${Array(997).fill('0').join()}]`, `${'['.repeat(63)}${']'.repeat(63)}`].map(withCategory)],
  [badCategory, ...['9223372036854775808', '-9223372036854775809', '1'.repeat(300)].map(withCategory)],
  [badStatus, ...['"gone"', '"Sold"', '""', 'null', '5', 'true', '["sold"]', '{"a":"sold"}'].map(withStatus)],
  ...['id', '__proto__', 'constructor', 'toString', 'Name', 'a/b', 'a~1b', '0', 'na\u0000me'].map(
    (name) => [unknown(name), withField(name)] as const,
  ),
  [`${missing('name', 'categoryId')} ${unknown('__proto__')}`, `{"__proto__":${rexText}}`],
  [`${unknown('age')} ${badName} ${badCategory} ${badStatus}`, '{"name":"","categoryId":"7","status":"gone","age":3}'],
];

/** One text for each kind of fault; exact-json.test.ts of contract-server has the others. */
const malformed: readonly (readonly [fault: string, ...bodies: (string | Buffer)[]])[] = [
  ['unexpected end of JSON, after 27 characters.', '{"name":"Rex","categoryId":'],
  ['expected a property name in double quotes, at character 30.', '{"name":"Rex","categoryId":7,}'],
  ['expected a comma or a closing brace, at character 29.', withCategory('07'), withCategory('0x7')],
  ['expected a value, at character 1.', `\ufeff\ufeff${rexText}`, '/* Rex */ {}'],
  ['number beyond the range of a double, at character 28.', ...['1'.repeat(400), '-1e400'].map(withCategory)],
  ['unexpected characters after the JSON value, at character 30.', `${rexText}x`, `${rexText}{}`],
  ['unpaired surrogate in a string, at character 9.', withName('"\\ud83d"'), withName('"\\udc15\\ud83d"')],
  ['duplicate property name "name", at character 30.', '{"name":"Rex","categoryId":7,"n\\u0061me":"Mia"}'],
  ['invalid UTF-8.', Buffer.from(withName('"Zo\u00eb"'), 'latin1'), Buffer.from(withName('"Zo\u00eb"'), 'utf16le')],
  ['nested deeper than 64 levels, at character 91.', withCategory(`${'['.repeat(64)}${']'.repeat(64)}`)],
  ['nested deeper than 64 levels, at character 65.', '['.repeat(65_000)],
];

describe('createPet rejects', () => {
  const service = useService();
  afterEach('stores nothing', () => request(service).get('/v1/pets').expect(200, []));

  const post = async (body: string | Buffer, target = '/v1/pets') => {
    const test = request(service).post(target).type('json');
    // Sends bytes as they are, instead of their JSON text.
    return responseOf(await test.serialize((bytes) => bytes as string).send(body));
  };

  for (const [message, ...bodies] of invalid)
    it(`${bodies.join(' or ').slice(0, 60)}: ${message}`, async () => {
      for (const body of bodies)
        expect(await post(body), body).to.deep.equal(apiError(400, 'invalid_request', message));
    });

  for (const [fault, ...bodies] of malformed)
    it(`${bodies.join(' or ').slice(0, 60)}: ${fault}`, async () => {
      const expected = apiError(400, 'malformed_json', `The body is not valid JSON: ${fault}`);
      for (const body of bodies) expect(await post(body), String(body)).to.deep.equal(expected);
    });

  it('a body of more than 1,000 values, objects and arrays included', async () => {
    const ofZeros = (count: number) => withCategory(`[${Array(count).fill('0').join()}]`);
    const tooMany = 'The body has more than 1000 values. Shorten it.';
    expect(await post(ofZeros(997))).to.deep.equal(apiError(400, 'invalid_request', badCategory));
    expect(await post(ofZeros(998))).to.deep.equal(apiError(413, 'body_too_large', tooMany));
  });

  it('a query parameter, together with the errors of the body', async () => {
    expect(await post(rexText, '/v1/pets?page=1')).to.deep.equal(apiError(400, 'invalid_request', pageUnknown));
    const both = `${missing('categoryId')} ${pageUnknown}`;
    expect(await post('{"name":"Rex"}', '/v1/pets?page=1')).to.deep.equal(apiError(400, 'invalid_request', both));
    expect(await post(rexText, '/v1/pets?%=1')).to.deep.equal(apiError(400, 'malformed_url', badUrl));
  });

  it('a missing body, chunked or not', async () => {
    const required = apiError(400, 'invalid_request', 'The body is required.');
    expect(responseOf(await request(service).post('/v1/pets'))).to.deep.equal(required);
    const chunked = request(service).post('/v1/pets').type('json').set('Transfer-Encoding', 'chunked');
    expect(responseOf(await chunked)).to.deep.equal(required);
  });
});
