/** Derives a slug from a title: its words in lower case, joined by hyphens. */
export function slugOf(title: string): string {
  const words = title
    .normalize()
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+/gu);
  return words?.join('-') ?? 'article';
}
