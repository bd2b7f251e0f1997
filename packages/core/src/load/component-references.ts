import { type LocationObject, YamlParseError } from '@redocly/openapi-core';
import type { Oas3Rule } from '@redocly/openapi-core/lib/visitors.js';
import type { UserContext } from '@redocly/openapi-core/lib/walk.js';
import type { OpenAPIV3 } from 'openapi-types';
import { findAt, unescapeName } from '../contract/json-pointer.js';
import type { BrokenParts } from './broken-parts.js';

/** A reference, and what it leads to. */
export interface Reference {
  readonly node: { $ref: string };
  readonly target: unknown;
  /** The section of components that has values of this type; `undefined` if none of OpenAPI 3.1 has. */
  readonly section: string | undefined;
  /** The object or the array that contains it, and its name there. */
  readonly parent: Record<string, unknown> | undefined;
  readonly key: string | number;
}

/** The sections of components by Redocly's types. */
const sections: Readonly<Record<string, string>> = {
  Schema: 'schemas',
  Parameter: 'parameters',
  RequestBody: 'requestBodies',
  Response: 'responses',
  Header: 'headers',
  Example: 'examples',
  Link: 'links',
  Callback: 'callbacks',
  SecurityScheme: 'securitySchemes',
};
/** The references of a document that is loaded. */
export const componentPointer = /^#\/components\/[^/]+\/[^/~%]+$/;

/** A rule that collects the references of the document, and reports those that lead nowhere. */
export function referenceRule(found: Reference[], brokenParts: BrokenParts): Oas3Rule {
  return () => ({
    ref: (node, context, { node: target, error }) => {
      const { type, key } = context;
      const parent = context.parent as Record<string, unknown> | undefined;
      // The value of an extension, or of `default` and `example`, can be any data.
      if (type.name === 'SpecExtension' || type.name === 'scalar') return;
      const section = sections[type.name];
      if (typeof target === 'object' && target !== null) {
        if (type.name !== 'PathItem') found.push({ node, target, section, parent, key });
        return;
      }
      // In the mapping of a discriminator, a name of a schema is no reference.
      if (typeof parent?.[key] === 'string') return;
      // Any other value is reported at its place.
      if (target === undefined) reportMissing(node.$ref, error, context);
      brokenParts.addReference(node, type.name);
    },
  });
}

function reportMissing($ref: string, error: Error | undefined, context: UserContext): void {
  if (error instanceof YamlParseError) context.report({ message: error.message, location: placeOf(error) });
  const message = `Can't resolve $ref: ${error?.message ?? `there is no ${$ref}`}.`;
  context.report({ message, location: context.location });
}

function placeOf({ source, line, col }: YamlParseError): LocationObject {
  return { source, pointer: undefined, start: { line, col } };
}

/**
 * Makes each reference lead to a component: openapi-typescript and other tools do not find other parts of a document,
 * such as `#/paths/~1books/get/parameters/0`. Such a part becomes a component too.
 */
export function referToComponents(document: OpenAPIV3.Document, references: readonly Reference[]): void {
  const components = (document.components ??= {}) as Record<string, Record<string, unknown>>;
  for (const { node, target, section } of references) {
    if (section === undefined) continue;
    if (componentPointer.test(node.$ref) && findAt(document, node.$ref) !== undefined) continue;
    const parts = (components[section] ??= {});
    let name = unescapeName(decodeURIComponent(node.$ref)).replace(/\W+/g, '_').slice(1);
    while (Object.hasOwn(parts, name) && parts[name] !== target) name += '_';
    parts[name] = target;
    node.$ref = `#/components/${section}/${name}`;
  }
}

/**
 * Replaces references to parts that are no components, such as a media type or a map of headers, with what they lead
 * to, as Redocly does with those to other files. OpenAPI allows none of them, except media types in 3.2.
 *
 * @returns whether there are any.
 */
export function inlineReferences(document: object, references: readonly Reference[]): boolean {
  const found = references.filter(({ section }) => section === undefined);
  // Arrays first: what is copied below may contain the reference, and the copy would keep it.
  for (const { node, parent, key } of found) {
    const target = targetOf(document, node);
    if (Array.isArray(target) && parent !== undefined) parent[key] = target;
  }
  for (const { node } of found) {
    const target = targetOf(document, node);
    if (target === undefined || Array.isArray(target)) continue;
    const part: { $ref?: string } = node;
    delete part.$ref;
    Object.assign(part, target);
  }
  return found.length > 0;
}

/** What a reference leads to, also through others; `undefined` if it is none, or one that was replaced before. */
function targetOf(document: object, reference: object): object | undefined {
  let found: object | undefined;
  // Cycles have been refused.
  for (let next = stepFrom(document, reference); next !== undefined; next = stepFrom(document, next)) found = next;
  return found;
}

function stepFrom(document: object, { $ref }: { readonly $ref?: unknown }): object | undefined {
  const target = typeof $ref === 'string' && $ref.startsWith('#') ? findAt(document, $ref) : undefined;
  return typeof target === 'object' && target !== null ? target : undefined;
}
