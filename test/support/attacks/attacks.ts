/** The behaviour of every connection of an attack. */
export interface Attack {
  readonly name: string;
  readonly title: string;
  readonly connections: number;
  /** The bytes that a connection sends at once. */
  readonly requests: (target: AttackTarget) => string;
  /** How many responses it waits for before it sends the same again. */
  readonly responses: number;
  /** Whether it opens a new connection instead of sending again. */
  readonly reconnects?: boolean;
  /** Whether it never reads responses. */
  readonly isDeaf?: boolean;
}

export interface AttackTarget {
  /** Host and port of the server. */
  readonly host: string;
  readonly port: number;
  /** A key with practically no limits. */
  readonly token: string;
}

const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: petstore\r\n${headers}\r\n`;
const list = get('/v1/pets');

/** The attacks that one client address can make. */
export const attacks: readonly Attack[] = [
  {
    name: 'keyless',
    title: '2,500 keep-alive connections without a key',
    connections: 2500,
    requests: () => list,
    responses: 1,
  },
  {
    name: 'pipelining',
    title: '400 connections, 50 pipelined requests each',
    connections: 400,
    requests: () => list.repeat(50),
    responses: 50,
  },
  {
    name: 'deaf',
    title: '400 connections that never read a large document',
    connections: 400,
    requests: () => get('/docs/viewer.js').repeat(20),
    responses: 20,
    isDeaf: true,
  },
  {
    name: 'reconnects',
    title: '200 connections, each for one request',
    connections: 200,
    requests: () => list,
    responses: 1,
    reconnects: true,
  },
  {
    name: 'expensive',
    title: '200 connections with a valid key and the longest lists',
    connections: 200,
    requests: ({ token }) => get('/v1/pets?limit=100', `Authorization: Bearer ${token}\r\n`),
    responses: 1,
  },
];
