import { runTool } from '@contract-server/test-support/run-tool.js';
import { directoryWith } from '@contract-server/test-support/servers/tool-process.js';
import { expect } from 'chai';

type Json = Readonly<Record<string, unknown>>;

/** Content of JSON. */
export const json = (schema: object) => ({ 'application/json': { schema } });

/** A contract of OpenAPI 3.1 with a circular schema, without components if there are no schemas. */
export const contractWith = (version: string, node: Json = {}, operation: Json = {}, root: Json = {}) => ({
  openapi: '3.1.0',
  info: { title: 'Trees', version },
  paths: {
    '/trees/{treeId}': {
      parameters: [{ name: 'treeId', in: 'path', required: true, schema: { type: 'string' } }],
      put: {
        operationId: 'putTree',
        parameters: [{ name: 'dry', in: 'query', schema: { type: 'boolean' } }],
        requestBody: { content: json({ $ref: '#/components/schemas/Node' }) },
        responses: { 200: { description: 'The tree', content: json({ $ref: '#/components/schemas/Node' }) } },
        ...operation,
      },
    },
  },
  components: {
    schemas: {
      Node: {
        type: 'object',
        properties: { name: { type: 'string', maxLength: 9 }, left: { $ref: '#/components/schemas/Node' } },
        ...node,
      },
    },
  },
  ...root,
});

export const released = contractWith('1.2.3');
/** Of a changed schema. */
export const properties = { name: { type: 'string', maxLength: 8 }, left: { $ref: '#/components/schemas/Node' } };

/** Runs `contract-server diff` on two contracts. */
export const diff = (before: object, after: object, ...options: readonly string[]) =>
  runTool(directoryWith({ 'a.yaml': before, 'b.yaml': after }), 'diff', 'a.yaml', 'b.yaml', ...options);

/** The changes and problems that `--json` prints. */
export async function found(before: object, after: object) {
  const { code, stdout, stderr } = await diff(before, after, '--json');
  expect(stderr).to.equal('');
  const { problems, changes } = JSON.parse(stdout) as { problems: string[]; changes: Record<string, string | null>[] };
  return {
    code,
    problems,
    changes: changes.map(({ effect, operation, place, change }) => [effect, operation, place, change]),
  };
}
