import type { Parameter } from '../../contract/parameters.js';
import type { Schemas } from '../../contract/schemas.js';
import { invalidMember } from '../../schema/invalid-member.js';
import { append } from '../parse-query.js';
import { valuesMax } from './limits.js';
import { type Decode, type Style, sentAs } from './style.js';

/** What separates the items of an array, and the names and values of an object. */
interface Delimiter {
  /** In the text as sent. */
  readonly pattern: RegExp;
  /** In messages. */
  readonly shown: string;
}

export const simple = delimited(['path', 'header'], { pattern: /,/, shown: ',' });
/** Blanks and pipes are percent-encoded in a query (OpenAPI 3.0.4, appendix E). */
export const spaceDelimited = delimited(['query'], { pattern: /%20|\+/, shown: '%20' });
export const pipeDelimited = delimited(['query'], { pattern: /%7C|\|/i, shown: '|' });
/** The style `form` without `explode`. */
export const packedForm = delimited(['query', 'cookie'], { pattern: /,/, shown: ',' });

function delimited(places: Style['places'], { pattern, shown }: Delimiter): Style {
  return {
    places,
    decoder: (schemas, parameter, decode) => decoderOf(schemas, parameter, pattern, decode),
    sentForm: ({ place, name, isExploded }, field) => {
      const start = place === 'query' || place === 'cookie' ? `${name}=` : '';
      const object = `${start}${field}${isExploded ? '=' : shown}value`;
      return { array: sentAs(`${start}item${shown}item`), object: sentAs(object), hasOtherNames: false };
    },
  };
}

function decoderOf(schemas: Schemas, parameter: Parameter, pattern: RegExp, decode: Decode) {
  const { place, name, isExploded, schema } = parameter;
  const split = (text: string) => {
    const items = text.split(pattern, valuesMax + 1);
    if (items.length > valuesMax) throw invalidMember(place, name, `must have at most ${String(valuesMax)} items.`);
    return items;
  };
  if (schemas.allows('array', schema)) return (text: string) => split(text).map(decode);
  if (!schemas.allows('object', schema)) return undefined;
  return (text: string) => fieldsOf(split(text), isExploded, decode) ?? decode(text);
}

/** An object from `R=100,G=200` or `R,100,G,200`; `undefined` if a name has no value. */
function fieldsOf(items: readonly string[], isExploded: boolean, decode: Decode): object | undefined {
  const pairs = isExploded ? items.map((item) => item.split(/=(.*)/s, 2)) : pairsOf(items);
  const object: Record<string, unknown> = {};
  for (const [name = '', value] of pairs) {
    if (value === undefined) return undefined;
    append(object, decode(name), decode(value));
  }
  return object;
}

function pairsOf(items: readonly string[]): readonly string[][] {
  return items.flatMap((item, index) => (index % 2 === 0 ? [[item, ...items.slice(index + 1, index + 2)]] : []));
}
