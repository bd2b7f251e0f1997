/** The behaviour of every connection of an attack. */
export interface Attack {
  readonly name: string;
  readonly title: string;
  readonly connections: number;
  /** The bytes that a connection sends at once. */
  readonly requests: (target: AttackTarget) => string;
  /** How many responses it waits for before it sends the same again. */
  readonly responses: number;
  /** Number of times that it sends before it opens a new connection; `undefined` for no limit. */
  readonly repetitions?: number;
  /**
   * Sends one byte at a time, with such a pause after each, in milliseconds; 0 for one byte in each event-loop tick.
   */
  readonly writePauseMs?: number;
  /** Reads one chunk at a time, with such a pause after each, in milliseconds. */
  readonly readPauseMs?: number;
}

export interface AttackTarget {
  /** Host and port of the server. */
  readonly host: string;
  readonly port: number;
  /** A key of the plan with the lowest limits. */
  readonly freeToken: string;
}

const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: petstore\r\n${headers}\r\n`;
const list = get('/v1/pets');
const viewer = get('/docs/viewer.js');
const authorization = ({ freeToken }: AttackTarget) => `Authorization: Bearer ${freeToken}\r\n`;
const chunkedBody = `${`1\r\n \r\n`.repeat(20_000)}0\r\n\r\n`;

/** The attacks that one client address can make, in the order of the report. */
export const attacks: readonly Attack[] = [
  {
    name: 'keep-alive',
    title: '2,500 keep-alive connections without a key',
    connections: 2500,
    requests: () => list,
    responses: 1,
  },
  {
    name: 'free-key',
    title: '2,500 keep-alive connections with a free key',
    connections: 2500,
    requests: (target) => get('/v1/pets', authorization(target)),
    responses: 1,
  },
  {
    name: 'long-headers',
    title: '200 connections, headers of 14 KB',
    connections: 200,
    requests: () => get('/v1/pets', `X-Long: ${'x'.repeat(14_000)}\r\n`),
    responses: 1,
  },
  {
    name: 'header-lines',
    title: '200 connections, 2,500 header lines',
    connections: 200,
    requests: () => get('/v1/pets', 'a:b\r\n'.repeat(2500)),
    responses: 1,
  },
  {
    name: 'documents',
    title: '400 connections, each downloads viewer.js 20 times',
    connections: 400,
    requests: () => viewer,
    responses: 1,
    repetitions: 20,
  },
  {
    name: 'documents-pipelined',
    title: 'the same, 20 requests at once',
    connections: 400,
    requests: () => viewer.repeat(20),
    responses: 20,
    repetitions: 1,
  },
  {
    name: 'pipelining',
    title: '200 connections, 100 requests at once',
    connections: 200,
    requests: () => list.repeat(100),
    responses: 100,
  },
  {
    name: 'reconnects',
    title: '500 connections, each for one request',
    connections: 500,
    requests: () => list,
    responses: 1,
    repetitions: 1,
  },
  {
    name: 'slow-readers',
    title: '400 connections that hardly read viewer.js',
    connections: 400,
    requests: () => viewer.repeat(20),
    responses: 20,
    readPauseMs: 100,
  },
  {
    name: 'slow-writers',
    title: '2,500 connections, a byte every 100 ms',
    connections: 2500,
    requests: () => list,
    responses: 1,
    writePauseMs: 100,
  },
  {
    name: 'one-byte-writes',
    title: '400 connections, one byte at a time',
    connections: 400,
    requests: () => list,
    responses: 1,
    writePauseMs: 0,
  },
  {
    name: 'one-byte-chunks',
    title: '50 connections, bodies in chunks of one byte, with a free key',
    connections: 50,
    requests: (target) =>
      `POST /v1/pets HTTP/1.1\r\nHost: petstore\r\n${authorization(target)}Content-Type: application/json\r\n` +
      `Transfer-Encoding: chunked\r\n\r\n${chunkedBody}`,
    responses: 1,
  },
];
