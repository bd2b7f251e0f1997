import { type Json, parseJson, stringifyJson } from '../../json/exact-json.js';
import type { Pet } from '../../pets/pet.js';

/** How much text is written at once, in characters. */
const chunkLengthMin = 64 * 1024;

/** Animals as lines, in chunks that are worth writing. `onChunk` is told how many animals have been read by then. */
export async function* exportLines(
  pets: AsyncIterable<Json<Pet>>,
  withoutIds: boolean,
  onChunk: (animals: number) => void,
): AsyncGenerator<string> {
  let chunk = '';
  let animals = 0;
  for await (const pet of pets) {
    chunk += `${withoutIds ? withoutId(pet) : pet}\n`;
    animals += 1;
    if (chunk.length < chunkLengthMin) continue;
    onChunk(animals);
    yield chunk;
    chunk = '';
  }
  onChunk(animals);
  if (chunk !== '') yield chunk;
}

/** The animal as createPet and the import take it: they assign ids, and refuse one that is sent. */
function withoutId(pet: Json<Pet>): string {
  const { id: _id, ...others } = parseJson(Buffer.from(pet)) as object & { readonly id: unknown };
  return stringifyJson(others);
}
