import parse from 'jsonpath-rfc9535/parser';

type Node = Readonly<Record<string, unknown>> & { readonly type: string };
type ValueKind = 'value' | 'nodes' | 'logical';

/** The functions of RFC 9535, section 2.4: what they return, and their parameters. */
const functions: Readonly<Record<string, readonly [result: ValueKind, ...parameters: ValueKind[]]>> = {
  length: ['value', 'value'],
  count: ['value', 'nodes'],
  value: ['value', 'nodes'],
  match: ['logical', 'value', 'value'],
  search: ['logical', 'value', 'value'],
};

/**
 * Checks a JSONPath. The package selects by expressions that are not well-typed (RFC 9535, section 2.4.3) as if a
 * function returned false, so that `$[?!starts_with(@.a)]` would select everything.
 *
 * @throws SyntaxError for one that is not valid, with the place if it is known.
 */
export function requireJsonPath(text: string): void {
  requireWellTyped(parse(text));
}

function requireWellTyped(node: Node): void {
  for (const [member, children] of Object.entries(node))
    for (const [index, child] of [children].flat().entries()) {
      if (!isNode(child)) continue;
      if (member === 'arguments' || child.type === 'FunctionExpr') requireKind(child, expectedKind(node, index));
      requireWellTyped(child);
    }
}

/** What a function, or its argument, must be at its place. */
function expectedKind(parent: Node, index: number): ValueKind | undefined {
  if (parent.type === 'FunctionExpr') return functionOf(parent)[index + 1];
  return parent.type === 'TestExpr' ? 'logical' : 'value';
}

function requireKind(node: Node, expected: ValueKind | undefined): void {
  if (node.type === 'FunctionExpr' ? functionOf(node)[0] !== expected : !isArgument(node, expected))
    throw new SyntaxError('An expression is not well-typed.');
}

/** @throws SyntaxError for an unknown function, or another number of arguments. */
function functionOf({ name, arguments: given }: Node): readonly ValueKind[] {
  const found = Object.hasOwn(functions, String(name)) ? functions[String(name)] : undefined;
  if (found !== undefined && found.length === (given as readonly unknown[]).length + 1) return found;
  throw new SyntaxError(`There is no function ${String(name)} with these arguments.`);
}

function isArgument(node: Node, expected: ValueKind | undefined): boolean {
  if (node.type === 'Literal') return expected === 'value';
  return node.type === 'FilterQuery' && (expected === 'nodes' || isSingular(node['value'] as Node));
}

/** Whether a query selects one value at most. */
function isSingular({ segments }: Node): boolean {
  return (segments as readonly Node[]).every(({ type, node }) => {
    const { selectors = [node] } = node as { readonly selectors?: readonly unknown[] };
    const [selector, ...others] = selectors as readonly Node[];
    const isOne = ['MemberNameShorthand', 'NameSelector', 'IndexSelector'].includes(selector?.type ?? '');
    return type === 'ChildSegment' && isOne && others.length === 0;
  });
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}
