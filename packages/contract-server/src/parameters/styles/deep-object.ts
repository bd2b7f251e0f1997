import { parse } from 'qs';
import { setMember } from '../../json/object-members.js';
import { invalidMember } from '../../schema/invalid-member.js';
import { decodeForm } from '../parse-query.js';
import { arrayMax, depthMax } from './limits.js';
import { type Style, sentAs } from './style.js';

/** An object as `filter[a]=1&filter[b][c]=2`. OpenAPI leaves open how deep it nests; qs is what most servers use. */
export const deepObject: Style = {
  places: ['query'],
  spread: (_document, { name }) => ({
    accepts: (part) => part === name || part.startsWith(`${name}[`),
    read: (query) => {
      const pairs: string[] = [];
      return {
        add: (part, value) => void pairs.push(pairOf(part.slice(name.length), value)),
        finish: () => {
          if (pairs.length > 0) setMember(query, name, parsePairs(name, pairs));
        },
      };
    },
    sentPath: ([, ...rest]) => [`${name}${rest.map((each) => `[${each}]`).join('')}`],
  }),
  sentForm: ({ name }, field) => ({
    array: undefined,
    object: sentAs(`${name}[${field}]=value`),
    hasOtherNames: true,
  }),
};

/** A parameter for qs, below a name that needs no encoding. @param brackets such as `[a][b]`. */
function pairOf(brackets: string, value: string): string {
  return `object${encodeURIComponent(brackets)}=${encodeURIComponent(decodeForm(value))}`;
}

/** @throws ApiError `invalid_request` beyond the limits. */
function parsePairs(name: string, pairs: readonly string[]): unknown {
  try {
    return parse(pairs.join('&'), {
      depth: depthMax,
      strictDepth: true,
      arrayLimit: arrayMax,
      parameterLimit: arrayMax,
      throwOnLimitExceeded: true,
      allowPrototypes: true,
    })['object'];
  } catch (cause) {
    const limits = `at most ${String(depthMax)} levels, and arrays of at most ${String(arrayMax)} items`;
    throw invalidMember('query', name, `must have ${limits}.`, cause);
  }
}
