/** `10,000`, or a dash where there is no number. */
export function formatCount(count: number | null): string {
  return count === null ? '-' : count.toLocaleString('en-US');
}

export function countOf(animals: number): string {
  return `${formatCount(animals)} ${animals === 1 ? 'animal' : 'animals'}`;
}
