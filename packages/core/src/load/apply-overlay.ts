import type { Source } from '@redocly/openapi-core';
import { exec, type JsonValue } from 'jsonpath-rfc9535';
import type { Problem } from '../contract/contract-error.js';
import { pointerTo } from '../contract/json-pointer.js';
import { memberOf, setMember } from '../json/object-members.js';
import { typeOf } from '../json/type-of.js';
import { takeExactMembers } from './exact-integers.js';
import { requireJsonPath } from './json-path.js';
import type { Origins } from './origins.js';
import type { OverlayAction } from './read-overlay.js';

type Path = readonly string[];
type Members = Readonly<Record<string, unknown>>;

/** Changes a document in place, by the actions of an overlay in their order (OpenAPI Overlay 1.0, section 4.4.3). */
export class OverlayRun {
  /** At places in the overlay. */
  readonly problems: Problem[] = [];

  /** @param document without aliases: a change of one value must not change another one. */
  constructor(
    private readonly document: unknown,
    private readonly source: Source,
    private readonly origins: Origins,
  ) {}

  run(actions: readonly OverlayAction[]): void {
    for (const [index, action] of actions.entries()) this.apply(action, ['actions', String(index)]);
  }

  private apply({ target, update, remove = false }: OverlayAction, place: Path): void {
    const report = (message: string, isWarning?: true) =>
      void this.problems.push({ path: [...place, 'target'], message, ...(isWarning && { isWarning }) });
    let selected: readonly Path[];
    try {
      selected = select(this.document, target);
    } catch (error) {
      const { location } = error as { readonly location?: { readonly start: { readonly column: number } } };
      const at = location === undefined ? '' : `: see character ${String(location.start.column)}`;
      report(`\`${target}\` is not a JSONPath of RFC 9535${at}.`);
      return;
    }
    if (selected.length === 0) report(`\`${target}\` selects nothing in the contract.`, true);
    else if (remove) for (const path of [...selected].sort(lastFirst)) this.remove(path, report);
    else if (update === undefined) report('The action has neither `update` nor `remove`.', true);
    else for (const path of selected) this.update(path, update, [...place, 'update'], report);
  }

  private remove(path: Path, report: (message: string) => void): void {
    const name = path.at(-1);
    if (name === undefined) {
      report('`$` is the whole contract, which cannot be removed.');
      return;
    }
    const parent = valueAt(this.document, path.slice(0, -1)) as object;
    if (Array.isArray(parent)) {
      this.origins.removeItem(path, parent.length);
      parent.splice(Number(name), 1);
    } else {
      this.origins.removeMember(path);
      Reflect.deleteProperty(parent, name);
    }
  }

  private update(path: Path, update: unknown, place: Path, report: (message: string) => void): void {
    const value = valueAt(this.document, path);
    if (Array.isArray(value)) this.append(value, path, update, place);
    else if (!isObject(value)) report(`\`update\` cannot change ${nameOf(value)}; select the object that contains it.`);
    else if (!isObject(update)) report(`\`update\` must be an object, as what \`target\` selects is.`);
    else this.merge(value, path, update, place);
  }

  /** Objects are merged, arrays concatenated, and other values replaced. */
  private merge(object: object, path: Path, update: Members, place: Path): void {
    for (const [name, value] of Object.entries(update)) {
      const [own, from] = [
        [...path, name],
        [...place, name],
      ];
      const old = Object.hasOwn(object, name) ? (object as Members)[name] : undefined;
      if (isObject(old) && isObject(value)) this.merge(old, own, value, from);
      else if (Array.isArray(old) && Array.isArray(value)) this.append(old, own, value, from);
      else {
        setMember(object, name, copyOf(value));
        this.origins.set(own, { source: this.source, path: from });
      }
    }
  }

  private append(array: unknown[], path: Path, update: unknown, place: Path): void {
    const items = Array.isArray(update) ? update.map((item, index) => [item, [...place, String(index)]] as const) : [];
    for (const [item, from] of Array.isArray(update) ? items : [[update, place] as const]) {
      this.origins.set([...path, String(array.length)], { source: this.source, path: from });
      array.push(copyOf(item));
    }
  }
}

/** The paths of what a JSONPath selects, each once. @throws SyntaxError */
function select(document: unknown, target: string): Path[] {
  const selected = new Map<string, Path>();
  requireJsonPath(target);
  // Only a filter compares values, and JSONPath knows no `bigint`.
  const exact = target.includes('?') ? takeExactMembers(document) : [];
  try {
    exec(document as JsonValue, target, (_value, path) => {
      const names = path.map(String);
      selected.set(pointerTo(names), names);
    });
  } finally {
    for (const { parent, name, value } of exact) parent[name] = value;
  }
  return [...selected.values()];
}

/** Orders items of an array from the last one, because those behind a removed one move, and members before parents. */
function lastFirst(one: Path, other: Path): number {
  const at = one.findIndex((name, index) => name !== other[index]);
  const [name, otherName] = [one[at], other[at]];
  if (name === undefined || otherName === undefined) return other.length - one.length;
  return otherName.localeCompare(name, 'en', { numeric: true });
}

function valueAt(document: unknown, path: Path): unknown {
  return path.reduce(memberOf, document);
}

/** A copy in which each value occurs once, also if it has several aliases in YAML. */
export function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  if (!isObject(value)) return value;
  const copy = {};
  for (const [name, member] of Object.entries(value)) setMember(copy, name, copyOf(member));
  return copy;
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function nameOf(value: unknown): string {
  const type = typeOf(value);
  return type === 'null' ? 'null' : `a ${type}`;
}
