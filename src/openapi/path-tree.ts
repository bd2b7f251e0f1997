/** A node of a tree of path segments. */
export interface PathNode<Value> {
  /** The next segment by its text. */
  readonly literals: Map<string, PathNode<Value>>;
  /** The next segment if it is a parameter. */
  parameter: PathNode<Value> | undefined;
  /** The value of the path that ends here; `undefined` if none does. */
  value: Value | undefined;
  /** The parameters of the path that ends here, in order. */
  parameterNames: readonly string[];
}

export function createPathTree<Value>(): PathNode<Value> {
  return { literals: new Map(), parameter: undefined, value: undefined, parameterNames: [] };
}

/**
 * Adds a path template, and returns the node at its end. @throws TypeError for a segment that is partly a parameter.
 */
export function addPath<Value>(root: PathNode<Value>, template: string): PathNode<Value> {
  let node = root;
  const names: string[] = [];
  for (const segment of template.slice(1).split('/')) {
    const name = parameterNameOf(segment);
    const next = (name === undefined ? node.literals.get(segment) : node.parameter) ?? createPathTree<Value>();
    if (name === undefined) node.literals.set(segment, next);
    else {
      node.parameter = next;
      names.push(name);
    }
    node = next;
  }
  node.parameterNames = names;
  return node;
}

function parameterNameOf(segment: string): string | undefined {
  const match = /^\{([^{}]+)\}$/.exec(segment);
  if (match === null && /[{}]/.test(segment)) {
    throw new TypeError(`The path segment ${segment} mixes text and a parameter; a parameter is a whole segment here.`);
  }
  return match?.[1];
}

/**
 * Finds the node of a path that has a value, and adds the values of its parameters to `parameters` in order. Literal
 * segments take precedence.
 */
export function findPath<Value>(
  node: PathNode<Value>,
  segments: readonly string[],
  index: number,
  parameters: string[],
): PathNode<Value> | undefined {
  const segment = segments[index];
  if (segment === undefined) return node.value === undefined ? undefined : node;
  const literal = node.literals.get(segment);
  const found = literal === undefined ? undefined : findPath(literal, segments, index + 1, parameters);
  if (found !== undefined || node.parameter === undefined || segment === '') return found;
  parameters.push(segment);
  const foundByParameter = findPath(node.parameter, segments, index + 1, parameters);
  if (foundByParameter === undefined) parameters.pop();
  return foundByParameter;
}
