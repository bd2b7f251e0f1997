/** The modules of both products and what each may import besides itself and lib/. docs/architecture.md describes them. */
const library = '^packages/contract-server/src';
const anything = '^(src|generated|packages/[^/]+/src)/';
const applications = ['^', '^examples/[^/]+/'];
const ofApplications = (path) => applications.map((folder) => folder + path);

const module_ = (name, ...allowed) => ({
  name: `imports-of-${name}`,
  severity: 'error',
  from: { path: `${library}/${name}/` },
  to: { path: anything, pathNot: [`${library}/${name}/`, `${library}/lib/`, ...allowed] },
});

const config = `${library}/config\\.ts$`;
const everything = [
  'service',
  'mock',
  'http',
  'rate-limits',
  'api-keys',
  'database',
  'observability',
  'openapi',
  'json',
];
const paths = (names) => names.map((name) => `${library}/${name}/`);
/** What the server and the client share: the client is published without the rest. */
const shared = `${library}/client/(read-write|media-kinds|dot-segments)\\.ts$`;

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    module_('cli', config, ...paths([...everything, 'generate', 'diff'])),
    module_('service', config, ...paths(everything.slice(1))),
    module_('mock', ...paths(['http', 'openapi', 'json'])),
    module_('http', ...paths(['rate-limits', 'api-keys', 'observability', 'openapi', 'json'])),
    module_('rate-limits', ...paths(['database', 'openapi'])),
    module_('api-keys', ...paths(['database', 'openapi'])),
    module_('database'),
    module_('observability'),
    module_('testing', config, ...paths(['service', 'api-keys', 'observability', 'openapi', 'json'])),
    module_('generate', ...paths(['openapi'])),
    module_('diff', ...paths(['openapi'])),
    module_('openapi', shared, ...paths(['json'])),
    module_('json'),
    module_('lib', `${library}/openapi/types\\.ts$`),
    module_('client'),
    {
      name: 'the-library-does-not-depend-on-its-applications',
      severity: 'error',
      from: { path: '^packages/' },
      to: { path: '^(src|generated|examples)/' },
    },
    {
      name: 'applications-use-the-public-interface-of-the-library',
      severity: 'error',
      from: { path: ofApplications('src/') },
      to: {
        path: '^packages/',
        pathNot: '/dist/(index|api-keys|sqlite|postgres|redis|metrics|reference|cli/index|client/index)\\.d\\.ts$',
      },
    },
    {
      name: 'clients-depend-on-openapi-fetch-alone',
      severity: 'error',
      from: { path: [`${library}/client/`, '^src/client/'] },
      to: { dependencyTypes: ['core', 'npm'], pathNot: ['node_modules/openapi-fetch/', '^packages/'] },
    },
    {
      name: 'only-the-client-and-contract.ts-import-generated-code',
      severity: 'error',
      from: { pathNot: ofApplications('src/(contract\\.ts|client/)') },
      to: { path: ofApplications('generated/') },
    },
    {
      name: 'only-stores-import-database-drivers',
      severity: 'error',
      from: { pathNot: [`${library}/(database/|rate-limits/redis|api-keys/)`, '^src/pets/(sqlite|postgres)/'] },
      to: { path: 'node_modules/(better-sqlite3|pg|@redis)/' },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
  ],
  options: {
    doNotFollow: { path: ['node_modules', '/dist/'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
