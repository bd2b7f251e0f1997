import { expect } from 'chai';
import fc from 'fast-check';
import { request } from '../support/clients/request.js';
import { useService } from '../support/servers/service.js';

const lengthFault = '`name` must have 1 to 255 characters.';
const nameFault = '`name` must have at least one visible character, and no control characters.';
const categoryFault = '`categoryId` must be an integer from -9223372036854775808 to 9223372036854775807.';

/** Whether a text has a visible character. Independent of the contract's pattern: uses the properties of Unicode. */
function isVisible(text: string): boolean {
  return /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\u2800\ufff9-\ufffb\u{1d159}]/u.test(text);
}

describe('the values of createPet', () => {
  const service = useService();

  const post = (text: string) => request(service).post('/v1/pets').type('json').send(text);
  const postName = (name: string) => post(JSON.stringify({ name, categoryId: 7 }));
  const postCategory = (categoryId: string) => post(`{"name":"Rex","categoryId":${categoryId}}`);
  /** The responses to the creation and to a later GET must be equal; compared as text, without rounding. */
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
    'a no-break space first, and within': '\u00a0Rex\u00a0II',
    'one visible character between invisible ones': '\u200b\ufe0fR\u{e0041}\u2800',
    'an emoji of several characters, some of them invisible':
      '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
    'characters that JSON escapes': '"\\/',
    'quotes, SQL and HTML': `'; DROP TABLE pets; -- <b>&amp;`,
    'combining marks, as they are, not normalized': 'Zoe\u0308',
    'right-to-left text, joiners and line separators': 'שלום\u200d\u2028\u2029\ufeff\ufffe',
  };
  for (const [title, name] of Object.entries(goodNames)) {
    it(`accepts a name with ${title}`, async () => {
      await expectStored(await postName(name).expect(201), `"name":${JSON.stringify(name)},"categoryId":7`);
    });
  }

  for (const [title, character] of Object.entries({
    characters: 'R',
    'code points beyond the Basic Multilingual Plane': '🐕',
  })) {
    it(`rejects a name with 256 ${title}`, async () => {
      await postName(character.repeat(256)).expect(400, { code: 'invalid_request', message: lengthFault, status: 400 });
    });
  }

  const badNames: Readonly<Record<string, string>> = {
    'nothing in it': '',
    'one blank': ' ',
    'many blanks': ' '.repeat(255),
    'blanks and no-break spaces': ' \u00a0 ',
    'white space of every width':
      '\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000',
    'line and paragraph separators': '\u2028\u2029',
    'the Ogham space mark': '\u1680',
    'characters of no width': '\u200b\u200c\u200d\u2060\ufeff',
    'a soft hyphen': '\u00ad',
    'marks of direction': '\u061c\u200e\u200f\u202a\u202e\u2066\u2069',
    'Hangul fillers': '\u115f\u1160\u3164\uffa0',
    'the blank Braille pattern': '\u2800',
    'variation selectors': '\ufe00\ufe0f\u{e0100}\u{e01ef}',
    'Mongolian and Khmer characters that show nothing': '\u180b\u180e\u17b4\u17b5',
    'tag characters': '\u{e0001}\u{e0041}\u{e007f}',
    'format characters of music and shorthand': '\u{1d159}\u{1d173}\u{1bca0}',
    'a NUL': 'R\0x',
    'a line feed': 'Rex\n',
    'a tab': '\tRex',
    'an escape': 'R\u001bx',
    'a DEL': 'Rex\u007f',
    'a C1 control character': 'R\u0085x',
  };
  for (const [title, name] of Object.entries(badNames)) {
    it(`rejects a name with ${title}`, async () => {
      await postName(name).expect(400, { code: 'invalid_request', message: nameFault, status: 400 });
    });
  }

  it('rejects every name that consists of Unicode white space or ignorable characters, and no other', async () => {
    const characters = Array.from({ length: 0x11_0000 }, (_, code) => code)
      .filter((code) => code < 0xd800 || code > 0xdfff)
      .map((code) => String.fromCodePoint(code));
    const invisible = characters.filter((character) => !isVisible(character) && !/\p{Cc}/u.test(character));
    for (let start = 0; start < invisible.length; start += 255) {
      await postName(invisible.slice(start, start + 255).join('')).expect(400);
    }
    // The adjacent characters are visible.
    const beside = characters.filter(
      (character, at) => isVisible(character) && [at - 1, at + 1].some((other) => !isVisible(characters[other] ?? '')),
    );
    for (const character of beside.filter((one) => !/\p{Cc}/u.test(one))) await postName(character).expect(201);
  });

  for (const name of ['null', '5', 'true', '["Rex"]', '{"first":"Rex"}']) {
    it(`rejects the name ${name}, which is not a string`, async () => {
      const message = '`name` must be a string.';
      await post(`{"name":${name},"categoryId":7}`).expect(400, { code: 'invalid_request', message, status: 400 });
    });
  }

  const goodCategories = ['0', '-1', '9007199254740991', '9007199254740992', '9007199254740993', '-9007199254740993'];
  for (const categoryId of [...goodCategories, '9223372036854775807', '-9223372036854775808', '1000000000000000001']) {
    it(`stores the category id ${categoryId} exactly`, async () => {
      await expectStored(await postCategory(categoryId).expect(201), `"name":"Rex","categoryId":${categoryId}`);
    });
  }

  it('stores the category id -0 as 0', async () => {
    await expectStored(await postCategory('-0').expect(201), '"name":"Rex","categoryId":0');
  });

  const notIntegers = ['1.0', '1e3', '1E0', '0.5', '-1.5e-1', '"1"', '""', 'null', 'true', '[1]', '{}'];
  const outside = ['9223372036854775808', '-9223372036854775809', '18446744073709551616', '1'.repeat(400)];
  for (const categoryId of [...notIntegers, ...outside]) {
    it(`rejects the category id ${categoryId.slice(0, 24)}`, async () => {
      await postCategory(categoryId).expect(400, { code: 'invalid_request', message: categoryFault, status: 400 });
    });
  }

  it('stores any 64-bit integer exactly', async () => {
    await fc.assert(
      fc.asyncProperty(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), async (categoryId) => {
        await expectStored(
          await postCategory(String(categoryId)).expect(201),
          `"name":"Rex","categoryId":${String(categoryId)}`,
        );
      }),
      { numRuns: 60 },
    );
  });

  it('stores any allowed name byte for byte', async () => {
    // Independent of the contract's pattern: code points, none of them a control character.
    const character = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 1 })
      .filter((text) => text.isWellFormed() && !/\p{Cc}/u.test(text));
    const name = fc
      .array(character, { minLength: 1, maxLength: 255, size: 'max' })
      .map((characters) => characters.join(''))
      .filter(isVisible);
    await fc.assert(
      fc.asyncProperty(name, async (text) => {
        await expectStored(await postName(text).expect(201), `"name":${JSON.stringify(text)},"categoryId":7`);
      }),
      { numRuns: 60 },
    );
  });
});
