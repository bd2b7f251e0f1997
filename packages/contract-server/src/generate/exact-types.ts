import ts from 'typescript';

/** The types that `exactTypes` uses, as text. */
export const helpers = `/** The fields of a union or of a map, too, which \`Omit\` loses. */
type Without<T, Names extends PropertyKey> = { [Name in keyof T as Exclude<Name, Names>]: T[Name] };
/** Further fields have the type of a map, which those with a name need not have. */
type WithRest<Fields, Rest> = Fields & { readonly [Name in keyof Rest]: Rest[Name] | Fields[keyof Fields] };
`;

/**
 * Replaces what openapi-typescript writes for the schema that extends one with a discriminator, and for an object with
 * fields and with the values of a map: in `{ a: string } & { [key: string]: number }`, no `a` is a string and a number.
 */
export function exactTypes(node: ts.Node): ts.Node {
  const { factory } = ts;
  const { transformed } = ts.transform(node, [
    (context) => (root) => {
      const visit = (each: ts.Node): ts.Node => {
        const visited = ts.visitEachChild(each, visit, context);
        if (ts.isTypeReferenceNode(visited) && ts.isIdentifier(visited.typeName) && visited.typeName.text === 'Omit')
          return factory.createTypeReferenceNode('Without', visited.typeArguments);
        if (ts.isIntersectionTypeNode(visited) && isObjectWithRest(visited))
          return factory.createTypeReferenceNode('WithRest', visited.types);
        return visited;
      };
      return visit(root);
    },
  ]);
  return transformed[0] ?? node;
}

function isObjectWithRest({ types: [fields, rest, ...others] }: ts.IntersectionTypeNode): boolean {
  if (fields === undefined || rest === undefined || others.length > 0) return false;
  const value = valueOf(rest);
  return ts.isTypeLiteralNode(fields) && valueOf(fields) === undefined && value !== undefined && !isUnknown(value);
}

/** The type of the values of a map. */
function valueOf(type: ts.TypeNode): ts.TypeNode | undefined {
  const [member] = ts.isTypeLiteralNode(type) ? type.members : [];
  return member !== undefined && ts.isIndexSignatureDeclaration(member) ? member.type : undefined;
}

function isUnknown({ kind }: ts.TypeNode): boolean {
  return kind === ts.SyntaxKind.UnknownKeyword;
}
