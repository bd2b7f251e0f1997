import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { place } from '@contract-server/test-support/contract/contract-errors.js';
import { startApi } from '@contract-server/test-support/contract/start-api.js';
import { expect } from 'chai';
import { generateTypes } from 'contract-server/generate/generate-types.js';
import { stringify } from 'yaml';
import { contractOf as compiledOf } from '#dist/contract/contract.js';
import type { ContractDocument } from '#dist/contract/document.js';
import { viewerDocument } from '#dist/contract/viewer-document.js';
import { stringifyJson } from '#dist/json/exact-json.js';
import { buildContract, readContract } from '#dist/load/load-contract.js';
import { loadDocument } from '#dist/load/load-document.js';
import { describeErrors } from '#dist/schema/validation-messages.js';

const big = 9007199254740993n;
const long = { type: 'integer', format: 'int64' };

function contractOf(openapi: string, schema: object) {
  const operation = {
    operationId: 'createPet',
    requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } } },
    responses: { 200: { description: 'Created' } },
  };
  const document = { openapi, info: { title: 'Pets', version: '1.0.0' }, paths: { '/pets': { post: operation } } };
  return { ...document, components: { schemas: { Pet: { type: 'object', properties: { id: schema } } } } };
}

const formats = [
  ['YAML', 'api.yaml', (value: object) => stringify(value)],
  ['JSON', 'api.json', (value: object) => stringifyJson(value)],
] as const;

/** Writes a contract, and returns its URL. */
function write(openapi: string, schema: object, [, name, write]: (typeof formats)[number] = formats[0]): URL {
  return place({ [name]: write(contractOf(openapi, schema)) }).url;
}

async function validatorOf(url: URL) {
  const { router, validator } = await startApi((await loadDocument(url)).document);
  /** The body that the handler receives, or what is wrong. */
  return (body: object): unknown => {
    const request = { method: 'POST', path: '/pets', query: '', headers: {}, body };
    const { errors } = validator.validateRequest(request, router.getOperation('createPet'));
    return (errors ?? []).length === 0 ? router.parseRequest(request).requestBody : describeErrors(errors ?? []);
  };
}

/** The values just below, at and above 2^53 + 1, each with whether it is valid. */
type Row = readonly [title: string, openapi: string, schema: object, below: boolean, at: boolean, above: boolean];

const versions = ['3.0.4', '3.1.1'];
const inBoth = (title: string, schema: object, ...valid: readonly [boolean, boolean, boolean]): Row[] =>
  versions.map((openapi) => [title, openapi, schema, ...valid]);

// biome-ignore format: a table
const rows: readonly Row[] = [
  ...inBoth('minimum', { ...long, minimum: big }, false, true, true),
  ...inBoth('maximum', { ...long, maximum: big }, true, true, false),
  ...inBoth('minimum without a format', { type: 'integer', minimum: big }, false, true, true),
  ...inBoth('maximum without a format', { type: 'integer', maximum: big }, true, true, false),
  ...inBoth('minimum without a type', { minimum: big }, false, true, true),
  ...inBoth('maximum without a type', { maximum: big }, true, true, false),
  ...inBoth('maximum in allOf', { allOf: [long, { maximum: big }] }, true, true, false),
  ...inBoth('minimum of a number', { type: 'number', minimum: big }, false, true, true),
  ...inBoth('maximum of a number', { type: 'number', maximum: big }, true, true, false),
  ['exclusiveMinimum', '3.0.4', { ...long, minimum: big, exclusiveMinimum: true }, false, false, true],
  ['exclusiveMinimum', '3.1.1', { ...long, exclusiveMinimum: big }, false, false, true],
  ['exclusiveMinimum of a number', '3.1.1', { type: 'number', exclusiveMinimum: big }, false, false, true],
  ['exclusiveMaximum', '3.0.4', { ...long, maximum: big, exclusiveMaximum: true }, true, false, false],
  ['exclusiveMaximum', '3.1.1', { ...long, exclusiveMaximum: big }, true, false, false],
  ...inBoth('multipleOf', { ...long, multipleOf: big }, false, true, false),
  ...inBoth('multipleOf of a number', { type: 'number', multipleOf: big }, false, true, false),
  ...inBoth('enum', { ...long, enum: [1, big] }, false, true, false),
  ...inBoth('enum without a format', { type: 'integer', enum: [big] }, false, true, false),
  ...inBoth('enum without a type', { enum: [big] }, false, true, false),
  ...inBoth('enum of a number', { type: 'number', enum: [big] }, false, true, false),
  ...inBoth('enum in allOf with a number', { allOf: [{ type: 'number' }, { enum: [big] }] }, false, true, false),
  ...inBoth('enum of objects', { enum: [{ of: big }, big] }, false, true, false),
  ...inBoth('not', { ...long, not: { enum: [big] } }, true, false, true),
  ['const', '3.1.1', { ...long, const: big }, false, true, false],
  ['const without a type', '3.1.1', { const: big }, false, true, false],
];

describe('an integer of a contract beyond 2^53', () => {
  for (const format of formats)
    for (const [title, openapi, schema, ...expected] of rows)
      it(`is exact in ${format[0]} and OpenAPI ${openapi}: ${title}`, async () => {
        const validate = await validatorOf(write(openapi, schema, format));
        const isValid = [big - 1n, big, big + 1n].map((id) => typeof validate({ id }) === 'object');
        expect(isValid).to.deep.equal(expected);
      });

  it('is an exact default, also within an object', async () => {
    const plain = await validatorOf(write('3.0.4', { ...long, default: 9223372036854775807n }));
    expect(plain({})).to.deep.equal({ id: 9223372036854775807n });
    const inner = { type: 'object', default: { of: big }, properties: { of: long } };
    const nested = await validatorOf(write('3.1.1', inner));
    expect(nested({})).to.deep.equal({ id: { of: big } });
  });

  it('lets a number that a schema of integers also allows remain exact, and makes any other one a double', async () => {
    const both = await validatorOf(write('3.1.1', { anyOf: [{ type: 'number' }, long] }));
    expect(both({ id: big })).to.deep.equal({ id: big });
    const number = await validatorOf(write('3.1.1', { type: 'number', maximum: big }));
    expect(number({ id: big })).to.deep.equal({ id: 9007199254740992 });
  });

  it('is exact in the messages of errors', async () => {
    const validate = await validatorOf(write('3.1.1', { ...long, minimum: big }));
    expect(validate({ id: 1 })).to.equal('`id` must be an integer, at least 9007199254740993.');
    const listed = await validatorOf(write('3.1.1', { ...long, enum: [1, big] }));
    expect(listed({ id: 2 })).to.equal('`id` must be one of: 1, 9007199254740993.');
  });

  it('remains a double where it is a length or an extension, or has more than 64 bits', async () => {
    const schema = { type: 'string', maxLength: big, 'x-size': big, example: -9223372036854775809n };
    const { document } = await loadDocument(write('3.0.4', schema));
    expect(document)
      .to.have.nested.property('components.schemas.Pet.properties.id')
      .that.deep.equals({
        type: 'string',
        ...{ maxLength: Number(big), 'x-size': Number(big), example: -(2 ** 63) },
      });
  });

  it('is exact in the document of the build, in that of the viewer, and in one of several files', async () => {
    const schema = { ...long, minimum: -9223372036854775808n, maximum: 9223372036854775807n, example: big };
    const text = stringify(contractOf('3.0.4', { $ref: 'id.yaml' }));
    const { url, directory } = place({ 'api.yaml': text, 'id.yaml': stringify(schema) });
    const checkedContract = pathToFileURL(`${directory}/checked.json`);
    await buildContract({ contract: url, checkedContract });
    const built = await readContract({ contract: url, checkedContract });
    const { document } = await loadDocument(url);
    expect(built.document).to.deep.equal(document);
    for (const digits of ['-9223372036854775808', '9223372036854775807', '9007199254740993']) {
      expect(built.bytes.toString()).to.contain(`: ${digits}\n`);
      expect(stringifyJson(viewerDocument(compiledOf(document as ContractDocument), {}))).to.contain(`:${digits}`);
      expect(readFileSync(checkedContract, 'utf8')).to.contain(`:${digits}`);
    }
  });

  it('is a literal type, or makes the type of an integer include bigint', async () => {
    const typesOf = async (schema: object) => (await generateTypes(write('3.1.1', schema))).types;
    expect(await typesOf({ ...long, enum: [1, big, -big] })).to.contain(
      'readonly id?: 1 | 9007199254740993n | -9007199254740993n;',
    );
    expect(await typesOf({ ...long, const: big })).to.contain('readonly id?: 9007199254740993n;');
    expect(await typesOf({ type: 'integer', maximum: big })).to.contain('readonly id?: number | bigint;');
    expect(await typesOf({ ...long, default: big })).to.contain('@default 9007199254740993\n');
  });
});
