/** The modules of src/ and what each may import besides itself and lib/. docs/architecture.md describes them. */
const module_ = (name, ...allowed) => ({
  name: `imports-of-${name}`,
  severity: 'error',
  from: { path: `^src/${name}/` },
  to: { path: '^(src|generated)/', pathNot: [`^src/${name}/`, '^src/lib/', ...allowed] },
});

const config = '^src/config\\.ts$';
const everything = [
  'service',
  'pets',
  'mock',
  'http',
  'rate-limits',
  'api-keys',
  'database',
  'observability',
  'openapi',
  'json',
];
const paths = (names) => names.map((name) => `^src/${name}/`);

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    module_('cli', config, ...paths(everything)),
    module_('service', config, ...paths(everything.slice(1))),
    module_('pets', ...paths(['openapi', 'database', 'json'])),
    module_('mock', ...paths(['http', 'openapi', 'json'])),
    module_('http', ...paths(['rate-limits', 'api-keys', 'observability', 'openapi', 'json'])),
    module_('rate-limits', ...paths(['database', 'openapi'])),
    module_('api-keys', ...paths(['database', 'openapi'])),
    module_('database'),
    module_('observability'),
    module_('openapi', '^src/json/', '^generated/'),
    module_('json'),
    module_('lib', '^generated/'),
    module_('client', '^generated/'),
    {
      name: 'only-main-and-config-are-at-the-root',
      severity: 'error',
      from: {},
      to: { path: '^src/[^/]+\\.ts$', pathNot: '^src/(main|config)\\.ts$' },
    },
    {
      name: 'commands-that-need-no-server-do-not-load-it',
      severity: 'error',
      from: {
        path: '^src/(service/open-|cli/commands/)',
        pathNot: '^src/cli/commands/(serve|start-warnings|mock)',
      },
      to: { path: 'node_modules/(express|openapi-backend)/', reachable: true },
    },
    {
      name: 'the-client-depends-on-openapi-fetch-alone',
      severity: 'error',
      from: { path: '^src/client/' },
      to: { dependencyTypes: ['core', 'npm'], pathNot: 'node_modules/openapi-fetch/' },
    },
    {
      name: 'only-openapi-lib-and-the-client-import-generated-code',
      severity: 'error',
      from: { pathNot: '^src/(openapi|lib|client)/' },
      to: { path: '^generated/' },
    },
    {
      name: 'only-stores-import-database-drivers',
      severity: 'error',
      from: { pathNot: '^src/(database/|rate-limits/redis|api-keys/|pets/(sqlite|postgres)/)' },
      to: { path: 'node_modules/(better-sqlite3|pg|@redis)/' },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
