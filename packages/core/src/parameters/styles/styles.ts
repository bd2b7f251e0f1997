import type { Parameter } from '../../contract/parameters.js';
import type { Schemas } from '../../contract/schemas.js';
import { deepObject } from './deep-object.js';
import { packedForm, pipeDelimited, simple, spaceDelimited } from './delimited.js';
import { form } from './form.js';
import { jsonContent } from './json-content.js';
import type { Decode, Style } from './style.js';

/** The styles by their names in a contract. */
const styles: Readonly<Record<string, Style>> = { simple, form, spaceDelimited, pipeDelimited, deepObject };

/** The names of the styles that a place of a request supports; none for a place that OpenAPI does not have. */
export function stylesIn(place: string): readonly string[] {
  const names = Object.keys(styles);
  return names.filter((name) => (styles[name]?.places as readonly string[] | undefined)?.includes(place));
}

/** The style of a parameter. @throws TypeError for an unknown one, which loading refuses. */
export function styleOf({ name, style, isExploded, isJson }: Parameter): Style {
  if (isJson) return jsonContent;
  if (style === 'form' && !isExploded) return packedForm;
  const found = Object.hasOwn(styles, style) ? styles[style] : undefined;
  if (found === undefined) throw new TypeError(`The parameter ${name} has the unknown style ${style}.`);
  return found;
}

/** The functions that read the parameters in one place whose text is more than one value, by name. */
export type Decoders = readonly (readonly [name: string, decode: Decode<unknown>])[];

/** @param decode removes the encoding of a single text, such as percent-encoding. */
export function decodersOf(schemas: Schemas, parameters: readonly Parameter[], decode: Decode): Decoders {
  return parameters.flatMap((parameter) => {
    const decoder = styleOf(parameter).decoder?.(schemas, parameter, decode);
    return decoder === undefined ? [] : [[parameter.name, decoder] as const];
  });
}
