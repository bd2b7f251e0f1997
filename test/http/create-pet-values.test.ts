import { expect } from 'chai';
import fc from 'fast-check';
import { request } from '../support/request.js';
import { startService, type TestService } from '../support/service.js';

const nameFault = 'Body field name must have 1 to 255 characters, not blank, without control characters.';
const categoryFault = 'Body field categoryId must be an integer from -9223372036854775808 to 9223372036854775807.';

describe('createPet, value by value', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.close());

  const post = (text: string) => request(service).post('/v1/pets').type('json').send(text);
  const postName = (name: string) => post(JSON.stringify({ name, categoryId: 7 }));
  const postCategory = (categoryId: string) => post(`{"name":"Rex","categoryId":${categoryId}}`);
  /** The answer to a creation and a later look at the animal must agree; compared as text, which rounds nothing. */
  const expectStored = async (created: { text: string; body: unknown }, tail: string) => {
    const { id } = created.body as { id: number };
    const expected = `{"id":${String(id)},${tail},"status":"available"}`;
    expect(created.text).to.equal(expected);
    const read = await request(service)
      .get(`/v1/pets/${String(id)}`)
      .expect(200);
    expect(read.text).to.equal(expected);
  };

  const goodNames: Readonly<Record<string, string>> = {
    'one character': 'R',
    '255 characters': 'R'.repeat(255),
    '255 code points beyond the Basic Multilingual Plane': '🐕'.repeat(255),
    'a leading and a trailing blank, which it keeps': '  Rex ',
    'a no-break space within': 'Rex\u00a0II',
    'characters that JSON escapes': '"\\/',
    'quotes, SQL and HTML': `'; DROP TABLE pets; -- <b>&amp;`,
    'combining marks, as they are, not normalized': 'Zoe\u0308',
    'right-to-left text, joiners and line separators': 'שלום\u200d\u2028\u2029\ufeff\ufffe',
  };
  for (const [title, name] of Object.entries(goodNames)) {
    it(`takes a name with ${title}`, async () => {
      await expectStored(await postName(name).expect(201), `"name":${JSON.stringify(name)},"categoryId":7`);
    });
  }

  const badNames: Readonly<Record<string, string>> = {
    'nothing in it': '',
    '256 characters': 'R'.repeat(256),
    '256 code points beyond the Basic Multilingual Plane': '🐕'.repeat(256),
    'one blank': ' ',
    'many blanks': ' '.repeat(255),
    'a no-break space first': '\u00a0Rex',
    'a no-break space first after blanks': '  \u00a0Rex',
    'a NUL': 'R\0x',
    'a line feed': 'Rex\n',
    'a tab': '\tRex',
    'an escape': 'R\u001bx',
    'a DEL': 'Rex\u007f',
    'a C1 control character': 'R\u0085x',
  };
  for (const [title, name] of Object.entries(badNames)) {
    it(`refuses a name with ${title}`, async () => {
      await postName(name).expect(400, { code: 'invalid_request', message: nameFault, status: 400 });
    });
  }

  for (const name of ['null', '5', 'true', '["Rex"]', '{"first":"Rex"}']) {
    it(`refuses the name ${name}, which is no string`, async () => {
      const message = 'Body field name must be of type string.';
      await post(`{"name":${name},"categoryId":7}`).expect(400, { code: 'invalid_request', message, status: 400 });
    });
  }

  const goodCategories = ['0', '-1', '9007199254740991', '9007199254740992', '9007199254740993', '-9007199254740993'];
  for (const categoryId of [...goodCategories, '9223372036854775807', '-9223372036854775808', '1000000000000000001']) {
    it(`takes the category ${categoryId}, digit for digit`, async () => {
      await expectStored(await postCategory(categoryId).expect(201), `"name":"Rex","categoryId":${categoryId}`);
    });
  }

  const notIntegers = ['1.0', '1e3', '1E0', '0.5', '-1.5e-1', '"1"', '""', 'null', 'true', '[1]', '{}'];
  const outside = ['9223372036854775808', '-9223372036854775809', '18446744073709551616', '1'.repeat(400)];
  for (const categoryId of [...notIntegers, ...outside]) {
    it(`refuses the category ${categoryId.slice(0, 24)}`, async () => {
      await postCategory(categoryId).expect(400, { code: 'invalid_request', message: categoryFault, status: 400 });
    });
  }

  it('stores any 64-bit integer digit for digit', async () => {
    await fc.assert(
      fc.asyncProperty(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), async (categoryId) => {
        await expectStored(await postCategory(String(categoryId)).expect(201), `"name":"Rex","categoryId":${String(categoryId)}`);
      }),
      { numRuns: 60 },
    );
  });

  it('stores any name that is allowed byte for byte', async () => {
    // Written independently of the contract's pattern: whole code points, none of them a control character.
    const character = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 1 })
      .filter((text) => text.isWellFormed() && !/\p{Cc}/u.test(text));
    const name = fc
      .array(character, { minLength: 1, maxLength: 255, size: 'max' })
      .map((characters) => characters.join(''))
      .filter((text) => !/^ *(\u00a0|$)/.test(text));
    await fc.assert(
      fc.asyncProperty(name, async (text) => {
        await expectStored(await postName(text).expect(201), `"name":${JSON.stringify(text)},"categoryId":7`);
      }),
      { numRuns: 60 },
    );
  });
});
