import type { Parameter } from '../../contract/parameters.js';
import { parseJson, TooManyValues } from '../../json/exact-json.js';
import { invalidMember } from '../../schema/invalid-member.js';
import { valuesMax } from './limits.js';
import type { Style } from './style.js';

/** JSON, which `content` declares in place of a style. */
export const jsonContent: Style = {
  places: ['path', 'query', 'header', 'cookie'],
  decoder: (_document, parameter, decode) => (text) => parse(parameter, decode(text)),
};

/** @throws ApiError `invalid_request` for text that is not JSON, or has too many values. */
function parse({ place, name }: Parameter, text: string): unknown {
  try {
    return parseJson(Buffer.from(text), valuesMax);
  } catch (error) {
    const { message } = error as Error;
    const problem = error instanceof TooManyValues ? `has ${message}.` : `is not valid JSON: ${message}`;
    throw invalidMember(place, name, problem);
  }
}
