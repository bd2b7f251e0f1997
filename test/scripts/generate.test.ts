import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { temporaryDirectory } from '../support/temporary-directory.js';

const script = fileURLToPath(new URL('../../../build/scripts/generate.js', import.meta.url));

describe('npm run generate', () => {
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
    const { status, stderr } = spawnSync(process.execPath, [script, directory], { encoding: 'utf8' });
    expect(stderr).to.match(
      /^Warning: \S+contract\.yaml:21:13 listPets: The default null is not filled in: `default` must be one of: sold\.\n$/,
    );
    expect(status).to.equal(0);
    const types = readFileSync(join(directory, 'generated/extensions.d.ts'), 'utf8');
    expect(types).to.contain("readonly listPets: { readonly query: 'limit';");
  });
});
