import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { type ContractDocument, keyPrefixesOf } from '#src/openapi/document.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const program = fileURLToPath(import.meta.resolve('#src/cli/contract-server.js'));

/** Runs `contract-server generate` in a folder. */
function generate(directory: string, ...options: readonly string[]) {
  const args = [program, 'generate', 'contract.yaml', ...options];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: directory, encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('contract-server generate', function () {
  // It loads the TypeScript compiler.
  this.timeout(60_000);

  it('fails with --check, and writes nothing, if the file is missing or stale', () => {
    const directory = temporaryDirectory();
    const paths = { '/pets': { get: { operationId: 'listPets', responses: { 200: { description: '' } } } } };
    const contract = { openapi: '3.0.4', info: { title: 'Pets', version: '1.0.0' }, paths };
    writeFileSync(join(directory, 'contract.yaml'), stringify(contract));
    const stale = 'generated/contract.d.ts is stale. Run `contract-server generate`, and commit what it writes.\n';
    expect(generate(directory, '--check')).to.deep.equal({ status: 1, stdout: '', stderr: stale });
    expect(existsSync(join(directory, 'generated'))).to.equal(false);
    expect(generate(directory)).to.deep.equal({ status: 0, stdout: '', stderr: '' });
    expect(generate(directory, '--check')).to.deep.equal({ status: 0, stdout: '', stderr: '' });
    writeFileSync(join(directory, 'contract.yaml'), stringify({ ...contract, info: { title: 'Pets', version: '2' } }));
    expect(generate(directory, '--check')).to.deep.equal({ status: 1, stdout: '', stderr: stale });
  });

  it('names the place of each mistake in the contract', () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'contract.yaml'), 'openapi: 2.0.0\n');
    const message = 'contract.yaml:1:1 OpenAPI 2.0.0 is not supported; use 3.0 or 3.1.\n';
    expect(generate(directory)).to.deep.equal({ status: 1, stdout: '', stderr: message });
  });

  it('declares the environments of the security scheme whose key prefixes the server uses', () => {
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
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'contract.yaml'), stringify(contract));
    expect(generate(directory).status).to.equal(0);
    const types = readFileSync(join(directory, 'generated/contract.d.ts'), 'utf8');
    expect(types).to.contain("readonly environmentName: 'live' | 'test';");
    expect(keyPrefixesOf(contract as unknown as ContractDocument)).to.deep.equal({ live: 'a_', test: 'b_' });
  });

  it('declares the security requirements of each operation, those of the root by default', () => {
    const responses = { 200: { description: 'Pets' } };
    const both = { token: ['read'], 'api-key': [] };
    const paths = {
      '/pets': { get: { operationId: 'listPets', responses } },
      '/pet': { get: { operationId: 'getPet', responses, security: [both, {}] } },
      '/health': { get: { responses, security: [] } },
    };
    const schemeOf = (scheme: string) => ({ type: 'http', scheme });
    const components = { securitySchemes: { token: schemeOf('bearer'), 'api-key': schemeOf('basic') } };
    const info = { title: 'Pets', version: '1.0.0' };
    const directory = temporaryDirectory();
    const contract = { openapi: '3.0.4', info, security: [{ token: [] }, { 'api-key': [] }], paths, components };
    writeFileSync(join(directory, 'contract.yaml'), stringify(contract));
    expect(generate(directory)).to.deep.equal({ status: 0, stdout: '', stderr: '' });
    expect(readFileSync(join(directory, 'generated/contract.d.ts'), 'utf8')).to.contain(
      "    readonly listPets: readonly [readonly ['token'], readonly ['api-key']];\n" +
        "    readonly getPet: readonly [readonly ['token', 'api-key'], readonly []];\n" +
        '    readonly "GET /health": readonly [];\n',
    );
  });

  it('warns of a default that is not filled in, and declares it as optional', () => {
    const directory = temporaryDirectory();
    const parameters = [
      { name: 'limit', in: 'query', schema: { type: 'integer', default: 20 } },
      { name: 'status', in: 'query', schema: { type: 'string', enum: ['sold'], default: null } },
    ];
    const paths = {
      '/pets': { get: { operationId: 'listPets', parameters, responses: { 200: { description: '' } } } },
    };
    const contract = { openapi: '3.0.4', info: { title: 'Pets', version: '1.0.0' }, paths };
    writeFileSync(join(directory, 'contract.yaml'), stringify(contract));
    const { status, stderr } = generate(directory);
    expect(stderr).to.match(
      /^Warning: contract\.yaml:21:13 listPets: The default null is not filled in: `default` must be one of: sold\.\n$/,
    );
    expect(status).to.equal(0);
    const types = readFileSync(join(directory, 'generated/contract.d.ts'), 'utf8');
    expect(types).to.contain("readonly listPets: { readonly query: 'limit';");
  });
});
