import type { Acknowledged } from './creating-client.js';

interface Page {
  readonly pets: readonly Acknowledged[];
  readonly next: string | undefined;
}

/** Every pet that the service lists, page by page. */
export async function fetchListedPets(baseUrl: string, token: string): Promise<Acknowledged[]> {
  const pets: Acknowledged[] = [];
  for (let url: string | undefined = `${baseUrl}/pets?limit=100`; url !== undefined; ) {
    const page: Page = await fetchPage(url, token);
    pets.push(...page.pets);
    url = page.next;
  }
  return pets;
}

async function fetchPage(url: string, token: string): Promise<Page> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  const next = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1];
  return { pets: (await response.json()) as Acknowledged[], next };
}
