/** One kind of request. A load repeats its paths in order. */
export interface Case {
  readonly name: string;
  readonly status: number;
  readonly pathsOf: (pets: number) => readonly string[];
  /** The body of a POST request; the others are GET requests. */
  readonly body?: string;
}

export const getPet: Case = {
  name: 'getPet',
  status: 200,
  // Ids from the whole catalogue, in an order that defeats caches.
  pathsOf: (pets) => Array.from({ length: 1000 }, (_, index) => `/v1/pets/${String(((index * 7919) % pets) + 1)}`),
};

export const createPet: Case = {
  name: 'createPet',
  status: 201,
  pathsOf: () => ['/v1/pets'],
  body: '{"name":"Rex","categoryId":7,"status":"available"}',
};

export const cases: readonly Case[] = [
  getPet,
  {
    name: 'listPets',
    status: 200,
    pathsOf: () => ['available', 'pending', 'sold'].map((status) => `/v1/pets?status=${status}&limit=20`),
  },
  createPet,
  // Three errors: an unknown field, an unknown status, a missing name.
  { ...createPet, name: '400', status: 400, body: '{"title":"Rex","status":"lost","categoryId":7}' },
];

/** The options of `fetch` for a request of the case. */
export function requestOf({ body }: Case, token = '') {
  const headers = { Authorization: `Bearer ${token}` };
  if (body === undefined) return { method: 'GET', headers, body: null };
  return { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body };
}
