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

/** A limit of the value of the service or, for another server, of its ratio to the service. */
export type Target = `${'≥' | '≤'} ${number}`;

/** What the project aims for, by quantity and server. */
export const targets: Readonly<Record<string, Readonly<Record<string, Target>>>> = {
  'getPet, 32': { glue: '≥ 1.3', stock: '≥ 9', EOV: '≥ 6', bare: '≥ 0.7', '1 node': '≤ 100' },
  'listPets, 32': { glue: '≥ 1.5', stock: '≥ 4', EOV: '≥ 4', bare: '≥ 1.2', '5,000,000 pets': '≤ 1.5' },
  'createPet, 32': { glue: '≥ 1.6', stock: '≥ 8', EOV: '≥ 6', bare: '≥ 1.1' },
  '400, 32': { glue: '≥ 1.3', stock: '≥ 8', EOV: '≥ 7' },
  'getPet, 1': { glue: '≥ 1', stock: '≥ 4', EOV: '≥ 4', bare: '≥ 0.7' },
  'listPets, 1': { glue: '≥ 0.9', bare: '≥ 0.75' },
  'createPet, 1': { glue: '≥ 0.6', bare: '≥ 0.45', 'glue FULL': '≥ 1' },
  '400, 1': { glue: '≥ 0.9' },
  'first response': { glue: '≥ 1.82' },
  'memory after start': { service: '≤ 90' },
  'createPet, 32, throughput': { '4 nodes': '≥ 1' },
};

/** The options of `fetch` for a request of the case. */
export function requestOf({ body }: Case, token = '') {
  const headers = { Authorization: `Bearer ${token}` };
  if (body === undefined) return { method: 'GET', headers, body: null };
  return { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body };
}
