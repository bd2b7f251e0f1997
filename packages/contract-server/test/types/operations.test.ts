import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compile, folder } from '@contract-server/test-support/compile-types.js';
import { directoryWith } from '@contract-server/test-support/servers/tool-process.js';
import { expect } from 'chai';
import { generateTypes } from '#src/generate/generate-types.js';

const noContent = { 204: { description: '' } };

const filter = { type: 'object', properties: { sizes: { type: 'array', items: { type: 'integer' } } } };

const several = { 'application/json': { schema: filter }, 'text/csv': {}, 'image/*': {} };

const paths = {
  '/files/{id}': {
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
    put: { operationId: 'files/share#add', responses: noContent },
  },
  '/books': { get: { operationId: 'listBooks', responses: { 200: { description: '', content: several } } } },
  '/files': { get: { operationId: 'listFiles', responses: noContent } },
  '/search': {
    get: {
      operationId: '',
      parameters: [
        { name: 'Authorization', in: 'header', required: true, schema: { type: 'string' } },
        { name: 'filter', in: 'query', required: true, content: { 'application/json': { schema: filter } } },
      ],
      responses: noContent,
    },
  },
};

const imports = `
  import type { Handler, Handlers, OperationRequest } from '#src/index.js';
  import type { Contract } from './operations-contract.js';`;

const cases: readonly (readonly [title: string, code: string])[] = [
  [
    'has a handler of an operationId with `#`',
    `export const handlers: Pick<Handlers<Contract>, 'files/share#add'> = {
      'files/share#add': async ({ path }) => Promise.reject(new Error(path.id)),
    };`,
  ],
  [
    'has a handler of an empty operationId, and parameters in JSON',
    `export const handlers: Pick<Handlers<Contract>, ''> = {
      '': async ({ query }) => Promise.reject(new Error(query.filter.sizes?.at(0)?.toFixed())),
    };
    export const header: OperationRequest<Contract, ''>['header'] = {};`,
  ],
  [
    'has a choice among the media types of its successes',
    `export const list: Handler<Contract, 'listBooks'> = async (_request, { accepts }) => {
      const any: 'application/json' | 'text/csv' | \`image/\${string}\` = accepts();
      const mediaType: 'application/json' | 'text/csv' | 'image/png' = accepts('application/json', 'text/csv', 'image/png');
      // @ts-expect-error -- The operation does not declare the media type.
      accepts('text/html');
      return mediaType === 'application/json' ? { status: 200, body: {} } : { status: 200, mediaType, body: any };
    };
    export const files: Handler<Contract, 'listFiles'> = async (_request, { accepts }) => {
      // @ts-expect-error -- The operation declares no media type.
      accepts('text/csv');
      return { status: 204 };
    };`,
  ],
  [
    'has an empty object for a place without parameters',
    `type Request = OperationRequest<Contract, 'listFiles'>;
    export const request: Request = {
      ...{ path: {}, query: {}, header: {}, cookie: {}, mediaType: undefined, body: undefined },
    };
    // @ts-expect-error -- A text is not an object.
    export const query: Request['query'] = '';
    // @ts-expect-error -- There is no such parameter.
    request.query.page;`,
  ],
];

describe('the types of an operation', function () {
  this.timeout(60_000);

  let messages: readonly (readonly string[])[];
  before(async () => {
    const contract = { openapi: '3.1.1', info: { title: 'A', version: '1' }, paths };
    const url = pathToFileURL(join(directoryWith({ 'contract.yaml': contract }), 'contract.yaml'));
    const files = cases.map(
      ([, code], index) => [`${folder}types/operation-${String(index)}.ts`, imports + code] as const,
    );
    const generated = [`${folder}types/operations-contract.ts`, (await generateTypes(url)).types] as const;
    messages = compile(new Map([...files, generated]));
  });

  for (const [index, [title]] of cases.entries())
    it(title, () => {
      expect(messages[index]).to.deep.equal([]);
    });
});
