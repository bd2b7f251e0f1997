import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ContractDocument } from '@contract-server/core/contract/document.js';
import { keyPrefixesOf } from '@contract-server/core/contract/security.js';
import { runTool } from '@contract-server/test-support/run-tool.js';
import { directoryWith, ToolProcess, writeFiles } from '@contract-server/test-support/servers/tool-process.js';
import { expect } from 'chai';

const generate = (directory: string, ...options: readonly string[]) =>
  runTool(directory, 'generate', 'contract.yaml', ...options);
const types = 'generated/contract.d.ts';

describe('contract-server generate', function () {
  // It loads the TypeScript compiler.
  this.timeout(60_000);

  const paths = { '/pets': { get: { operationId: 'listPets', responses: { 200: { description: '' } } } } };
  const contract = { openapi: '3.0.4', info: { title: 'Pets', version: '1.0.0' }, paths };

  it('fails with --check, and writes nothing, if the file is missing or stale', async () => {
    const directory = directoryWith({ 'contract.yaml': contract });
    const command = 'npx contract-server generate contract.yaml';
    const stale = `${types} is stale. Run \`${command}\`, and commit what it writes.\n`;
    expect(await generate(directory, '--check')).to.deep.equal({ code: 1, stdout: '', stderr: stale });
    expect(existsSync(join(directory, 'generated'))).to.equal(false);
    const wrote = `Wrote ${types}: 1 operation, 0 schemas.\n`;
    expect(await generate(directory)).to.deep.equal({ code: 0, stdout: wrote, stderr: '' });
    const upToDate = `${types} is up to date: 1 operation, 0 schemas.\n`;
    expect(await generate(directory, '--check')).to.deep.equal({ code: 0, stdout: upToDate, stderr: '' });
    writeFiles(directory, { 'contract.yaml': { ...contract, info: { title: 'Pets', version: '2' } } });
    expect(await generate(directory, '--check')).to.deep.equal({ code: 1, stdout: '', stderr: stale });
  });

  it('does not write a file that is up to date', async () => {
    const directory = directoryWith({ 'contract.yaml': contract });
    const modified = () => statSync(join(directory, types), { bigint: true }).mtimeNs;
    await generate(directory);
    const before = modified();
    const real = await new ToolProcess(directory, ['generate', 'contract.yaml']).finish();
    const stdout = `${types} is up to date: 1 operation, 0 schemas.\n`;
    expect(real).to.deep.equal({ code: 0, stdout, stderr: '' });
    expect(modified()).to.equal(before);
  });

  it('prints JSON with --json, with every file of the contract', async () => {
    const $ref = 'parts/pets.yaml';
    const directory = directoryWith({
      'contract.yaml': { ...contract, paths: { '/pets': { $ref } } },
      [$ref]: paths['/pets'],
    });
    const { code, stdout, stderr } = await generate(directory, '--json', '--output', 'types.d.ts');
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).to.deep.equal({
      output: 'types.d.ts',
      isStale: true,
      operations: 1,
      schemas: 0,
      warnings: [],
      files: [join(directory, 'contract.yaml'), join(directory, $ref)],
    });
    expect(existsSync(join(directory, 'types.d.ts'))).to.equal(true);
  });

  it('declares the security requirements of each operation, those of the root by default', async () => {
    const responses = { 200: { description: 'Pets' } };
    const security = [{ token: ['read'], 'api-key': [] }, {}];
    const secured = {
      '/pets': { get: { operationId: 'listPets', responses } },
      '/pet': { get: { operationId: 'getPet', responses, security } },
      '/health': { get: { responses, security: [] } },
    };
    const schemeOf = (scheme: string) => ({ type: 'http', scheme });
    const components = { securitySchemes: { token: schemeOf('bearer'), 'api-key': schemeOf('basic') } };
    const root = [{ token: [] }, { 'api-key': [] }];
    const directory = directoryWith({
      'contract.yaml': { ...contract, security: root, paths: secured, components },
    });
    expect((await generate(directory)).code).to.equal(0);
    expect(readFileSync(join(directory, types), 'utf8')).to.contain(
      "    readonly listPets: readonly [readonly ['token'], readonly ['api-key']];\n" +
        "    readonly getPet: readonly [readonly ['token', 'api-key'], readonly []];\n" +
        '    readonly "GET /health": readonly [];\n',
    );
  });

  it('names the place of each mistake in the contract', async () => {
    const operation = () => ({ responses: { 200: {} } });
    const directory = directoryWith({
      'contract.yaml': { ...contract, paths: { '/pets': { get: operation(), post: operation() } } },
    });
    const { code, stdout, stderr } = await generate(directory);
    expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
    const lines = stderr.trimEnd().split('\n');
    expect(lines.map((line) => line.replace(/^contract\.yaml:\d+:\d+ /, ''))).to.deep.equal([
      '/pets: The field `description` must be present on this level.',
      '/pets: The field `description` must be present on this level.',
      'With `--lenient` (option `lenient`), some of these problems are warnings.',
    ]);
  });

  for (const [args, message] of [
    [[], "missing required argument 'contract'"],
    [
      ['a.yaml'],
      "command-argument value 'a.yaml' is invalid for argument 'contract'; it cannot be read: no such file or directory",
    ],
    [['.'], "command-argument value '.' is invalid for argument 'contract'; it is not a file"],
    [['contract.yaml', 'b.yaml'], "too many arguments for 'generate'; expected 1 argument but got 2"],
    [['contract.yaml', '--chek'], "unknown option '--chek'; did you mean --check?"],
  ] as const)
    it(`exits with 2 for \`generate ${args.join(' ')}\``, async () => {
      const directory = directoryWith({ 'contract.yaml': contract });
      const { code, stdout, stderr } = await runTool(directory, 'generate', ...args);
      expect({ code, stdout }).to.deep.equal({ code: 2, stdout: '' });
      expect(stderr).to.equal(`error: ${message}\n`);
    });

  it('declares the environments of the security scheme whose key prefixes the server uses', async () => {
    const securitySchemes = {
      user: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
      station: { $ref: '#/components/securitySchemes/partner' },
      partner: { type: 'apiKey', in: 'header', name: 'X-Key', 'x-key-prefixes': { live: 'a_', test: 'b_' } },
      service: { type: 'http', scheme: 'bearer', 'x-key-prefixes': { production: 'c_' } },
    };
    const paths = { '/pets': { get: { operationId: 'listPets', responses: { 200: { description: 'Pets' } } } } };
    const contract = {
      openapi: '3.0.4',
      info: { title: 'Pets', version: '1.0.0' },
      paths,
      components: { securitySchemes },
    };
    const directory = directoryWith({ 'contract.yaml': contract });
    expect((await generate(directory)).code).to.equal(0);
    expect(readFileSync(join(directory, types), 'utf8')).to.contain("readonly environmentName: 'live' | 'test';");
    expect(keyPrefixesOf(contract as unknown as ContractDocument)).to.deep.equal({ live: 'a_', test: 'b_' });
  });

  it('warns of a default that is not filled in, and declares it as optional', async () => {
    const parameters = [
      { name: 'limit', in: 'query', schema: { type: 'integer', default: 20 } },
      { name: 'status', in: 'query', schema: { type: 'string', enum: ['sold'], default: null } },
    ];
    const paths = {
      '/pets': { get: { operationId: 'listPets', parameters, responses: { 200: { description: '' } } } },
    };
    const contract = { openapi: '3.0.4', info: { title: 'Pets', version: '1.0.0' }, paths };
    const directory = directoryWith({ 'contract.yaml': contract });
    const { code, stderr } = await generate(directory);
    expect(stderr).to.match(
      /^Warning: contract\.yaml:21:13 listPets: The default null is not filled in: `default` must be one of: sold\.\n$/,
    );
    expect(code).to.equal(0);
    expect(readFileSync(join(directory, types), 'utf8')).to.contain("readonly listPets: { readonly query: 'limit';");
  });

  it('writes nothing and fails for warnings with --strict', async () => {
    const schemas = { Colour: { type: 'string', format: 'colour' } };
    const directory = directoryWith({ 'contract.yaml': { ...contract, components: { schemas } } });
    const warning = /^Warning: contract\.yaml:\d+:\d+ The format `colour` is not validated\.\n/;
    const { code, stdout, stderr } = await generate(directory, '--strict');
    expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
    expect(stderr)
      .to.match(warning)
      .and.match(/\nWrote nothing, because --strict allows no warnings\.\n$/);
    expect(existsSync(join(directory, 'generated'))).to.equal(false);
    const json = await generate(directory, '--strict', '--json');
    expect(json).to.deep.include({ code: 1, stderr: '' });
    expect((JSON.parse(json.stdout) as { warnings: string[] }).warnings).to.have.length(1);
    expect(await generate(directory)).to.deep.include({ code: 0, stdout: `Wrote ${types}: 1 operation, 1 schema.\n` });
  });

  it('reports every problem with --all', async () => {
    const responses = { 200: { description: '' } };
    const operation = { parameters: [{ name: 'a', in: 'query', content: { 'text/csv': {} } }], responses };
    const many = Array.from({ length: 22 }, (_, index) => [`/${String(index)}`, { get: operation }] as const);
    const directory = directoryWith({
      'contract.yaml': JSON.stringify({ ...contract, paths: Object.fromEntries(many) }, undefined, 2),
    });
    const some = (await generate(directory)).stderr.trimEnd().split('\n');
    expect(some).to.have.length(21);
    expect(some.at(-1)).to.equal('And 2 more: `contract-server generate --all` reports every problem.');
    const all = (await generate(directory, '--all')).stderr.trimEnd().split('\n');
    expect(all).to.have.length(22);
    expect(all.slice(0, 20)).to.deep.equal(some.slice(0, 20));
  });

  it('ignores a `$ref` in data, and the files of examples and discriminators', async () => {
    const data = { link: { $ref: 'missing.json' }, path: { $ref: '#/components/schemas/100%' } };
    const discriminator = { propertyName: 'kind', mapping: { site: './missing.yml' } };
    const source = { $ref: '#/components/schemas/Missing' };
    const Link = { type: 'object', example: data, 'x-source': source, properties: { kind: {} }, discriminator };
    const content = { 'application/json': { examples: { large: { externalValue: 'missing.json' } } } };
    const get = { operationId: 'listPets', responses: { 200: { description: '', content } } };
    const directory = directoryWith({
      'contract.yaml': { ...contract, paths: { '/pets': { get } }, components: { schemas: { Link } } },
    });
    expect(await generate(directory)).to.deep.equal({
      code: 0,
      stdout: `Wrote ${types}: 1 operation, 1 schema.\n`,
      stderr: '',
    });
  });

  it('declares required properties of a schema that allows null', async () => {
    const Base = { type: 'object', nullable: true, properties: { id: { type: 'integer' } } };
    const Pet = { allOf: [{ $ref: '#/components/schemas/Base' }], required: ['id'] };
    const directory = directoryWith({ 'contract.yaml': { ...contract, components: { schemas: { Base, Pet } } } });
    expect((await generate(directory)).code).to.equal(0);
    expect(readFileSync(join(directory, types), 'utf8'))
      .to.contain('readonly Pet: WithRequired<components["schemas"]["Base"], "id">;')
      .and.contain('type WithRequired<T, K extends PropertyKey> = T & {')
      .and.contain('[P in K]-?: P extends keyof T ? T[P] : unknown;');
  });

  it('declares null for `nullable` in OpenAPI 3.1, and writes types of a contract with webhooks only', async () => {
    const responses = { 200: { description: '' } };
    const Name = { type: 'string', enum: ['a'], nullable: true };
    const recent = { ...contract, openapi: '3.1.1', paths: undefined, components: { schemas: { Name } } };
    const directory = directoryWith({
      'contract.yaml': { ...recent, webhooks: { created: { post: { responses } } } },
    });
    expect((await generate(directory)).code).to.equal(0);
    const written = readFileSync(join(directory, types), 'utf8');
    expect(written).to.contain('Name: "a" | null;').and.contain('readonly defaults: {\n  };');
  });
});
