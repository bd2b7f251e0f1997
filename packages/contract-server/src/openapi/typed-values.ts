import type { SchemaDocument } from './create-ajv.js';
import type { Schema } from './exact-number.js';
import { MemberRules, type Node } from './member-rules.js';
import { allowsType, findTextParser, type TextParser } from './parse-text.js';

/** Converts values that were sent as text to the types that their schemas declare, at any depth. */
export class TypedValues {
  private readonly members: MemberRules;
  private readonly parsers = new WeakMap<Schema, TextParser>();

  /** @param document where references in schemas lead. */
  constructor(private readonly document: SchemaDocument) {
    this.members = new MemberRules(document);
  }

  /**
   * Returns the value with its text converted. Text that is not of its declared type stays text, which is invalid. A
   * single item of an array becomes an array.
   *
   * @param value text, or arrays and objects of text, which are changed in place.
   */
  convert(value: unknown, node: Node | undefined): unknown {
    if (typeof node !== 'object') return value;
    if (Array.isArray(value)) return this.convertItems(value, node);
    if (typeof value === 'object' && value !== null) return this.convertFields(value as Record<string, unknown>, node);
    if (typeof value !== 'string') return value;
    if (allowsType('array', this.document, node)) return this.convertItems([value], node);
    return this.parserOf(node)(value);
  }

  private convertItems(items: unknown[], node: Schema): unknown[] {
    const members = this.members.of(node).items;
    return items.map((item, index) => this.convert(item, members?.find(index)));
  }

  private convertFields(values: Record<string, unknown>, node: Schema): Record<string, unknown> {
    const members = this.members.of(node).fields;
    for (const name of Object.keys(values)) values[name] = this.convert(values[name], members?.find(name));
    return values;
  }

  private parserOf(node: Schema): TextParser {
    const parser = this.parsers.get(node) ?? findTextParser(this.document, node) ?? ((text) => text);
    this.parsers.set(node, parser);
    return parser;
  }
}
