import { dirname, relative } from 'node:path';
import { errorsOf, place } from '@contract-server/test-support/contract/contract-errors.js';
import { expect } from 'chai';
import { loadDocument } from '#dist/load/load-document.js';

describe('loadDocument, for several files', () => {
  it('reports a missing file, a file that is not YAML, and a reference that leads nowhere', async () => {
    const head = 'openapi: 3.1.0\ninfo: { title: A, version: "1" }\npaths:\n  /a:\n    $ref: ';
    for (const [reference, error] of [
      ['b.yaml', /^api\.yaml:5:5 \/a: Can't resolve \$ref: ENOENT: .+b\.yaml'\.$/],
      ['a.yaml#/b', /^api\.yaml:5:5 \/a: Can't resolve \$ref: there is no a\.yaml#\/b\.$/],
      ['#/b', /^api\.yaml:5:5 \/a: Can't resolve \$ref: there is no #\/b\.$/],
      [
        'https://api.example/a.yaml',
        /^api\.yaml:5:5 \/a: Can't resolve \$ref: https:\/\/api\.example\/a\.yaml is a URL; refer to a file\.$/,
      ],
      ['wrong.yaml', /^wrong\.yaml:2:1 \S.*\.$/],
    ] as const) {
      const files = { 'api.yaml': `${head}"${reference}"\n`, 'a.yaml': '{}', 'wrong.yaml': 'a: [\n' };
      expect((await errorsOf(files)).at(-1)).to.match(error);
    }
    expect(await errorsOf({ 'api.yaml': '[]' })).to.deep.equal([
      'api.yaml:1:1 OpenAPI of no version is not supported; use 3.0, 3.1 or 3.2.',
    ]);
    for (const [text, line] of [
      ['', 'OpenAPI of no version is not supported; use 3.0, 3.1 or 3.2.'],
      ['a: 1\n---\na: 1\n', 'expected a single document in the stream, but found more.'],
      ['openapi: 3.1', 'Write the whole version of OpenAPI: 3.1.0.'],
      ['openapi: 3.0', 'Write the whole version of OpenAPI: 3.0.0.'],
      ['swagger: 2.0', 'OpenAPI 2.0 is not supported; use 3.0, 3.1 or 3.2.'],
    ] as const)
      expect(await errorsOf({ 'api.yaml': text })).to.deep.equal([`api.yaml:1:1 ${line}`]);
    const swagger = { 'api.yaml': 'swagger: "2.0"' };
    expect(await errorsOf(swagger)).to.deep.equal(['api.yaml:1:1 OpenAPI 2.0 is not supported; use 3.0, 3.1 or 3.2.']);
    expect((await errorsOf({ 'api.yaml': 'a: 1\na: 2\n' }))[0]).to.match(
      /^api\.yaml:2:1 duplicated mapping key in .+\.$/,
    );
  });

  it('resolves references from the file that contains them', async () => {
    const { url } = place({
      'api.yaml': [
        'openapi: 3.1.0',
        'info: { title: Books, version: 1.0.0 }',
        'paths: { /books: { $ref: paths/books.yaml } }',
        'components: { schemas: { Author: { $ref: schemas/author.yaml } } }',
      ].join('\n'),
      'paths/books.yaml': [
        'get:',
        '  operationId: listBooks',
        '  responses:',
        '    "200":',
        '      description: Books',
        '      content: { application/json: { schema: { $ref: ../schemas/book.yaml } } }',
      ].join('\n'),
      'schemas/book.yaml': [
        'type: object',
        'properties:',
        '  author: { $ref: author.yaml }',
        '  next: { $ref: "#" }',
        '  genre: { $ref: "#/$defs/genre" }',
        '$defs: { genre: { enum: [fiction] } }',
      ].join('\n'),
      'schemas/author.yaml': 'type: object\nproperties: { editor: { $ref: author.yaml } }\n',
    });
    const { document, files } = await loadDocument(url);
    const $ref = (of: string) => ({ $ref: `#/components/schemas/${of}` });
    expect(document.components?.schemas).to.deep.equal({
      Author: $ref('author'),
      author: { type: 'object', properties: { editor: $ref('author') } },
      book: {
        type: 'object',
        properties: { author: $ref('author'), next: $ref('book'), genre: $ref('genre') },
        $defs: { genre: { enum: ['fiction'] } },
      },
      genre: { enum: ['fiction'] },
    });
    expect(document.paths['/books']?.get?.responses['200']).to.deep.include({ description: 'Books' });
    const [first, ...others] = files.map((file) => relative(dirname(url.pathname), file.url.pathname));
    expect(first).to.equal('api.yaml');
    expect(others).to.have.members(['paths/books.yaml', 'schemas/author.yaml', 'schemas/book.yaml']);
  });
});
