/**
 * So many animals are sold, however many there are, and stand evenly among the others: a page of them is of the same
 * length everywhere.
 */
const rareCount = 40;

/** The status of an animal: all are available but the few. */
export function statusOf(index: number, animalCount: number): string {
  return index % Math.max(1, Math.floor(animalCount / rareCount)) === 0 ? 'sold' : 'available';
}

/** Numbers from 1 to the greatest, evenly over all of them and in no order that a cache could like. */
export function scattered(count: number, greatest: number): number[] {
  const golden = (Math.sqrt(5) - 1) / 2;
  return Array.from({ length: count }, (_, index) => 1 + Math.floor(((index * golden) % 1) * greatest));
}
