import type { ErrorContent, Violation } from 'contract-server';
import { ApiError, type ErrorCode, type Schema } from './contract.js';

/** The errors that RealWorld specifies: a name, and a text that frontends show after it. */
export const specifiedErrors = {
  missing_credentials: ['token', 'is missing'],
  invalid_credentials: ['token', 'is invalid'],
  wrong_password: ['credentials', 'invalid'],
  article_forbidden: ['article', 'forbidden'],
  comment_forbidden: ['comment', 'forbidden'],
  article_not_found: ['article', 'not found'],
  comment_not_found: ['comment', 'not found'],
  profile_not_found: ['profile', 'not found'],
  email_taken: ['email', 'has already been taken'],
  username_taken: ['username', 'has already been taken'],
} as const satisfies Partial<Record<ErrorCode, readonly [name: string, text: string]>>;

type SpecifiedCode = keyof typeof specifiedErrors;

/** Creates an error to throw; its status is in the contract. */
export function conduitError(code: SpecifiedCode) {
  return new ApiError(code, specifiedErrors[code].join(' '));
}

/** The body of every error: `{ "errors": { "title": ["can't be blank"] } }`. */
export function errorBody({ code, message, violations }: ErrorContent): Schema<'Errors'> {
  if (isSpecified(code)) {
    const [name, text] = specifiedErrors[code];
    return { errors: { [name]: [text] } };
  }
  if (violations.length === 0) return { errors: { [code]: [message] } };
  const texts = new Map<string, string[]>();
  for (const violation of violations) {
    const name = nameOf(violation);
    texts.set(name, [...(texts.get(name) ?? []), textOf(violation)]);
  }
  return { errors: Object.fromEntries(texts) };
}

function isSpecified(code: string): code is SpecifiedCode {
  return Object.hasOwn(specifiedErrors, code);
}

/** `title` for `/article/title`, `tagList` for `/article/tagList/0`, `limit` for `/limit`, `body` for a body. */
function nameOf({ in: place, pointer }: Violation): string {
  const [, first = place, second = first] = pointer.split('/');
  return second;
}

/** The texts of RealWorld for violations, by keyword. The only pattern of the contract is that of texts. */
const textsByKeyword: Readonly<Record<string, string>> = {
  required: "can't be blank",
  pattern: "can't be blank",
  format: 'is invalid',
};

/** Any other is what the message says after the name: `must be a string`. */
function textOf({ keyword = '', message }: Violation): string {
  return textsByKeyword[keyword] ?? message.replace(/^`[^`]*` (.*)\.$/, '$1');
}
