import { apiError, responseOf, success } from '@contract-server/test-support/contract/response.js';
import { expect } from 'chai';
import fc from 'fast-check';
import { request } from '../support/clients/request.js';
import { postPet, rexText } from '../support/pets.js';
import { useService } from '../support/servers/service.js';

const bodyOf = (name: string) => JSON.stringify({ name, categoryId: 7 });

/** Whether a text has a visible character. Independent of the contract's pattern: uses properties of Unicode. */
function isVisible(text: string): boolean {
  return /[^\p{White_Space}\p{Cc}\xad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/u.test(text);
}

describe('createPet', () => {
  const service = useService();

  /** The responses to the creation and to a later GET must be equal; compared as text, without rounding. */
  const expectStored = async (body: string, fields: string) => {
    const created = await postPet(service, body).expect(201);
    const { id } = created.body as { id: number };
    expect(created.text).to.equal(`{"id":${String(id)},${fields}}`);
    const read = await request(service).get(new URL(created.get('location') ?? '').pathname);
    expect([read.status, read.text]).to.deep.equal([200, created.text]);
  };
  const expectName = (name: string) =>
    expectStored(bodyOf(name), `"name":${JSON.stringify(name)},"categoryId":7,"status":"available"`);
  const expectCategory = (categoryId: string, stored = categoryId) =>
    expectStored(
      `{"name":"Rex","categoryId":${categoryId}}`,
      `"name":"Rex","categoryId":${stored},"status":"available"`,
    );

  it('returns 201 with the pet, its id and its Location, and lists it', async () => {
    const response = await postPet(service, '{"name":"Rex","categoryId":7,"status":"pending"}');
    const pet = response.body as { id: number };
    const location = `${service.baseUrl}/pets/${String(pet.id)}`;
    const expected = { id: pet.id, name: 'Rex', categoryId: 7, status: 'pending' };
    expect(responseOf(response)).to.deep.equal(success(201, expected, { location }));
    expect((await request(service).get('/v1/pets?limit=100&status=pending')).body).to.deep.include(pet);
  });

  it('returns to each of many concurrent requests its own pet', async () => {
    const names = Array.from({ length: 50 }, (_, index) => `Rex ${String(index)}`);
    const responses = await Promise.all(names.map((name) => postPet(service, bodyOf(name)).expect(201)));
    expect(responses.map(({ body }) => (body as { name: string }).name)).to.deep.equal(names);
    expect(new Set(responses.map(({ body }) => (body as { id: number }).id)).size).to.equal(names.length);
  });

  const fieldsOf = (status: string) => `"name":"Rex","categoryId":7,"status":"${status}"`;
  for (const [title, body, status] of [
    ['no status, which is available', rexText, 'available'],
    ...['available', 'pending', 'sold'].map(
      (status) => [`the status ${status}`, `{${fieldsOf(status)}}`, status] as const,
    ),
    ['any order and white space', ' {\r\n\t"status" : "sold" , "categoryId":7,"name":"Rex" } \n', 'sold'],
    ['escapes in field names and statuses', '{"n\\u0061me":"Rex","categoryId":7,"status":"\\u0073old"}', 'sold'],
  ] as const)
    it(`accepts ${title}`, () => expectStored(body, fieldsOf(status)));

  for (const [title, name] of [
    ['one character', 'R'],
    ['255 characters', 'R'.repeat(255)],
    ['255 code points beyond the Basic Multilingual Plane', '🐕'.repeat(255)],
    ['a leading and a trailing blank', '  Rex '],
    ['a no-break space first, and within', '\u00a0Rex\u00a0II'],
    ['one visible character between invisible ones', '\u200b\u3000R\xad\ufeff'],
    ['characters that JSON escapes', '"\\/'],
    ['quotes, SQL and HTML', `'; DROP TABLE pets; -- <b>&amp;`],
    ['combining marks, which it does not normalize', 'Zoe\u0308'],
    ['right-to-left text, joiners and line separators', 'שלום\u200d\u2028\u2029\ufeff\ufffe'],
  ] as const)
    it(`stores a name with ${title}`, () => expectName(name));

  it('stores any allowed name byte for byte', async () => {
    // Independent of the contract's pattern: code points, none of them a control character.
    const character = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 1 })
      .filter((text) => text.isWellFormed() && !/\p{Cc}/u.test(text));
    const name = fc.array(character, { minLength: 1, maxLength: 255, size: 'max' }).map((all) => all.join(''));
    await fc.assert(fc.asyncProperty(name.filter(isVisible), expectName), { numRuns: 60 });
  });

  it('rejects every name that consists of Unicode white space, soft hyphens or zero-width characters, and no other', async () => {
    const characters = Array.from({ length: 0x11_0000 }, (_, code) => code)
      .filter((code) => code < 0xd800 || code > 0xdfff)
      .map((code) => String.fromCodePoint(code));
    const invisible = characters.filter((character) => !isVisible(character) && !/\p{Cc}/u.test(character));
    const fault = '`name` must have at least one visible character, and no control characters.';
    for (let start = 0; start < invisible.length; start += 255) {
      const response = await postPet(service, bodyOf(invisible.slice(start, start + 255).join('')));
      expect(responseOf(response), String(start)).to.deep.equal(apiError(400, 'invalid_request', fault));
    }
    // The adjacent characters are visible.
    const beside = characters.filter(
      (character, at) => isVisible(character) && [at - 1, at + 1].some((other) => !isVisible(characters[other] ?? '')),
    );
    for (const character of beside) await postPet(service, bodyOf(character)).expect(201);
  });

  it('stores any 64-bit integer exactly, and -0 as 0', async () => {
    const exact = '0 -1 9007199254740991 9007199254740992 9007199254740993 9223372036854775807 -9223372036854775808';
    for (const categoryId of exact.split(' ')) await expectCategory(categoryId);
    await expectCategory('-0', '0');
    const int64 = fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n);
    const property = fc.asyncProperty(int64, (value) => expectCategory(String(value)));
    await fc.assert(property, { numRuns: 60 });
  });
});
