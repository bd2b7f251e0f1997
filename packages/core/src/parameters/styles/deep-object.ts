import { setMember } from '../../json/object-members.js';
import { invalidMember } from '../../schema/invalid-member.js';
import { BracketedValue, pathInBrackets } from '../bracketed-value.js';
import { decodeForm } from '../parse-query.js';
import { arrayMax, depthMax } from './limits.js';
import { type Style, sentAs } from './style.js';

/** An object as `filter[a]=1&filter[b][c]=2`. OpenAPI leaves open how deep it nests; arrays are read as qs does. */
export const deepObject: Style = {
  places: ['query'],
  spread: (schemas, { name, schema }) => {
    const pathOf = (part: string) => (part.startsWith(name) ? pathInBrackets(part.slice(name.length)) : undefined);
    const limits = `at most ${String(depthMax)} levels, and arrays of at most ${String(arrayMax)} items`;
    const beyondLimits = () => invalidMember('query', name, `must have ${limits}.`);
    return {
      accepts: (part) => pathOf(part) !== undefined,
      read: (query) => {
        let value: BracketedValue | undefined;
        return {
          add: (part, text) => {
            const path = pathOf(part) ?? [];
            if (path.length > depthMax) throw beyondLimits();
            value ??= new BracketedValue();
            value.add(path, decodeForm(text));
          },
          finish: () => {
            if (value !== undefined) setMember(query, name, value.toValue({ schemas, schema, arrayMax, beyondLimits }));
          },
        };
      },
      sentPath: ([, ...rest]) => [`${name}${rest.map((each) => `[${each}]`).join('')}`],
    };
  },
  sentForm: ({ name }, field) => ({
    array: undefined,
    object: sentAs(`${name}[${field}]=value`),
    hasOtherNames: true,
  }),
};
