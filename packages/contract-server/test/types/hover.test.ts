import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { folder } from '@contract-server/test-support/compile-types.js';
import { directoryWith } from '@contract-server/test-support/servers/tool-process.js';
import { expect } from 'chai';
import ts from 'typescript';
import { generateTypes } from '#src/generate/generate-types.js';

const operation = { operationId: 'getBook', summary: 'Get a book', deprecated: true };
const paths = { '/book': { get: { ...operation, responses: { 200: { description: 'OK' } } } } };
const contract = { openapi: '3.1.1', info: { title: 'Books', version: '1' }, paths };

const places: readonly (readonly [title: string, code: string])[] = [
  ['of handlers', `export const handlers: Handlers<Contract> = { getBook: async () => ({ status: 200 }) };`],
  [
    'of a router',
    `void createRouter<Contract>()({ contract: 'a', handlers: { getBook: async () => ({ status: 200 }) } });`,
  ],
  [
    'of a service',
    `export const service = createService<Contract>()({
      name: 'a',
      contract: new URL('a', import.meta.url),
      create: () => ({ handlers: { getBook: async () => ({ status: 200 }) } }),
    });`,
  ],
];

/** The documentation and the tags that an editor shows for the name of the handler. */
function documentationIn(files: ReadonlyMap<string, string>, name: string): readonly [string, readonly unknown[]] {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined };
  const { options = {} } =
    ts.getParsedCommandLineOfConfigFile(`${folder}tsconfig.json`, { noUnusedLocals: false }, host) ?? {};
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getCurrentDirectory: () => folder,
    getDefaultLibFileName: (settings) => ts.getDefaultLibFilePath(settings),
    getScriptFileNames: () => [...files.keys()],
    getScriptVersion: () => '1',
    getScriptSnapshot: (path) => {
      const text = files.get(path) ?? ts.sys.readFile(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    fileExists: (path) => files.has(path) || ts.sys.fileExists(path),
    readFile: (path) => files.get(path) ?? ts.sys.readFile(path),
    directoryExists: (path) => ts.sys.directoryExists(path),
  });
  expect(service.getSemanticDiagnostics(name).map(({ messageText }) => messageText)).to.deep.equal([]);
  const info = service.getQuickInfoAtPosition(name, files.get(name)?.lastIndexOf('getBook') ?? 0);
  return [ts.displayPartsToString(info?.documentation), info?.tags ?? []];
}

describe('the name of a handler', function () {
  this.timeout(60_000);

  let types: string;
  before(async () => {
    const url = pathToFileURL(join(directoryWith({ 'contract.yaml': contract }), 'contract.yaml'));
    ({ types } = await generateTypes(url));
  });

  for (const [title, code] of places)
    it(`has the summary of its operation in an editor, and is not deprecated with it, in the handlers ${title}`, () => {
      const imports = `import { createRouter, createService, type Handlers } from '#src/index.js';
        import type { Contract } from './hover-contract.js';\n`;
      const files = new Map([
        [`${folder}types/hover-contract.ts`, types],
        [`${folder}types/hover.ts`, imports + code],
      ]);
      expect(documentationIn(files, `${folder}types/hover.ts`)).to.deep.equal(['Get a book', []]);
    });
});
