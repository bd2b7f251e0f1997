import { pointerTo } from './json-pointer.js';

/**
 * Writes a document as JSON text, with a reference in place of each component, and of each object within itself:
 * openapi-backend replaces the references of a given document, in place.
 */
export function restoreReferences(document: object): string {
  const components = placesOfComponents(document);
  const ancestors = new Map<object, string>();
  const write = (node: unknown, path: readonly string[]): unknown => {
    if (typeof node !== 'object' || node === null) return node;
    const pointer = pointerTo(path);
    const place = components.get(node) ?? ancestors.get(node) ?? pointer;
    if (place !== pointer) return { $ref: place };
    ancestors.set(node, pointer);
    const entries = Object.entries(node).map(([name, value]) => [name, write(value, [...path, name])] as const);
    ancestors.delete(node);
    return Array.isArray(node) ? entries.map(([, value]) => value) : Object.fromEntries(entries);
  };
  return JSON.stringify(write(document, []));
}

/** The first place of each component. */
function placesOfComponents({ components = {} }: { readonly components?: object }): Map<unknown, string> {
  const places = Object.entries(components).flatMap(([kind, byName]: readonly [string, object]) =>
    Object.entries(byName).map(([name, component]): [unknown, string] => [
      component,
      pointerTo(['components', kind, name]),
    ]),
  );
  return new Map(places.reverse());
}
