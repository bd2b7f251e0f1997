import { expect } from 'chai';
import { requireBodyRule } from '#src/openapi/document.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import { petstore } from '../../support/cli/command-line.js';
import { request } from '../../support/clients/request.js';
import { useService } from '../../support/servers/service.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const { document } = await readContract(contractUrl);
const { bytesMax } = requireBodyRule(document, 'createPet');

const bodies: readonly string[] = [
  '{"name":"Rex","categoryId":7}',
  '{"name":"Rex","categoryId":7,"status":"pending"}',
  '{"categoryId":9223372036854775807,"name":"  a b  "}',
  '{"name":"Rex","categoryId":9223372036854775808}',
  '{"name":"Rex","categoryId":1.0}',
  '{"name":"Rex","categoryId":1e3}',
  '{"name":"Rex","categoryId":"1"}',
  '{"name":"Rex","categoryId":true}',
  '{"name":"Rex"}',
  '{"categoryId":1}',
  '{}',
  '{"name":"Rex","categoryId":1,"status":null}',
  '{"name":"Rex","categoryId":1,"status":"gone"}',
  '{"id":1,"name":"Rex","categoryId":1}',
  '{"name":"Rex","name":"Mia","categoryId":1}',
  '{"name":" ","categoryId":1}',
  '{"name":"a\\u0000","categoryId":1}',
  '{"name":"\\ud83d","categoryId":1}',
  `{"name":"${'🐈'.repeat(255)}","categoryId":1}`,
  `{"name":"${'a'.repeat(256)}","categoryId":1}`,
  '[]',
  '"Rex"',
  'null',
  '1',
  '{"name":"Rex","categoryId":1',
  '{"name":"Rex","categoryId":1}{}',
  "{'name':'Rex'}",
  '{"name":"Rex","categoryId":1}'.padEnd(bytesMax),
  '{"name":"Rex","categoryId":1}'.padEnd(bytesMax + 1),
  `${'['.repeat(65)}${']'.repeat(65)}`,
  `[${'0,'.repeat(1000)}0]`,
];

describe('petstore pets import and createPet', () => {
  const service = useService();

  for (const body of bodies) {
    it(`agree on ${body.length > 60 ? `${body.slice(0, 60).trim()}…` : body}`, async () => {
      const response = await request(service).post('/v1/pets').type('json').send(body);
      const directory = temporaryDirectory();
      const run = await petstore(['pets', 'import', '-'], { directory, stdin: body });
      if (response.status === 201) {
        const { stdout } = await petstore(['pets', 'export'], { directory });
        expect(run).to.include({ exitCode: 0, stderr: '' });
        expect(stdout.replace('"id":1,', '')).to.equal(`${response.text.replace(/"id":\d+,/, '')}\n`);
      } else {
        const { message } = response.body as { message: string };
        const sameMessage = message.replaceAll('body field', 'field').replace('The body', 'The line');
        expect(run).to.include({ exitCode: 1, stderr: `Line 1: ${sameMessage}\n` });
        expect(response.status).to.be.oneOf([400, 413]);
      }
    });
  }
});
