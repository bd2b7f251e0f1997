import { expect } from 'chai';
import { request } from '../support/clients/request.js';
import { apiError, responseOf } from '../support/contract/response.js';
import { startService, type TestService } from '../support/servers/service.js';

const limitFault = '`limit` must be an integer from 1 to 100.';
const statusFault = '`status` must be one of: available, pending, sold.';
const unknown = (name: string) => `Unknown query parameter \`${name}\`; allowed: \`limit\`, \`status\`, \`cursor\`.`;

describe('listPets rejects', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
    for (let index = 0; index < 3; index += 1) {
      await service.stores.pets.insert({ name: 'Rex', categoryId: 7, status: index === 1 ? 'sold' : 'available' });
    }
  });

  const get = async (query: string) => responseOf(await request(service).get(`/v1/pets?${query}`));
  const invalid = (message: string) => apiError(400, 'invalid_request', message);
  const cursorOf = async (query: string) => {
    const response = await request(service).get(`/v1/pets?${query}`).expect(200);
    return /cursor=([\w-]+)>/.exec(response.get('link') ?? '')?.[1] ?? '';
  };

  const badLimits = [
    '0',
    '101',
    '-1',
    '0x10',
    '1e1',
    '+5',
    '%2B5',
    '%205',
    '5%20',
    '007',
    '1.0',
    '',
    '-0',
    'ten',
    '%00',
    '٥',
  ];
  for (const limit of [...badLimits, '18446744073709551617', '9'.repeat(5000)]) {
    it(`limit=${limit.slice(0, 24)}: not a plain decimal integer from 1 to 100`, async () => {
      expect(await get(`limit=${encodeURI(limit).replaceAll('%25', '%')}`)).to.deep.equal(invalid(limitFault));
    });
  }

  it('a limit without a value', async () => {
    expect(await get('limit')).to.deep.equal(invalid(limitFault));
  });

  for (const status of ['Sold', 'sold%20', 'unknown', '', 'available,sold']) {
    it(`status=${status}: not a status`, async () => {
      expect(await get(`status=${status}`)).to.deep.equal(invalid(statusFault));
    });
  }

  it('a parameter that is repeated, even with the same value', async () => {
    for (const [name, value] of [
      ['limit', '5'],
      ['status', 'sold'],
      ['cursor', 'a'],
    ]) {
      const fault = `\`${String(name)}\` must be sent only once.`;
      expect(await get(`${String(name)}=${String(value)}&${String(name)}=${String(value)}`)).to.deep.equal(
        invalid(fault),
      );
    }
  });

  it('a parameter that is an API key, which it does not repeat', async () => {
    const { body } = await get(`${service.token}=1`);
    const message = 'Unknown query parameter `pets_live_…`; allowed: `limit`, `status`, `cursor`.';
    expect(body).to.deep.equal({ code: 'invalid_request', message, status: 400 });
  });

  it('a cursor that is empty or longer than any issued one', async () => {
    for (const cursor of ['', 'a'.repeat(201)]) {
      expect(await get(`cursor=${cursor}`)).to.deep.equal(invalid('`cursor` must have 1 to 200 characters.'));
    }
  });

  for (const name of ['page', 'Limit', 'limit[]', 'status[0]', 'constructor', '__proto__', 'toString', 'a/b', 'a~b']) {
    it(`the unknown parameter ${name}`, async () => {
      expect(await get(`${encodeURIComponent(name)}=1`)).to.deep.equal(invalid(unknown(name)));
    });
  }

  it('several errors in one response', async () => {
    expect(await get('limit=0&status=gone&page=2')).to.deep.equal(
      invalid(`${unknown('page')} ${limitFault} ${statusFault}`),
    );
  });

  it('more query parameters than the contract allows, repeated ones included, whatever their names', async () => {
    const max = 100;
    const names = Array.from({ length: max }, (_, index) => `p${String(index)}`);
    const tooMany = invalid(`The query exceeds ${String(max)} parameters. Send fewer.`);
    for (const query of [`${names.join('&')}&limit=5`, 'limit=5&'.repeat(max + 1), '%zz&'.repeat(max + 1)]) {
      expect(await get(query)).to.deep.equal(tooMany);
    }
    const named = names.slice(0, 10).map(unknown).join(' ');
    expect(await get(`&&${names.join('&')}&`)).to.deep.equal(invalid(`${named} And ${String(max - 10)} more.`));
    expect(await get('limit=5&'.repeat(max))).to.deep.equal(invalid('`limit` must be sent only once.'));
  });

  it('more than ten errors, of which it names ten', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `p${String(index)}`);
    const named = names.slice(0, 10).map(unknown).join(' ');
    expect(await get(names.map((name) => `${name}=1`).join('&'))).to.deep.equal(invalid(`${named} And 2 more.`));
    expect(await get(names.slice(0, 10).join('&'))).to.deep.equal(invalid(named));
  });

  it('a name of more than 64 characters, which it truncates', async () => {
    expect(await get(`${'n'.repeat(64)}=1`)).to.deep.equal(invalid(unknown('n'.repeat(64))));
    expect(await get(`${'n'.repeat(65)}=1`)).to.deep.equal(invalid(unknown(`${'n'.repeat(64)}…`)));
    expect(await get(`${encodeURIComponent('🐕'.repeat(65))}=1`)).to.deep.equal(
      invalid(unknown(`${'🐕'.repeat(64)}…`)),
    );
  });

  for (const query of ['limit=%', 'limit=%5', 'cursor=%zz', 'cursor=%ff', '%=1', 'status=%c3%28', 'status=%ed%a0%80']) {
    it(`${query}: a percent escape that cannot be decoded`, async () => {
      expect(await get(query)).to.deep.equal(
        apiError(400, 'malformed_url', 'The URL has an invalid percent-encoding. Encode a percent sign as %25.'),
      );
    });
  }

  describe('a cursor', () => {
    const foreign = apiError(
      400,
      'invalid_cursor',
      'The cursor is invalid for this list. Request the first page without a cursor, and follow the next links ' +
        'unchanged.',
    );

    it('that was issued without the status filter', async () => {
      const cursor = await cursorOf('limit=1');
      expect((await get(`cursor=${cursor}`)).status).to.equal(200);
      expect(await get(`cursor=${cursor}&status=available`)).to.deep.equal(foreign);
    });

    it('that was issued for another status filter', async () => {
      const cursor = await cursorOf('limit=1&status=available');
      expect((await get(`cursor=${cursor}&status=available`)).status).to.equal(200);
      expect(await get(`cursor=${cursor}&status=sold`)).to.deep.equal(foreign);
      expect(await get(`cursor=${cursor}`)).to.deep.equal(foreign);
    });

    it('of which any character was changed, added or removed', async () => {
      const cursor = await cursorOf('limit=1');
      for (let index = 0; index < cursor.length; index += 1) {
        const other = cursor[index] === 'A' ? 'B' : 'A';
        expect(await get(`cursor=${cursor.slice(0, index)}${other}${cursor.slice(index + 1)}`)).to.deep.equal(foreign);
      }
      expect(await get(`cursor=${cursor}A`)).to.deep.equal(foreign);
      expect(await get(`cursor=${cursor}=`)).to.deep.equal(foreign);
      expect(await get(`cursor=${cursor.slice(0, -1)}`)).to.deep.equal(foreign);
    });

    it('that was never issued', async () => {
      for (const cursor of ['1', 'MQ', '%00', 'MS4uMA', '🐕', '..', 'x'.repeat(200)]) {
        expect(await get(`cursor=${encodeURIComponent(cursor)}`)).to.deep.equal(foreign);
      }
    });

    it('that is empty, or longer than any issued one', async () => {
      for (const cursor of ['', 'x'.repeat(201)]) {
        const response = await get(`cursor=${cursor}`);
        expect(response).to.deep.include({ status: 400 });
        expect(response.body)
          .to.include({ code: 'invalid_request' })
          .and.property('message')
          .match(/^`cursor` must /);
      }
    });
  });
});
