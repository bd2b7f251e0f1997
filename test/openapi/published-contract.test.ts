import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { closeLater } from '@contract-server/test-support/closing.js';
import { expectEqualDocuments } from '@contract-server/test-support/contract/equal-documents.js';
import { runTool } from '@contract-server/test-support/run-tool.js';
import { startLibrary } from '@contract-server/test-support/second-contract/library-service.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { expect } from 'chai';
import { startService } from '../support/servers/service.js';

const services = { 'the pet store': startService, 'another contract': startLibrary };

describe('/openapi.json', () => {
  for (const [name, start] of Object.entries(services))
    it(`is the contract and nothing else, with its members in their order: ${name}`, async () => {
      const service = await start();
      if ('close' in service) closeLater(() => service.close());
      const directory = temporaryDirectory();
      const download = async (file: string) => {
        const text = await (await fetch(new URL(`/${file}`, service.baseUrl))).text();
        writeFileSync(join(directory, file), text);
        return text;
      };
      expectEqualDocuments(await download('openapi.json'), await download('openapi.yaml'));
      const diff = await runTool(directory, 'diff', 'openapi.yaml', 'openapi.json');
      expect(diff).to.deep.include({ code: 0, stderr: '' });
      expect(diff.stdout).to.match(/^0 changes since /);
    });
});
