import type { Parameter } from '../contract/parameters.js';
import type { Schemas } from '../contract/schemas.js';
import type { Decode } from './styles/style.js';
import { styleOf } from './styles/styles.js';

/** The functions that read the parameters in one place whose text is more than one value, by name. */
export type Decoders = readonly (readonly [name: string, decode: Decode<unknown>])[];

/** @param decode removes the encoding of a single text, such as percent-encoding. */
export function decodersOf(schemas: Schemas, parameters: readonly Parameter[], decode: Decode): Decoders {
  return parameters.flatMap((parameter) => {
    const decoder = styleOf(parameter).decoder?.(schemas, parameter, decode);
    return decoder === undefined ? [] : [[parameter.name, decoder] as const];
  });
}
