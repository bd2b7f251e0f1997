import { expect } from 'chai';
import { request } from '../support/clients/request.js';
import { apiError, responseOf } from '../support/contract/response.js';
import { startService, type TestService } from '../support/servers/service.js';

const unknown = (name: string) => `Unknown body field \`${name}\`; allowed: \`name\`, \`categoryId\`, \`status\`.`;

describe('createPet rejects', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  afterEach(() => request(service).get('/v1/pets').expect(200, []));

  const post = async (body: string, target = '/v1/pets') =>
    responseOf(await request(service).post(target).type('json').send(body));
  const invalid = (message: string) => apiError(400, 'invalid_request', message);

  it('a body without the required fields, and names each', async () => {
    expect(await post('{}')).to.deep.equal(invalid('Missing body field `name`. Missing body field `categoryId`.'));
    expect(await post('{"categoryId":7}')).to.deep.equal(invalid('Missing body field `name`.'));
    expect(await post('{"name":"Rex","status":"sold"}')).to.deep.equal(invalid('Missing body field `categoryId`.'));
  });

  it('a missing body', async () => {
    const required = invalid('The body is required.');
    expect(responseOf(await request(service).post('/v1/pets'))).to.deep.equal(required);
    expect(responseOf(await request(service).post('/v1/pets').type('json').send(''))).to.deep.equal(required);
    expect(
      responseOf(await request(service).post('/v1/pets').type('json').set('Transfer-Encoding', 'chunked')),
    ).to.deep.equal(required);
  });

  for (const body of ['null', '[]', '"x"', '1', 'true', '[{"name":"Rex","categoryId":7}]', '1.5']) {
    it(`the body ${body}, which is not an object`, async () => {
      expect(await post(body)).to.deep.equal(invalid('The body must be a JSON object.'));
    });
  }

  it('a pet inside a JSON string', async () => {
    const text = JSON.stringify(JSON.stringify({ name: 'Rex', categoryId: 7 }));
    expect(await post(text)).to.deep.equal(invalid('The body must be a JSON object.'));
  });

  it('an id chosen by the client', async () => {
    expect(await post('{"id":1,"name":"Rex","categoryId":7}')).to.deep.equal(invalid(unknown('id')));
  });

  for (const name of [
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'Name',
    'a/b',
    'a~1b',
    '0',
    'na\u0000me',
  ]) {
    it(`the unknown field ${JSON.stringify(name)}`, async () => {
      const body = `{${JSON.stringify(name)}:{"status":"sold"},"name":"Rex","categoryId":7}`;
      expect(await post(body)).to.deep.equal(invalid(unknown(name)));
    });
  }

  it('__proto__ in place of the fields themselves', async () => {
    expect(await post('{"__proto__":{"name":"Rex","categoryId":7}}')).to.deep.equal(
      invalid(`Missing body field \`name\`. Missing body field \`categoryId\`. ${unknown('__proto__')}`),
    );
  });

  it('several errors at once, each with the allowed values', async () => {
    expect(await post('{"name":"","categoryId":"7","status":"gone","age":3}')).to.deep.equal(
      invalid(
        `${unknown('age')} \`name\` must have at least one visible character, and no control characters. ` +
          '`categoryId` must be an integer from -9223372036854775808 to 9223372036854775807. ' +
          '`status` must be one of: available, pending, sold.',
      ),
    );
  });

  it('more than ten errors, of which it names ten', async () => {
    const names = Array.from({ length: 11 }, (_, index) => `f${String(index)}`);
    const fields = names.map((name) => `"${name}":0`).join(',');
    expect(await post(`{"name":"Rex","categoryId":7,${fields}}`)).to.deep.equal(
      invalid(`${names.slice(0, 10).map(unknown).join(' ')} And 1 more.`),
    );
  });

  it('a field name of more than 64 characters, which it truncates', async () => {
    expect(await post(`{"name":"Rex","categoryId":7,"${'🐕'.repeat(65)}":0}`)).to.deep.equal(
      invalid(unknown(`${'🐕'.repeat(64)}…`)),
    );
    expect(await post(`{"name":"Rex","categoryId":7,"${'n'.repeat(64)}":0}`)).to.deep.equal(
      invalid(unknown('n'.repeat(64))),
    );
  });

  it('a query parameter, together with the errors of the body', async () => {
    const pageUnknown = 'Unknown query parameter `page`; this operation takes none.';
    expect(await post('{"name":"Rex","categoryId":7}', '/v1/pets?page=1')).to.deep.equal(invalid(pageUnknown));
    expect(await post('{"name":"Rex"}', '/v1/pets?page=1')).to.deep.equal(
      invalid(`Missing body field \`categoryId\`. ${pageUnknown}`),
    );
  });

  it('a percent escape in the query that cannot be decoded', async () => {
    expect(await post('{"name":"Rex","categoryId":7}', '/v1/pets?%=1')).to.deep.equal(
      apiError(400, 'malformed_url', 'The URL has an invalid percent-encoding. Encode a percent sign as %25.'),
    );
  });
});
