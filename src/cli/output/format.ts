/** `10,000`, or a dash where there is no number. */
export function formatCount(count: number | null): string {
  return count === null ? '-' : count.toLocaleString('en-US');
}

/** `1 animal`, `10,000 animals` */
export function countOf(count: number, thing: 'animal' | 'key' | 'migration'): string {
  return `${formatCount(count)} ${thing}${count === 1 ? '' : 's'}`;
}
