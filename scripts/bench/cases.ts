/** One kind of request. A load repeats its requests in order. */
export interface Case {
  readonly name: string;
  readonly status: number;
  readonly paths: readonly string[];
  /** The body of a POST request; the others are GET requests. */
  readonly body?: string;
}

/** The smallest ratios that the project aims for: the CPU time of a peer, divided by that of the service. */
export const targets: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'getPet 32': { glue: 1.4, bare: 0.7 },
  'listPets 32': { glue: 1.9, bare: 1.5 },
  'createPet 32': { glue: 1.6, bare: 1.1 },
  '400 32': { glue: 1.4 },
  'getPet 1': { glue: 0.95, bare: 0.65 },
  'listPets 1': { glue: 0.9, bare: 0.75 },
  'createPet 1': { glue: 0.6, bare: 0.45, 'glue FULL': 1 },
  '400 1': { glue: 0.9 },
};

/** The number of pets in the catalogue. */
export const petCount = 10_000;

export const cases: readonly Case[] = [
  // Ids from the whole catalogue, in an order that defeats caches.
  {
    name: 'getPet',
    status: 200,
    paths: Array.from({ length: 1000 }, (_, index) => `/v1/pets/${String(((index * 7919) % petCount) + 1)}`),
  },
  {
    name: 'listPets',
    status: 200,
    paths: ['available', 'pending', 'sold'].map((status) => `/v1/pets?status=${status}&limit=20`),
  },
  {
    name: 'createPet',
    status: 201,
    paths: ['/v1/pets'],
    body: '{"name":"Rex","categoryId":7,"status":"available"}',
  },
  // Three errors: an unknown field, an unknown status, a missing name.
  {
    name: '400',
    status: 400,
    paths: ['/v1/pets'],
    body: '{"title":"Rex","status":"lost","categoryId":7}',
  },
];

export const methodOf = ({ body }: Case) => (body === undefined ? 'GET' : 'POST');

/** The headers of a request of the case. */
export function headersOf({ body }: Case, token: string): Record<string, string> {
  const authorization = { Authorization: `Bearer ${token}` };
  return body === undefined ? authorization : { ...authorization, 'Content-Type': 'application/json' };
}
