import { withoutPrefix } from '@contract-server/test-support/contract/ping-contracts.js';
import { directoryWith, ToolProcess } from '@contract-server/test-support/servers/tool-process.js';
import { expect } from 'chai';

/** Runs the command without a package. Node.js 26 deprecates `register`, but 20 has no other hook of its kind. */
const programWithout = (name: string) => `
import { register } from 'node:module';
process.noDeprecation = true;
const hook = \`export async function resolve(specifier, context, next) {
  if (specifier !== '${name}') return next(specifier, context);
  throw Object.assign(new Error("Cannot find package '${name}' imported from a module"), { code: 'ERR_MODULE_NOT_FOUND' });
}\`;
register('data:text/javascript,' + encodeURIComponent(hook));
await import('${import.meta.resolve('#src/cli/contract-server.js')}');
`;

describe('contract-server generate without its optional packages', () => {
  for (const name of ['openapi-typescript', 'typescript'])
    it(`names what to install if ${name} is missing`, async () => {
      const directory = directoryWith({ 'contract.yaml': withoutPrefix, 'run.mjs': programWithout(name) });
      const run = new ToolProcess(directory, ['generate', 'contract.yaml'], `${directory}/run.mjs`);
      expect(await run.finish()).to.deep.equal({
        code: 1,
        stdout: '',
        stderr:
          'error: generate needs openapi-typescript and typescript: ' +
          'npm install --save-dev openapi-typescript typescript@5\n',
      });
    });
});
