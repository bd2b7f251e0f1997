import type { Oas3Rule } from '@redocly/openapi-core/lib/visitors.js';
import type { OpenAPIV3 } from 'openapi-types';
import { findAt, unescapeName } from './json-pointer.js';

/** A reference, and what it leads to. */
export interface Reference {
  readonly node: { $ref: string };
  readonly target: unknown;
  /** The section of components that has values of this type. */
  readonly section: string;
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
const componentPointer = /^#\/components\/[^/]+\/[^/~%]+$/;

/** A rule that collects the references of the document. */
export function referenceRule(found: Reference[]): Oas3Rule {
  return () => ({
    ref: (node, { type }, { node: target }) => {
      const section = sections[type.name];
      if (section !== undefined && target !== undefined) found.push({ node, target, section });
    },
  });
}

/**
 * Makes each reference lead to a component: openapi-typescript and other tools do not find other parts of a document,
 * such as `#/paths/~1books/get/parameters/0`. Such a part becomes a component too.
 */
export function referToComponents(document: OpenAPIV3.Document, references: readonly Reference[]): void {
  const components = (document.components ??= {}) as Record<string, Record<string, unknown>>;
  for (const { node, target, section } of references) {
    if (componentPointer.test(node.$ref) && findAt(document, node.$ref) !== undefined) continue;
    const parts = (components[section] ??= {});
    let name = unescapeName(decodeURIComponent(node.$ref)).replace(/\W+/g, '_').slice(1);
    while (parts[name] !== undefined && parts[name] !== target) name += '_';
    parts[name] = target;
    node.$ref = `#/components/${section}/${name}`;
  }
}
