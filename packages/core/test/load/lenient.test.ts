import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { errorsOf, place } from '@contract-server/test-support/contract/contract-errors.js';
import { runTool } from '@contract-server/test-support/run-tool.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { createRequest } from '@contract-server/testing/create-request.js';
import { expect } from 'chai';
import { createRouter } from 'contract-server/index.js';
import express from 'express';
import supertest from 'supertest';
import { buildContract, readContract } from '#dist/load/load-contract.js';
import { loadDocument } from '#dist/load/load-document.js';
import type { ContractTypes } from '#dist/types/types.js';

const hint = 'With `--lenient` (option `lenient`), some of these problems are warnings.';
const head = (openapi: string) => `openapi: ${openapi}\ninfo: { title: A, version: "1" }\n`;
const operation = (text: string) => `${head('3.0.4')}paths: { /a: { get: { ${text} } } }\n`;
const schema = (openapi: string, text: string) =>
  `${head(openapi)}paths: {}\ncomponents: { schemas: { A: { ${text} } } }\n`;

/** Each case has a contract, what is wrong with it, what it means, and the part that is read in its place. */
const cases: readonly (readonly [text: string, problem: string, meaning: string, path: string, value: unknown])[] = [
  [
    operation('responses: { "200": {} }'),
    'The field `description` must be present on this level',
    'it is empty',
    'paths./a.get.responses.200',
    { description: '' },
  ],
  [
    operation('summary: A'),
    'The field `responses` must be present on this level',
    'any response is allowed',
    'paths./a.get.responses',
    { default: { description: 'Any response', content: { '*/*': {} } } },
  ],
  [
    operation(
      'responses: { default: { description: A } } } }, "/b?c=d": { get: { responses: { default: { description: A } }',
    ),
    "Don't put query string items in the path, they belong in parameters with `in: query`",
    'the path is not served',
    'paths./b?c=d',
    undefined,
  ],
  [
    operation(
      'responses: { default: { description: A } } } }, "/b/{c}": { get: { parameters: [{ name: c, in: path, schema: {} }], responses: { default: { description: A } }',
    ),
    'The path parameter c lacks `required: true`',
    'it is read as required',
    'paths./b/{c}.get.parameters[0].required',
    true,
  ],
  [
    schema('3.1.0', 'minimum: 1, exclusiveMinimum: true'),
    'Expected type `number` but got `boolean`',
    'it is read as in OpenAPI 3.0',
    'components.schemas.A',
    { exclusiveMinimum: 1 },
  ],
  [
    schema('3.1.0', 'maximum: 1, exclusiveMaximum: false'),
    'Expected type `number` but got `boolean`',
    'it is read as in OpenAPI 3.0',
    'components.schemas.A',
    { maximum: 1 },
  ],
  [
    schema('3.0.4', 'minimum: 1, exclusiveMinimum: 2'),
    'Expected type `boolean` but got `integer`',
    'it is read as in OpenAPI 3.1',
    'components.schemas.A',
    { minimum: 2, exclusiveMinimum: true },
  ],
  [
    schema('3.0.4', 'maximum: 1, exclusiveMaximum: 2.5'),
    'Expected type `boolean` but got `number`',
    'it is read as in OpenAPI 3.1',
    'components.schemas.A',
    { maximum: 1 },
  ],
  [
    schema('3.0.4', 'type: ["null", string], maxLength: 3'),
    '`type` can be one of the following only: "object", "array", "string", "number", "integer", "boolean"',
    'it is read as in OpenAPI 3.1',
    'components.schemas.A',
    { type: 'string', nullable: true, maxLength: 3 },
  ],
  [
    schema('3.0.4', 'const: a'),
    'Property `const` is not expected here',
    'it is read as in OpenAPI 3.1',
    'components.schemas.A',
    { enum: ['a'] },
  ],
  [
    schema('3.0.4', 'examples: [a]'),
    'Property `examples` is not expected here',
    'it is read as in OpenAPI 3.1',
    'components.schemas.A',
    {},
  ],
  [
    schema('3.1.0', 'required: true, type: string'),
    'Expected type `array` but got `boolean`',
    'it is ignored; list the names in the schema of the object',
    'components.schemas.A',
    { type: 'string' },
  ],
  [
    `${head('3.1.0').replace('version: "1"', 'version: "1", license: {}')}paths: {}\n`,
    'The field `name` must be present on this level',
    'it is empty',
    'info.license',
    { name: '' },
  ],
];

describe('lenient reading of a contract', () => {
  for (const [text, problem, meaning, path, value] of cases) {
    it(`accepts with a warning, and otherwise refuses with a hint: ${problem}; ${path}`, async () => {
      const lines = await errorsOf({ 'contract.yaml': text });
      expect(lines[0]).to.contain(problem);
      expect(lines.at(-1)).to.equal(hint);
      const { url } = place({ 'contract.yaml': text });
      const { document, warnings } = await loadDocument(url, { isLenient: true });
      expect(warnings).to.have.length(1);
      expect(warnings[0])
        .to.match(/^\S+\.yaml:\d+:\d+ /)
        .and.contain(`${problem}; ${meaning}.`);
      const escaped = path.replace(
        /^paths\.(\/[^.]+)/,
        (_, template: string) => `paths.${template.replaceAll('.', '\\.')}`,
      );
      if (value === undefined) expect(document).to.not.have.nested.property(escaped);
      else expect(document).to.have.nested.property(escaped).that.deep.equals(value);
    });
  }

  it('reads the path of a server whose URL is invalid', async () => {
    for (const [url, prefix] of [
      ['https://{host}', '/'],
      ['http://:80/v2/', '/v2/'],
    ] as const) {
      const variables = url.includes('{') ? ', variables: { host: { default: "" } }' : '';
      const text = `${head('3.1.0')}servers: [{ url: "${url}"${variables} }]\npaths: {}\n`;
      expect((await errorsOf({ 'contract.yaml': text })).at(-1)).to.equal(hint);
      const { document, warnings } = await loadDocument(place({ 'contract.yaml': text }).url, { isLenient: true });
      expect(document.servers).to.deep.equal([{ url: prefix }]);
      expect(warnings[0]).to.contain(`is invalid; its path is read as ${prefix}.`);
    }
  });

  it('refuses what has no evident meaning, without a hint', async () => {
    const wrong = [
      schema('3.0.4', 'type: [string, number]'),
      schema('3.0.4', 'minLength: "1"'),
      operation('sumary: A, responses: { default: { description: A } }'),
      operation('responses: { default: { description: A } }, secuirty: []'),
    ];
    for (const text of wrong) {
      expect(await errorsOf({ 'contract.yaml': text })).to.not.include(hint);
      const { url, directory } = place({ 'contract.yaml': text });
      const error: unknown = await loadDocument(url, { isLenient: true }).catch((thrown: unknown) => thrown);
      expect(String(error).replaceAll(relative('', directory), '')).to.match(/^ContractError: \/contract\.yaml:/);
    }
  });

  const contract = operation('operationId: a, responses: { "200": {} }');

  it('is an option of routers and tests, and its result is what the build records', async () => {
    const { url } = place({ 'contract.yaml': contract });
    const handlers = { a: () => Promise.resolve({ status: 200 }) } as object;
    const server = express().use(await createRouter<ContractTypes>()({ contract: url, lenient: true, handlers }));
    await supertest(server).get('/a').expect(200);
    const request = await createRequest({ contract: url, lenient: true, server, coverageDirectory: false });
    await request.get('/a').expect(200);
    const checkedContract = pathToFileURL(join(temporaryDirectory(), 'checked.json'));
    await buildContract({ contract: url, lenient: true, checkedContract });
    const checked = JSON.parse(readFileSync(checkedContract, 'utf8')) as { document: object };
    writeFileSync(checkedContract, JSON.stringify({ ...checked, document: { ...checked.document, 'x-read': 1 } }));
    const { document, bytes } = await readContract({ contract: url, lenient: true, checkedContract });
    expect(document).to.have.property('x-read', 1);
    expect(bytes.toString()).to.contain("description: ''");
    const strict: unknown = await readContract({ contract: url, checkedContract }).catch((error: unknown) => error);
    expect(String(strict)).to.contain(hint);
  });

  it('is an option of the commands', async function () {
    this.timeout(60_000);
    const { directory } = place({ 'contract.yaml': contract });
    const refused = await runTool(directory, 'generate', 'contract.yaml');
    expect(refused).to.include({ code: 1 });
    expect(refused.stderr).to.contain(hint);
    const generated = await runTool(directory, 'generate', 'contract.yaml', '--lenient');
    expect(generated).to.include({ code: 0 });
    expect(generated.stderr).to.match(/^Warning: contract\.yaml:3:\d+ a: The field `description` .+; it is empty\.\n$/);
    const equal = await runTool(directory, 'diff', 'contract.yaml', 'contract.yaml', '--lenient');
    expect(equal).to.include({ code: 0 });
  });
});
