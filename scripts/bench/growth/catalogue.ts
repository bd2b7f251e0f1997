/**
 * Number of sold pets, regardless of the catalogue size. They are distributed evenly, so that pages of sold pets
 * have the same length in every catalogue.
 */
const rareCount = 40;

/** The status of a pet: `sold` for a few, otherwise `available`. */
export function statusOf(index: number, petCount: number): string {
  return index % Math.max(1, Math.floor(petCount / rareCount)) === 0 ? 'sold' : 'available';
}

/** Evenly distributed numbers from 1 to the maximum, in an order that defeats caches. */
export function scattered(count: number, greatest: number): number[] {
  const golden = (Math.sqrt(5) - 1) / 2;
  return Array.from({ length: count }, (_, index) => 1 + Math.floor(((index * golden) % 1) * greatest));
}
