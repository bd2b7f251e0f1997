import type { Ajv, CodeKeywordDefinition, KeywordCxt } from 'ajv';

/** Generates the code of a keyword. @param type the type of the values that the keyword applies to, if it has one. */
export type GenerateCode = (context: KeywordCxt, type?: string) => void;

/**
 * Replaces the code that an Ajv generates for a keyword. The order of keywords and their errors stay those of Ajv. It
 * does nothing for a keyword that the dialect does not have.
 *
 * @param codeFor returns the code in place of the original.
 */
export function replaceCode(
  ajv: Pick<Ajv, 'RULES'>,
  keyword: string,
  codeFor: (original: GenerateCode) => GenerateCode,
  changes: Pick<CodeKeywordDefinition, 'error'> = {},
): void {
  const rule = ajv.RULES.all[keyword];
  if (typeof rule !== 'object') return;
  const { code, ...definition } = rule.definition as CodeKeywordDefinition;
  rule.definition = { ...definition, ...changes, code: codeFor(code) } as typeof rule.definition;
}

/** What Ajv generates code with, with other members. */
export function replaceMembers<Original extends object>(original: Original, members: Partial<Original>): Original {
  return Object.assign(Object.create(original) as Original, members);
}
