/** A server that is measured. */
export interface Contestant {
  readonly name: string;
  /** What Node runs, relative to the root of the project. */
  readonly script: string;
  readonly env?: Readonly<Record<string, string>>;
}

export const service: Contestant = {
  name: 'service',
  script: 'dist/main.js',
  env: { LOG_LEVEL: 'warn', METRICS_PORT: '0' },
};
const glue: Contestant = { name: 'glue', script: 'scripts/bench/peers/glue.js' };
const bare: Contestant = { name: 'bare', script: 'scripts/bench/peers/bare.js' };
export const peers: readonly Contestant[] = [glue, { name: 'EOV', script: 'scripts/bench/peers/eov.js' }, bare];

/** Peers whose creations are as durable as those of the service; the others use `synchronous=NORMAL`. */
export const durablePeers: readonly Contestant[] = [glue, bare].map((peer) => ({
  ...peer,
  name: `${peer.name} FULL`,
  env: { SYNCHRONOUS: 'FULL' },
}));

export const legend = [
  'service: this server; every check and limit, synchronous=FULL, no request log',
  'glue: fastify 5, fastify-openapi-glue, @fastify/rate-limit; EOV: express 5, express-openapi-validator,',
  'express-rate-limit; bare: node:http without any check. Peers use synchronous=NORMAL, except those named FULL.',
];
