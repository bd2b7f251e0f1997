import type { Stage } from './stage.js';

/** One request as a load generator sends it. */
export interface LoadRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Placeholder in a request for a client address that no other request of the load has. */
export const addressPlace = '{address}';

/** One kind of request. A load repeats its requests in order. */
export interface Case {
  readonly name: string;
  readonly title: string;
  readonly status: number;
  readonly requests: readonly LoadRequest[];
  /** The parts of the response that must be equal between the service and its peers. */
  readonly compares: 'body' | 'body without id' | 'status';
}

export function casesOf(stage: Stage): readonly Case[] {
  return [...admittedCases(stage), ...refusedCases(stage)];
}

function admittedCases({ petCount, tokens: { valid } }: Stage): Case[] {
  return [
    {
      name: 'getPet',
      title: 'getPet',
      status: 200,
      requests: spread(1000, petCount).map((id) => get(`/v1/pets/${String(id)}`, valid)),
      compares: 'body',
    },
    {
      name: 'listPets',
      title: 'listPets, 20 by status',
      status: 200,
      requests: ['available', 'pending', 'sold'].map((status) => get(`/v1/pets?status=${status}&limit=20`, valid)),
      compares: 'body',
    },
    {
      name: 'createPet',
      title: 'createPet',
      status: 201,
      requests: [post('{"name":"Rex","categoryId":7,"status":"available"}', valid)],
      compares: 'body without id',
    },
  ];
}

function refusedCases({ tokens: { valid, spent, revoked } }: Stage): Case[] {
  return [
    {
      name: '400',
      title: '400',
      status: 400,
      requests: [post('{"name":"Rex"}', valid)],
      compares: 'status',
    },
    {
      name: 'three errors',
      title: '400 with three errors',
      status: 400,
      requests: [post('{"title":"Rex","status":"lost","categoryId":7}', valid)],
      compares: 'status',
    },
    {
      name: 'malformed JSON',
      title: '400 for malformed JSON',
      status: 400,
      requests: [post('{"name":"Rex",', valid)],
      compares: 'status',
    },
    {
      name: '404',
      title: '404',
      status: 404,
      requests: [get('/v1/pets/999999999', valid)],
      compares: 'status',
    },
    { name: '429', title: '429', status: 429, requests: [get('/v1/pets/1', spent)], compares: 'status' },
    {
      name: '401',
      title: '401',
      status: 401,
      requests: fromManyAddresses(get('/v1/pets/1', revoked)),
      compares: 'status',
    },
  ];
}

function get(path: string, token: string): LoadRequest {
  return { method: 'GET', path, headers: { Authorization: `Bearer ${token}` } };
}

function post(body: string, token: string): LoadRequest {
  return {
    ...get('/v1/pets', token),
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body,
  };
}

/** Many client addresses, because each has a low limit without a valid key. */
function fromManyAddresses(request: LoadRequest): LoadRequest[] {
  return Array.from({ length: 40_000 }, (_, index) => ({
    ...request,
    headers: { ...request.headers, 'X-Forwarded-For': `10.0.${String(index >> 8)}.${String(index & 255)}` },
  }));
}

/** Ids from the whole catalogue, in an order that defeats caches. */
function spread(count: number, petCount: number): number[] {
  const step = 7919;
  return Array.from({ length: count }, (_, index) => ((index * step) % petCount) + 1);
}
