import { relative } from 'node:path';
import { place } from '@contract-server/test-support/contract/contract-errors.js';
import { errorOf } from '@contract-server/test-support/error-of.js';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { loadDocument } from '#dist/load/load-document.js';

const contract = `openapi: 3.1.0
info: { title: Books, version: "1" }
paths:
  /books/{isbn}:
    get:
      operationId: getBook
      tags: [books, public]
      parameters:
        - { name: isbn, in: path, required: true, schema: { type: string } }
        - { name: draft, in: query, schema: { type: boolean } }
        - { name: view, in: query, schema: { $ref: "#/components/schemas/View" } }
      responses: { "200": { description: A book. } }
  /books%20old:
    get: { responses: { "200": { description: Old books. } } }
components:
  schemas:
    View: { type: string, enum: [full, brief], default: full }
    Count: { type: integer, maximum: 9007199254740993 }
`;

const head = 'overlay: 1.0.0\ninfo: { title: Changes, version: "1" }\nactions:\n';

/** Loads a contract with the actions of an overlay, one a line. */
function load(actions: readonly string[], text = contract) {
  const overlay = head + actions.map((action) => `  - ${action}\n`).join('');
  const { directory, url } = place({ 'contract.yaml': text, 'overlay.yaml': overlay });
  const options = { overlay: new URL('overlay.yaml', url) };
  const strip = (line: string) => line.replaceAll(`${relative('', directory)}/`, '');
  const loaded = loadDocument(url, options).then(({ document, warnings }) => ({
    document: document as unknown as Record<string, never>,
    warnings: warnings.map(strip),
  }));
  return { loaded, lines: async () => strip(((await errorOf(loaded)) as Error).message).split('\n') };
}

const loaded = (actions: readonly string[], text?: string) => load(actions, text).loaded;
const problems = (actions: readonly string[], text?: string) => load(actions, text).lines();

interface Loaded {
  readonly info: object;
  readonly paths: Record<string, { get: { tags: string[]; parameters: { name: string }[]; description?: string } }>;
  readonly components: { schemas: Record<string, object> };
}

describe('an overlay of a contract', () => {
  it('merges objects, appends to arrays and replaces other values, in the order of its actions', async () => {
    const { document, warnings } = await loaded([
      '{ target: $, update: { x-error-codes: { book_not_found: { status: 404 } } } }',
      '{ target: $.info, update: { title: Library, description: More., version: "2" } }',
      '{ target: "$.paths.*.get", update: { tags: [internal], description: first } }',
      `{ target: "$.paths['/books/{isbn}'].get", update: { description: second } }`,
      '{ target: $.components.schemas.View.enum, update: long }',
      '{ target: $.components.schemas.View, update: { type: [string, "null"] } }',
    ]);
    const { info, paths, components } = document as unknown as Loaded;
    expect(warnings).to.deep.equal([]);
    expect(document).to.have.deep.property('x-error-codes', { book_not_found: { status: 404 } });
    expect(info).to.deep.equal({ title: 'Library', description: 'More.', version: '2' });
    expect(paths['/books/{isbn}']?.get).to.deep.include({
      tags: ['books', 'public', 'internal'],
      description: 'second',
    });
    expect(paths['/books%20old']?.get).to.deep.include({ tags: ['internal'], description: 'first' });
    expect(components.schemas['View']).to.deep.equal({
      type: ['string', 'null'],
      enum: ['full', 'brief', 'long'],
      default: 'full',
    });
  });

  it('appends 20,000 items to an array by an action each, whatever else the contract contains', async () => {
    const actions = Array.from({ length: 20_000 }, (_, index) => `{ target: "$['x-list']", update: ${String(index)} }`);
    const { document } = await loaded(actions, `${contract}x-list: []\n`);
    expect(document['x-list']).to.have.length(20_000).and.have.property('19999', 19_999);
  });

  it('removes the items that are selected, in whatever order', async () => {
    for (const [items, left] of [
      ['[::-1]', []],
      ['[1,0]', ['c']],
      ['[-1,0,0]', ['b']],
    ] as const) {
      const actions = [
        '{ target: $.info, update: { x-items: [a, b, c] } }',
        `{ target: "$.info['x-items']${items}", remove: true }`,
      ];
      const { document } = await loaded(actions);
      expect(document['info']).to.deep.include({ 'x-items': left });
    }
  });

  it('removes members and items, several of an array at once, and what is removed can be written again', async () => {
    const { document } = await loaded([
      `{ target: "$.paths['/books/{isbn}'].get.parameters[?@.in == 'query']", remove: true, update: { ignored: true } }`,
      `{ target: "$.paths['/books%20old']", remove: true }`,
      `{ target: $.components.schemas.View.default, remove: true }`,
      `{ target: $.components.schemas.Count, remove: true }`,
      `{ target: $.components.schemas, update: { Count: { type: string } } }`,
    ]);
    const { paths, components } = document as unknown as Loaded;
    expect(Object.keys(paths)).to.deep.equal(['/books/{isbn}']);
    expect(paths['/books/{isbn}']?.get.parameters.map(({ name }) => name)).to.deep.equal(['isbn']);
    expect(components.schemas).to.deep.equal({
      View: { type: 'string', enum: ['full', 'brief'] },
      Count: { type: 'string' },
    });
  });

  it('changes only the selected value where YAML has aliases, and keeps integers exact', async () => {
    const text = contract.replace('schemas:', 'schemas:\n    One: &one { type: object }\n    Other: *one');
    const { document } = await loaded(
      [
        '{ target: $.components.schemas.One, update: { maxProperties: 3 } }',
        '{ target: "$.components.schemas[?@.maximum > 5]", update: { minimum: 9007199254740991, exclusiveMinimum: -9007199254740995 } }',
        '{ target: "$.components.schemas[?@.minimum > 5]", update: { title: Exact } }',
      ],
      text,
    );
    const { schemas } = (document as unknown as Loaded).components;
    expect(schemas).to.deep.include({ One: { type: 'object', maxProperties: 3 }, Other: { type: 'object' } });
    expect(schemas['Count']).to.deep.equal({
      type: 'integer',
      maximum: 9007199254740993n,
      minimum: 9007199254740991,
      exclusiveMinimum: -9007199254740995n,
      title: 'Exact',
    });
  });

  it('can refer to files relative to the contract', async () => {
    const update = '{ Author: { $ref: parts/author.yaml } }';
    const { url } = place({
      'api/contract.yaml': contract,
      'api/parts/author.yaml': 'type: string\nmaxLength: 10\n',
      'overlays/overlay.yaml': `${head}  - { target: $.components.schemas, update: ${update} }\n`,
    });
    const { document, files, overlay } = await loadDocument(url, { overlay: new URL('../overlays/overlay.yaml', url) });
    expect(document.components?.schemas).to.deep.include({
      Author: { $ref: '#/components/schemas/author' },
      author: { type: 'string', maxLength: 10 },
    });
    expect(files.map((file) => file.url.pathname.split('/').at(-1))).to.deep.equal(['contract.yaml', 'author.yaml']);
    expect(overlay?.url.pathname.split('/').at(-1)).to.equal('overlay.yaml');
  });

  it('warns about a target that selects nothing, an action without effect, and another contract', async () => {
    const actions = ['{ target: $.paths.x.y, remove: true }', '{ target: $.info }'];
    expect((await loaded(actions)).warnings).to.deep.equal([
      'overlay.yaml:4:7 `$.paths.x.y` selects nothing in the contract.',
      'overlay.yaml:5:7 The action has neither `update` nor `remove`.',
    ]);
    for (const [named, count] of [
      ['other.yaml', 1],
      ['./contract.yaml', 0],
      ['https://api.example/openapi.yaml', 0],
    ] as const) {
      const overlay = stringify({
        overlay: '1.0.0',
        info: { title: '', version: '' },
        extends: named,
        actions: [{ target: '$.info', update: { title: 'A' } }],
      }).replaceAll('""', 'A');
      const { url } = place({ 'contract.yaml': contract, 'overlay.yaml': overlay });
      const { warnings } = await loadDocument(url, { overlay: new URL('overlay.yaml', url) });
      expect(warnings).to.have.length(count);
    }
  });

  it('is refused with file, line and reason if it is invalid', async () => {
    expect(
      await problems([
        '{ target: "$.info[", update: {} }',
        '{ target: $.info.title, update: Library }',
        '{ target: $.info, update: Library }',
        '{ target: $, remove: true }',
      ]),
    ).to.deep.equal([
      'overlay.yaml:4:7 `$.info[` is not a JSONPath of RFC 9535: see character 8.',
      'overlay.yaml:5:7 `update` cannot change a string; select the object that contains it.',
      'overlay.yaml:6:7 `update` must be an object, as what `target` selects is.',
      'overlay.yaml:7:7 `$` is the whole contract, which cannot be removed.',
    ]);
    expect(await problems(['{ target: $.info, updates: {} }', '{ remove: "yes" }'])).to.deep.equal([
      'overlay.yaml:4:23 Unknown field `updates`.',
      'overlay.yaml:5:7 `remove` must be boolean.',
    ]);
    // None of them is well-typed (RFC 9535, section 2.4.3).
    const notTyped = [
      ...['!starts_with(@.a)', 'constructor(@.a)', '!match(@.a)', 'length(@.a, @.a) < 3', '!length(@.a)', 'count(@.*)'],
      ...["match(@.a, 'x') == true", 'count(1) > 0', 'count(length(@.a)) > 0', 'length(@.*) < 3', "!match(@..a, 'x')"],
      ...['length(@[0,1]) < 3', "@.a == search(@.a, 'x')", '!(@.a || $[?!match(@.a, count(@.*), 1)])'],
    ].map((filter) => `$[?${filter}]`);
    expect(
      await problems(notTyped.map((target) => `{ target: ${JSON.stringify(target)}, remove: true }`)),
    ).to.deep.equal(
      notTyped.map(
        (target, index) => `overlay.yaml:${String(index + 4)}:7 \`${target}\` is not a JSONPath of RFC 9535.`,
      ),
    );
    const typed = [
      'length(@.a) < 3',
      'count(@.*) > 9',
      'value(@..a) == 1',
      "!match(@.a, 'x') && @.b",
      "search(value(@..a), $['b'][0])",
    ];
    const { warnings } = await loaded(
      typed.map((filter) => `{ target: ${JSON.stringify(`$['x-none'][?${filter}]`)}, remove: true }`),
    );
    expect(warnings).to.have.length(typed.length);
    for (const [overlay, sentence] of [
      ['overlay: 1.1.0', 'overlay.yaml:1:1 An overlay 1.1.0 is not supported; use overlay: 1.0.0.'],
      ['openapi: 3.0.0', 'overlay.yaml:1:1 An overlay of no version is not supported; use overlay: 1.0.0.'],
      ['overlay: 1.0.0', 'overlay.yaml:1:1 The document lacks `actions`.\noverlay.yaml:1:1 The document lacks `info`.'],
      ['a: [', 'overlay.yaml:2:1 unexpected end of the stream within a flow collection'],
    ] as const) {
      const { directory, url } = place({ 'contract.yaml': contract, 'overlay.yaml': `${overlay}\n` });
      const error = await errorOf(loadDocument(url, { overlay: new URL('overlay.yaml', url) }));
      expect((error as Error).message.replaceAll(`${relative('', directory)}/`, '')).to.contain(sentence);
    }
  });

  it('places a problem where its part is written, in the contract or in the overlay', async () => {
    expect(
      await problems(
        [
          `{ target: "$.paths['/books/{isbn}'].get.parameters[1]", remove: true }`,
          `{ target: "$.paths['/books/{isbn}'].get.parameters", update: { name: a, in: query, schema: { type: text } } }`,
          `{ target: "$.paths['/books/{isbn}'].get", update: { x-rate-limit: { requests: 0, seconds: 1 } } }`,
          '{ target: $.components.schemas.View, update: { minLength: -1 } }',
          '{ target: $.components.schemas.View.enum, update: [1, full] }',
        ],
        contract.replace('name: view,', 'name: view, style: label,'),
      ),
    ).to.deep.equal([
      'contract.yaml:11:11 getBook: The query parameter view has the style label, which is not supported; use form or spaceDelimited or pipeDelimited or deepObject.',
      'overlay.yaml:5:104 getBook: `type` can be one of the following only: "object", "array", "string", "number", "integer", "boolean", "null".',
      'overlay.yaml:6:73 getBook: `requests` must be >= 1.',
      'overlay.yaml:7:63 The value of the minLength field must be greater than or equal to 0.',
    ]);
    expect((await loaded(['{ target: $.components.schemas.View, update: { enum: [1] } }'])).warnings).to.deep.equal([
      'overlay.yaml:4:59 All values of `enum` field must be of the same type as the `type` field: expected "string" but received "integer".',
    ]);
  });
});
