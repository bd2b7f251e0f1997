import type { Parameter } from '../../contract/parameters.js';
import { deepObject } from './deep-object.js';
import { packedForm, pipeDelimited, simple, spaceDelimited } from './delimited.js';
import { form } from './form.js';
import { jsonContent } from './json-content.js';
import type { Style } from './style.js';

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
