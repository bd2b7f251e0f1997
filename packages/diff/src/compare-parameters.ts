import { resolve } from '@contract-server/core/contract/json-pointer.js';
import { ignoredHeaders } from '@contract-server/core/contract/operations.js';
import { parameterOf } from '@contract-server/core/contract/parameters.js';
import { textOf } from '@contract-server/core/json/equality.js';
import type { OpenAPIV3 } from 'openapi-types';
import { compareContent } from './compare-content.js';
import { namesIn, type Path, type Values, valuesOf } from './compared-document.js';
import { type Recorder, type Site, siteAt } from './recorder.js';
import { numbers, types, typesOf } from './schema-types.js';

interface Parameter {
  readonly value: Values;
  /** From the document. */
  readonly path: Path;
}

/** An operation of a path. */
export interface Located {
  readonly item: Values;
  readonly operation: Values;
  readonly path: Path;
}

/** Compares the parameters of an operation and of its path. Those in the path are the same if they are at one place. */
export function compareParameters(recorder: Recorder, site: Site, before: Located, after: Located): void {
  const olds = parametersOf(recorder.released, before);
  const news = parametersOf(recorder.current, after);
  for (const name of new Set([...olds.keys(), ...news.keys()])) {
    const [old, current] = [olds.get(name), news.get(name)];
    const found = old ?? current;
    if (found === undefined) continue;
    const label = `${String(found.value['in'])} parameter ${String(found.value['name'])}`;
    const place = { ...site, path: found.path, names: [...site.names, label] };
    const [one, other] = [old?.value, current?.value];
    const change = { kind: 'parameter', keyword: 'parameters/*', path: [], before: one, after: other } as const;
    if (!recorder.addUnpaired(place, [one, other], change))
      compareParameter(recorder, place, valuesOf(one), valuesOf(other));
  }
}

/** Compares a parameter or a header. The name of a header is not case-sensitive. */
export function compareParameter(recorder: Recorder, site: Site, before: Values, after: Values): void {
  const [old, current] = [completed(before), completed(after)];
  const add = (keyword: string) => {
    const values = { before: old[keyword], after: current[keyword] };
    recorder.add(site, [before, after], { kind: 'parameter', keyword, path: [keyword], ...values });
  };
  const others = ['in', 'schema', 'content', 'style', 'explode', ...(before['in'] === 'header' ? ['name'] : [])];
  for (const keyword of namesIn(old, current).filter((name) => !others.includes(name)))
    if (textOf(old[keyword]) !== textOf(current[keyword])) add(keyword);
  const style = changedStyle(recorder, old, current);
  if (style !== undefined) add(style);
  if ((before['content'] === undefined) !== (after['content'] === undefined)) {
    add('content');
    return;
  }
  compareContent(recorder, site, before['content'], after['content']);
  recorder.addSchemas(siteAt(site, ['schema']), before['schema'], after['schema']);
}

/** Parameters by their place and name; those of the operation take precedence. */
function parametersOf(document: Values, { item, operation, path }: Located): ReadonlyMap<string, Parameter> {
  const listed = [
    ...parametersAt(document, item, path.slice(0, -1)),
    ...parametersAt(document, operation, path),
  ].filter(({ value }) => !isIgnored(value));
  const names = [...String(path.at(-2)).matchAll(/\{([^}]*)\}/g)].map(([, name]) => name);
  return new Map(
    listed.map((parameter) => {
      const { name, in: place } = parameter.value;
      const index = place === 'path' ? names.indexOf(String(name)) : -1;
      const id = index >= 0 ? String(index) : place === 'header' ? String(name).toLowerCase() : String(name);
      return [`${String(place)} ${id}`, parameter];
    }),
  );
}

function parametersAt(document: Values, node: Values, path: Path): Parameter[] {
  const list = (node['parameters'] ?? []) as readonly object[];
  return list.map((each, index) => ({
    value: resolve(document, each) as Values,
    path: [...path, 'parameters', index],
  }));
}

function isIgnored({ in: place, name }: Values): boolean {
  return place === 'header' && ignoredHeaders.includes(String(name).toLowerCase());
}

function completed(parameter: Values): Values {
  const flags = { required: false, deprecated: false, allowReserved: false, allowEmptyValue: false };
  // A header of a response has no `in`.
  const { in: place = 'header' } = parameter;
  const { style, isExploded: explode } = parameterOf({ ...parameter, in: place } as OpenAPIV3.ParameterObject);
  return { ...flags, ...parameter, style, explode };
}

const shapes = [types.null | types.boolean | types.string | numbers, types.array, types.object] as const;

/** The keyword that changes how a value is sent; `undefined` if it is sent as before. */
function changedStyle({ schemas }: Recorder, before: Values, after: Values): 'style' | 'explode' | undefined {
  const old = typesOf(schemas.before, schemas.before.partsOf(before['schema']));
  const set = old & typesOf(schemas.after, schemas.after.partsOf(after['schema']));
  const isChanged = shapes.some((shape) => (set & shape) !== 0 && formOf(before, shape) !== formOf(after, shape));
  if (!isChanged) return undefined;
  return before['style'] === after['style'] ? 'explode' : 'style';
}

/** The same text for styles that write a value of a shape in the same way (OpenAPI 3.0.4, section 4.7.12.4). */
function formOf({ style, explode }: Values, shape: number): string {
  const [primitive, array] = shapes;
  const isQuery = ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'].includes(String(style));
  if (shape === primitive) return isQuery ? 'form' : String(style);
  if (style === 'deepObject' || (style === 'simple' && shape === array)) return style;
  if (shape === array && isQuery && explode === true) return 'repeated';
  return `${String(style)} ${String(explode)}`;
}
