/**
 * Generates files from a contract. With `--check` it writes nothing and fails if a file is stale. The contract is that
 * of the service or, with a folder such as `test/second-contract` as argument, that of this folder.
 *
 * - `generated/openapi.d.ts`: the types of openapi-typescript. Properties with a default are optional.
 * - `generated/extensions.d.ts`: the types of the extensions: error codes, plans, and which defaults are filled in.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import openapiTypescript, { addJSDocComment, astToString, type OpenAPI3 } from 'openapi-typescript';
import ts from 'typescript';
import { ContractError } from '../src/openapi/contract-error.js';
import { loadDocument } from '../src/openapi/load-document.js';
import { operationsOf } from '../src/openapi/operations.js';
import { type Contract, extensionTypes } from './extension-types.js';

/** The folder of the package, where npm runs its scripts. */
const root = pathToFileURL(`${process.cwd()}/`);
const { name } = JSON.parse(await readFile(new URL('package.json', root), 'utf8')) as { readonly name: string };
const folder = process.argv.slice(2).find((argument) => !argument.startsWith('--'));
const contractPath = folder === undefined ? `spec/${name}.yaml` : `${folder}/contract.yaml`;
const contractUrl = new URL(contractPath, root);
const generated = folder === undefined ? 'generated' : `${folder}/generated`;
const banner = `// Generated from ${contractPath} by \`npm run generate\`. Not to be edited.\n`;

const { document, warnings } = await loadDocument(contractUrl).catch((error: unknown) => {
  if (!(error instanceof ContractError)) throw error;
  console.error(error.message);
  process.exit(1);
});
const contract = document as Contract;
for (const warning of warnings) console.error(`Warning: ${warning}`);
const files = {
  [`${generated}/openapi.d.ts`]: banner + (await openapiTypes()),
  [`${generated}/extensions.d.ts`]: banner + extensionTypes(contract),
};

if (process.argv.includes('--check')) {
  const stale = await staleFiles();
  if (stale.length > 0) {
    console.error(`Stale: ${stale.join(', ')}. Run \`npm run generate\` and commit what it writes.`);
    process.exitCode = 1;
  }
} else {
  await mkdir(new URL(`${generated}/`, root), { recursive: true });
  for (const [name, content] of Object.entries(files)) await writeFile(new URL(name, root), content);
}

async function openapiTypes(): Promise<string> {
  const nodes = await openapiTypescript(contract as unknown as OpenAPI3, {
    // By default, a property with a default would be required in every type. Requests may omit it.
    defaultNonNullable: false,
    // An object without properties has any.
    emptyObjectsUnknown: true,
    readWriteMarkers: true,
    immutable: true,
    transform: (schema) => (isWideInteger(schema) ? wideInteger(schema) : undefined),
    // A reference has no description: the one of its target.
    transformProperty: (property, schema: { description?: string; $ref?: string }, { ctx }) => {
      if (schema.$ref !== undefined) addJSDocComment(ctx.resolve(schema.$ref) ?? {}, property);
      return property;
    },
  });
  nodes.forEach(describeOperations);
  // The library's `Readable` and `Writable` treat the arrays of `immutable` as objects.
  return astToString(nodes).replaceAll(/\(infer E\)\[\] \? (\w+)<E>\[\]/g, 'readonly (infer E)[] ? readonly $1<E>[]');
}

/** Adds the documentation of each operation to the interface `operations`, which has none. */
function describeOperations(node: ts.Node): void {
  if (!ts.isInterfaceDeclaration(node) || node.name.text !== 'operations') return;
  const operations = new Map(operationsOf(contract).map(({ operation }) => [operation.operationId, operation]));
  for (const member of node.members.filter(ts.isPropertySignature)) {
    addJSDocComment(operations.get((member.name as ts.Identifier | ts.StringLiteral).text) ?? {}, member);
  }
}

/** An int64 whose bounds do not keep it within ±(2^53 − 1), where a JavaScript number is no longer exact. */
function isWideInteger(schema: { format?: string; minimum?: number; maximum?: number }): boolean {
  const { minimum = -Infinity, maximum = Infinity } = schema;
  return schema.format === 'int64' && !(Number.isSafeInteger(minimum) && Number.isSafeInteger(maximum));
}

function wideInteger({ nullable }: { nullable?: boolean }): ts.TypeNode {
  return ts.factory.createUnionTypeNode([
    ts.factory.createKeywordTypeNode(ts.SyntaxKind.NumberKeyword),
    ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword),
    ...(nullable ? [ts.factory.createLiteralTypeNode(ts.factory.createNull())] : []),
  ]);
}

async function staleFiles(): Promise<string[]> {
  const names: string[] = [];
  for (const [name, content] of Object.entries(files)) {
    const present = await readFile(new URL(name, root), 'utf8').catch(() => undefined);
    if (present !== content) names.push(name);
  }
  return names;
}
