import ts from 'typescript';

/**
 * Declares the schemas that contain themselves without a field in between, such as a list of lists, as types that refer
 * to themselves by name: TypeScript allows `type List = readonly List[]`, but not a member of `components` whose type
 * is `readonly components["schemas"]["List"][]`.
 */
export function nameRecursiveSchemas(nodes: readonly ts.Node[]): readonly ts.Node[] {
  const types = typesOfSchemas(nodes);
  const uses = new Map([...types].map(([name, { type }]) => [name, directUses(type)] as const));
  const recursive = [...types.keys()].filter((name) => reaches(uses, name));
  if (recursive.length === 0) return nodes;
  const names = new Map(recursive.map((name, index) => [name, `Recursive${String(index + 1)}`] as const));
  const declared = new Map<ts.Node, ts.PropertySignature>();
  const aliases = [...types].flatMap(([schema, { member, type }]) => {
    const name = names.get(schema);
    if (name === undefined) return [];
    const reference = ts.factory.createTypeReferenceNode(name);
    const { modifiers, questionToken } = member;
    declared.set(member, ts.factory.updatePropertySignature(member, modifiers, member.name, questionToken, reference));
    return [ts.factory.createTypeAliasDeclaration(undefined, name, undefined, named(type, names))];
  });
  return [...aliases, ...nodes.map((node) => replaceIn(node, (part) => declared.get(part)))];
}

/** The schemas of the components, by name. */
function typesOfSchemas(nodes: readonly ts.Node[]) {
  const components = nodes.filter(ts.isInterfaceDeclaration).find(({ name }) => name.text === 'components');
  const schemas = components?.members.filter(ts.isPropertySignature).find(({ name }) => textOf(name) === 'schemas');
  const members = schemas?.type !== undefined && ts.isTypeLiteralNode(schemas.type) ? schemas.type.members : [];
  const typed = [...members]
    .filter(ts.isPropertySignature)
    .flatMap((member) =>
      member.type === undefined ? [] : [[textOf(member.name), { member, type: member.type }] as const],
    );
  return new Map(typed);
}

function textOf(name: ts.PropertyName): string {
  return (name as ts.Identifier | ts.StringLiteral).text;
}

/** The schemas that a type contains without a field in between, whose types TypeScript needs at once. */
function directUses(type: ts.Node): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    const name = schemaName(node);
    if (name !== undefined) found.add(name);
    else if (!ts.isTypeLiteralNode(node)) ts.forEachChild(node, visit);
  };
  visit(type);
  return found;
}

/** The name of the schema in `components["schemas"]["Name"]`. */
function schemaName(node: ts.Node): string | undefined {
  if (!ts.isIndexedAccessTypeNode(node) || !ts.isIndexedAccessTypeNode(node.objectType)) return undefined;
  const [object, place, name] = [node.objectType.objectType, node.objectType.indexType, node.indexType].map(nameIn);
  return object === 'components' && place === 'schemas' ? name : undefined;
}

function nameIn(node: ts.TypeNode): string | undefined {
  if (ts.isTypeReferenceNode(node) && ts.isIdentifier(node.typeName)) return node.typeName.text;
  return ts.isLiteralTypeNode(node) && ts.isStringLiteral(node.literal) ? node.literal.text : undefined;
}

/** Whether a schema leads to itself. */
function reaches(uses: ReadonlyMap<string, ReadonlySet<string>>, name: string): boolean {
  const seen = new Set(uses.get(name));
  for (const each of seen) for (const used of uses.get(each) ?? []) seen.add(used);
  return seen.has(name);
}

/** A type with the names of the recursive schemas that it uses. */
function named(type: ts.TypeNode, names: ReadonlyMap<string, string>): ts.TypeNode {
  return replaceIn(type, (node) => {
    const name = names.get(schemaName(node) ?? '');
    if (name !== undefined) return ts.factory.createTypeReferenceNode(name);
    return ts.isTypeLiteralNode(node) ? node : undefined;
  });
}

/** Replaces parts of a node. @param replacement the same node, to keep it with its parts, or `undefined`. */
function replaceIn<T extends ts.Node>(node: T, replacement: (part: ts.Node) => ts.Node | undefined): T {
  const { transformed } = ts.transform<ts.Node>(node, [
    (context) => (root) => {
      const visit = (part: ts.Node): ts.Node => replacement(part) ?? ts.visitEachChild(part, visit, context);
      return visit(root);
    },
  ]);
  return transformed[0] as T;
}
