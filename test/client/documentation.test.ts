import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import ts from 'typescript';

const file = fileURLToPath(new URL('../../../dist/client/petstore-client.d.ts', import.meta.url));
const types = [
  ...['PetstoreClient', 'PetstoreClientOptions', 'CallOptions', 'CreateOptions', 'ListQuery', 'Pet', 'NewPet'],
  ...['PetPage', 'CallResult', 'PetstoreError', 'ClientHooks', 'RequestEvent', 'ResponseEvent', 'RetryEvent'],
];
/** The members of an error that TypeScript declares. */
const inherited = ['name', 'message', 'stack', 'cause'].map((member) => `PetstoreError.${member}`);

/** What editors show for each member of the types: `Pet.id` and its documentation, with that of its tags. */
function readDocumentation(): Map<string, string> {
  const options = { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022, types: [] };
  const program = ts.createProgram([file], options);
  const checker = program.getTypeChecker();
  const module = checker.getSymbolAtLocation(program.getSourceFile(file) as ts.Node) as ts.Symbol;
  const documentation = new Map<string, string>();
  for (const symbol of checker.getExportsOfModule(module).filter(({ name }) => types.includes(name))) {
    const original = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    for (const member of checker.getDeclaredTypeOfSymbol(original).getProperties()) {
      const tags = member.getJsDocTags(checker).map((tag) => `@${tag.name} ${ts.displayPartsToString(tag.text)}`);
      const text = [ts.displayPartsToString(member.getDocumentationComment(checker)), ...tags].join('\n').trim();
      documentation.set(`${symbol.name}.${member.name}`, text);
    }
  }
  return documentation;
}

describe('the documentation that editors show', function () {
  // The compiler is slow on a busy machine.
  this.timeout(60_000);
  let documentation: Map<string, string>;
  before(() => (documentation = readDocumentation()));

  it('describes every method, option, field and event', () => {
    expect(documentation.size).to.be.greaterThan(50);
    const undocumented = [...documentation].filter(([name, text]) => text === '' && !inherited.includes(name));
    expect(undocumented).to.deep.equal([]);
  });

  it('has the descriptions of the contract, and marks deprecated operations', () => {
    expect(documentation.get('Pet.categoryId')).to.contain("@description The id of the pet's category.");
    const deprecated = [...documentation].filter(([, text]) => /^@deprecated/m.test(text)).map(([name]) => name);
    expect(deprecated).to.deep.equal(['PetstoreClient.getPet']);
  });
});
