/** A server that is measured: the service itself or one of its peers. */
export interface Contestant {
  readonly name: string;
  readonly title: string;
  /** What Node runs, relative to the root of the project. */
  readonly script: string;
  readonly env: Readonly<Record<string, string>>;
  /** Whether it checks API keys and limits, and validates requests. Otherwise it has no errors to compare. */
  readonly refuses: readonly ('400' | '401' | '404' | '429')[];
}

export const service: Contestant = {
  name: 'service',
  title: 'this service',
  script: 'dist/main.js',
  // Behind a proxy, so that the requests of the case 401 come from many addresses.
  env: { LOG_LEVEL: 'warn', METRICS_PORT: '0', TRUST_PROXY: '1' },
  refuses: ['400', '401', '404', '429'],
};

const bare: Contestant = { ...peer('bare', 'node:http, no checks at all'), refuses: [] };
const glue = peer('glue', 'fastify + fastify-openapi-glue + @fastify/rate-limit');
export const peers: readonly Contestant[] = [
  bare,
  glue,
  {
    ...peer('glue', 'the same, with a cache of API keys', { KEY_CACHE: 'on' }),
    name: 'glue-cached',
  },
  peer('eov', 'express + express-openapi-validator + express-rate-limit'),
  peer('backend', 'openapi-backend as its README shows it'),
];

/** The service and the peer that it is compared with where every request is logged. */
export const logging = {
  service: { ...service, name: 'service-log', env: { ...service.env, LOG_LEVEL: 'info' } },
  glue: { ...peer('glue', `${glue.title}, fastify's logger on`, { REQUEST_LOG: 'on' }), name: 'glue-log' },
};

function peer(name: string, title: string, env: Record<string, string> = {}): Contestant {
  return { name, title, script: `scripts/bench/peers/${name}.js`, env, refuses: ['400', '401', '404', '429'] };
}
