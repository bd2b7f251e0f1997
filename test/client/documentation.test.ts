import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import ts from 'typescript';
import { parse } from 'yaml';

interface Described {
  readonly description?: string;
}

interface Contract {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described & { readonly operationId: string }>>>>;
  readonly components: {
    readonly parameters: Readonly<Record<string, Described & { readonly name: string }>>;
    readonly schemas: Readonly<Record<string, { readonly properties?: Readonly<Record<string, Described>> }>>;
  };
}

const root = fileURLToPath(new URL('../../../', import.meta.url));
const contract = parse(readFileSync(`${root}spec/petstore.yaml`, 'utf8')) as Contract;
/** A file of a user, which does not exist on disk. */
const path = `${root}test/client/user.ts`;
const types = [
  ...['PetstoreClient', 'PetstoreClientOptions', 'CallOptions', 'CreateOptions', 'ListQuery'],
  ...['Pet', 'NewPet', 'PetPage', 'CallResult<Pet>', 'PetstoreError'],
  ...['ClientHooks', 'RequestEvent', 'ResponseEvent', 'RetryEvent'],
];
const imported = types.map((type) => `type ${type.replace(/<.*/, '')}`).join(', ');
const head = [
  `import { ${imported} } from '../../dist/client/petstore-client.js';`,
  ...types.map((type) => `declare const ${variableOf(type)}: ${type};`),
  '',
].join('\n');

/** The members of these types that TypeScript declares. */
const inherited = ['name', 'message', 'stack', 'cause'];

function variableOf(type: string): string {
  return `a${type.replace(/<.*/, '')}`;
}

/** What an editor shows for a member of a variable: its documentation, and that of its tags. */
function hoversOf(expressions: readonly string[]): Map<string, string> {
  const service = serviceOf(head + expressions.map((expression) => `void ${expression};\n`).join(''));
  let position = head.length;
  const hovers = expressions.map((expression): [string, string] => {
    position += `void ${expression};\n`.length;
    const info = service.getQuickInfoAtPosition(path, position - ';\n'.length - 1);
    const parts = [info?.documentation, ...(info?.tags ?? []).map(({ text }) => text)];
    return [expression, parts.map((part) => ts.displayPartsToString(part)).join('\n')];
  });
  return new Map(hovers);
}

/** The names of the properties of each variable. */
const members = new Map<string, readonly string[]>();

function readMembers(): void {
  const program = serviceOf(head).getProgram();
  const checker = program?.getTypeChecker();
  for (const statement of program?.getSourceFile(path)?.statements ?? []) {
    if (checker === undefined || !ts.isVariableStatement(statement)) continue;
    for (const { name } of statement.declarationList.declarations) {
      const properties = checker.getTypeAtLocation(name).getProperties();
      members.set(
        name.getText(),
        properties.map((property) => property.name),
      );
    }
  }
}

function serviceOf(text: string): ts.LanguageService {
  const options: ts.CompilerOptions = {
    strict: true,
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
    types: [],
  };
  return ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [path],
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) => {
      const content = name === path ? text : ts.sys.readFile(name);
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: (settings) => ts.getDefaultLibFilePath(settings),
    fileExists: (name) => name === path || ts.sys.fileExists(name),
    readFile: (name) => (name === path ? text : ts.sys.readFile(name)),
  });
}

describe('the documentation that editors show', function () {
  // The compiler is slow on a busy machine.
  this.timeout(60_000);
  before(readMembers);

  it('describes every method, option, field and event', () => {
    const expressions = types
      .map(variableOf)
      .flatMap((variable) => (members.get(variable) ?? []).map((member) => `${variable}.${member}`))
      .filter((expression) => !inherited.some((name) => expression.endsWith(`.${name}`)) || /Pet\./.test(expression));
    expect(expressions.length).to.be.greaterThan(50);
    const undocumented = [...hoversOf(expressions)].filter(([, hover]) => hover.trim() === '').map(([name]) => name);
    expect(undocumented).to.deep.equal([]);
  });

  it('has the descriptions of the operations, parameters and fields of the contract', () => {
    const { parameters, schemas } = contract.components;
    const operations = Object.values(contract.paths).flatMap((path) => Object.values(path));
    const fieldsOf = (name: string) => Object.entries(schemas[name]?.properties ?? {});
    const described = [
      ...operations.map(({ operationId, description }) => ['aPetstoreClient', operationId, description] as const),
      ...Object.values(parameters).map(({ name, description }) => ['aListQuery', name, description] as const),
      ...['Pet', 'NewPet'].flatMap((type) =>
        fieldsOf(type).map(([name, { description }]) => [variableOf(type), name, description] as const),
      ),
    ].filter(([variable, member, description]) => description !== undefined && members.get(variable)?.includes(member));
    expect(described.length).to.be.greaterThan(10);
    const hovers = hoversOf(described.map(([variable, member]) => `${variable}.${member}`));
    for (const [variable, member, description] of described) {
      expect(hovers.get(`${variable}.${member}`), member).to.contain(description);
    }
  });

  it('marks deprecated operations', () => {
    const service = serviceOf(`${head}void aPetstoreClient.getPet;\nvoid aPetstoreClient.listPets;\n`);
    const deprecated = service.getSuggestionDiagnostics(path).filter(({ reportsDeprecated }) => reportsDeprecated);
    expect(deprecated.map(({ start, length }) => [start, length])).to.deep.equal([
      [head.length + 'void aPetstoreClient.'.length, 'getPet'.length],
    ]);
  });
});
