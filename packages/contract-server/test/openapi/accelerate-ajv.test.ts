import { inspect } from 'node:util';
import { Ajv, type Options as AjvOptions } from 'ajv';
import addFormats from 'ajv-formats';
import { expect } from 'chai';
import { OpenAPIBackend, type Options } from 'openapi-backend';
import { accelerate } from '#src/index.js';
import { errorOf } from '../support/error-of.js';
import {
  createBoth,
  createOptions,
  expectSame,
  recorder,
  type Sent,
  sendToBoth,
} from './differential/both-backends.js';
import { plain } from './differential/plain.js';
import { type createDocument, responses } from './differential/toys-document.js';

const create = (body: unknown): Sent => ({ method: 'POST', path: '/v1/toys', headers: {}, body });

/** A document with one operation, whose query parameter and whose field have a schema. */
function documentWith(schema: object, openapi = '3.0.4'): Options['definition'] {
  const operation = {
    operationId: 'createToy',
    security: [],
    parameters: [{ name: 'value', in: 'query', schema }],
    requestBody: { content: { 'application/json': { schema: { type: 'object', properties: { value: schema } } } } },
    responses,
  };
  const document = { openapi, info: { title: 'Toys', version: '1.0.0' }, paths: { '/toys': { post: operation } } };
  return document as unknown as Options['definition'];
}

/** The options for a document with the operation createToy only. */
function optionsFor(definition: Options['definition']): Partial<Options> {
  const handlers = { createToy: recorder('createToy'), validationFail: recorder('validationFail') };
  return { definition, handlers, securityHandlers: {} };
}

describe('accelerate, with customizeAjv and ajvOpts', () => {
  const values = (value: unknown): Sent[] => [{ ...create(undefined), query: { value } }, create({ value })];

  it('validates formats and keywords that are added to Ajv, in parameters and in bodies', async () => {
    const customizeAjv: Options['customizeAjv'] = (ajv) => {
      addFormats.default(ajv);
      ajv.addFormat('even', { type: 'number', validate: (value: number) => value % 2 === 0 });
      ajv.addKeyword({ keyword: 'x-start', validate: (start: string, text: string) => text.startsWith(start) });
      return ajv;
    };
    for (const [schema, valid, invalid] of [
      [{ type: 'string', format: 'email' }, 'a@b.example', 'a'],
      [{ type: 'string', 'x-start': 'a' }, 'ab', 'b'],
      [{ type: 'integer', format: 'even', maximum: 8 }, 4, 3],
    ] as const) {
      const options = { ...optionsFor(documentWith(schema)), customizeAjv };
      const requests = [...values(valid), ...values(invalid)];
      const handlers = await expectSame(options, ...requests);
      expect(handlers).to.deep.equal(['createToy', 'createToy', 'validationFail', 'validationFail']);
      const ignored = await expectSame({ ...options, customizeAjv: (ajv) => ajv }, ...values(invalid));
      expect(ignored).to.deep.equal(['createToy', 'createToy']);
    }
  });

  it('calls customizeAjv with the context of bodies and of parameters', async () => {
    const contexts: unknown[] = [];
    const customizeAjv: Options['customizeAjv'] = (ajv, { coerceTypes }, context) => {
      contexts.push([context, coerceTypes]);
      ajv.addFormat('short', (text: string) => text.length < (coerceTypes === true ? 3 : 5));
      return ajv;
    };
    const options = { ...optionsFor(documentWith({ type: 'string', format: 'short' })), customizeAjv };
    const handlers = await expectSame(options, ...values('abcd'));
    expect(handlers).to.deep.equal(['validationFail', 'createToy']);
    expect(contexts)
      .to.deep.include(['paramsValidator', true])
      .and.to.deep.include(['requestBodyValidator', undefined]);
  });

  it('rejects a customizeAjv that returns another Ajv', async () => {
    const options = createOptions({ customizeAjv: (_, options) => new Ajv(options) });
    expect(await errorOf(accelerate(new OpenAPIBackend(options)))).to.have.property(
      'message',
      'Return the Ajv that customizeAjv receives, with your formats and keywords added to it.',
    );
  });

  const respected: readonly (readonly [options: AjvOptions, schema: object, value: unknown])[] = [
    [{ formats: { short: /^.{0,3}$/ } }, { type: 'string', format: 'short' }, 'long text'],
    [
      { keywords: [{ keyword: 'x-short', validate: (_: unknown, text: string) => text.length < 4 }] },
      { 'x-short': true },
      'long text',
    ],
    [{ validateFormats: false }, { type: 'string', format: 'byte' }, '!'],
    [{ removeAdditional: true }, { type: 'object', properties: {}, additionalProperties: false }, { a: 1 }],
    [{ useDefaults: 'empty' }, { type: 'object', properties: { a: { type: 'string', default: 'b' } } }, { a: '' }],
    [{ useDefaults: false }, { type: 'object', properties: { a: { type: 'string', default: 'b' } } }, {}],
    [{ unicodeRegExp: false }, { type: 'string', pattern: '^.$' }, '🐕'],
    [
      { ownProperties: true, loopRequired: 1, inlineRefs: false, $comment: true },
      { type: 'object', required: ['a'] },
      {},
    ],
    [{ allErrors: true }, { type: 'object', required: ['a', 'b'] }, {}],
    [{ messages: false, verbose: true }, { type: 'string' }, 1],
    [{ strict: true, strictSchema: true, allowUnionTypes: true }, { type: 'string' }, 1],
  ];
  for (const [ajvOpts, schema, value] of respected)
    it(`respects ${inspect(ajvOpts, { breakLength: Infinity })}`, async () => {
      const definition = () => documentWith({ type: 'object', properties: { value: schema } });
      const body = { value: { value } };
      const both = await createBoth(() =>
        createOptions({ ...optionsFor(bodyOnly(definition())), ajvOpts: { logger: false, ...ajvOpts } }),
      );
      const { stock, accelerated } = await sendToBoth(both, () => create(structuredClone(body)));
      expect(plain(accelerated)).to.deep.equal(plain(stock));
      const errors = ({ validator }: OpenAPIBackend) => {
        const [validate] = validator.getRequestValidatorsForOperation('createToy');
        validate?.({ requestBody: structuredClone(body) });
        return validate?.errors?.map(({ message, keyword, data }) => ({ message, keyword, data }));
      };
      expect(errors(both.accelerated)).to.deep.equal(errors(both.stock));
    });

  it('rejects every unsupported option by name, all at once', async () => {
    const ajvOpts: AjvOptions = { $data: true, coerceTypes: 'array', multipleOfPrecision: 2, removeAdditional: 'all' };
    const error = await errorOf(accelerate(new OpenAPIBackend(createOptions({ ajvOpts }))));
    expect((error as Error).message.split('\n')).to.deep.equal([
      'Remove $data from ajvOpts: write the values themselves in the contract.',
      'Remove coerceTypes from ajvOpts: parameters always have their types, and a body is validated as it was sent.',
      'Remove multipleOfPrecision from ajvOpts: decimals are validated exactly.',
      "Use removeAdditional: true in ajvOpts: 'all' would remove headers.",
    ]);
  });

  it('reports a number that is out of bounds as JSON, with a message', async () => {
    const { accelerated } = await createBoth();
    const { errors } = accelerated.validateRequest({
      method: 'POST',
      path: '/v1/toys',
      headers: {},
      body: { name: 'a', weight: 0 },
    });
    const weight = JSON.parse(JSON.stringify(errors)) as unknown;
    expect(weight).to.deep.equal([
      {
        keyword: 'exactNumber',
        instancePath: '/requestBody/weight',
        schemaPath: '#/properties/weight/exactNumber',
        params: { type: 'integer' },
        message: 'must be an integer from 1 to 9223372036854775807',
      },
    ]);
  });
});

/** The document with its body only. */
function bodyOnly(definition: Options['definition']): Options['definition'] {
  const { post } = (definition as ReturnType<typeof createDocument>).paths['/toys'] ?? {};
  delete post?.parameters;
  return definition;
}
