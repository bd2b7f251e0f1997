/** The modules of both products and what each may import besides itself and lib/. docs/architecture.md describes them. */
const library = '^packages/contract-server/src';
const anything = '^(src|generated|packages/[^/]+/src)/';
const applications = ['^', '^examples/[^/]+/'];
const ofApplications = (path) => applications.map((folder) => folder + path);

const module_ = (name, ...allowed) => ({
  name: `imports-of-${name.replace('/', '-')}`,
  severity: 'error',
  from: { path: `${library}/${name}/`, pathNot: name === 'contract' ? `${library}/contract/load/` : [] },
  to: { path: anything, pathNot: [`${library}/${name}/`, `${library}/lib/`, ...allowed] },
});

const config = `${library}/config\\.ts$`;
const paths = (...names) => names.map((name) => `${library}/${name}/`);
/** The contract and what serving it means, without HTTP: what a core behind any framework needs. */
const core = paths('contract', 'schema', 'parameters', 'bodies', 'responses', 'types', 'json');
const parts = [...core, ...paths('backend', 'rate-limits', 'log')];
const router = [...parts, ...paths('http')];
const everything = [...router, ...paths('router', 'service', 'mock', 'database', 'api-keys', 'observability')];
/** What the server and the client share: the client is published without the rest. */
const shared = '^packages/client/';

/** Types of a package may be imported anywhere but in the core. */
const onlyIn = (packages, ...folders) => ({
  name: `only-${folders[0].replace('/', '-')}-imports-${packages.replace(/\W+/g, '-')}`,
  severity: 'error',
  from: { path: `${library}/`, pathNot: paths(...folders) },
  to: { path: `node_modules/(${packages})/`, dependencyTypesNot: ['type-only'] },
});

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    module_('cli', config, ...everything, ...paths('generate', 'diff')),
    module_('service', config, ...everything),
    module_('mock', shared, ...core, ...paths('http')),
    module_('router', shared, ...router),
    module_('http', shared, ...parts),
    module_('log'),
    module_('backend', shared, ...core),
    module_('responses', shared, ...paths('contract', 'schema', 'json')),
    module_('bodies', shared, ...paths('contract', 'schema', 'parameters', 'json')),
    module_('parameters', shared, ...paths('contract', 'schema', 'json')),
    module_('schema', ...paths('contract', 'json')),
    module_('types', shared, ...paths('contract', 'bodies', 'responses', 'json')),
    module_('contract/load', shared, ...paths('contract', 'schema', 'parameters', 'bodies', 'json')),
    module_('contract', shared, ...paths('json')),
    module_('rate-limits', ...paths('database', 'contract')),
    module_('api-keys', ...paths('database', 'contract', 'http', 'types')),
    module_('database'),
    module_('observability'),
    module_('testing', shared, config, ...core, ...paths('service', 'log')),
    module_('generate', shared, ...core),
    module_('diff', ...core),
    module_('json'),
    module_('lib'),
    onlyIn('@redocly', 'contract/load'),
    // The tests of a service find the operation of a response with the stock router, not with the one that they test.
    onlyIn('openapi-backend', 'backend', 'testing'),
    onlyIn('express|express-rate-limit', 'http', 'router', 'service', 'mock'),
    {
      name: 'the-core-does-not-depend-on-http',
      severity: 'error',
      from: { path: core },
      to: { path: ['^(node:)?(http|https|net)$', 'node_modules/(express|openapi-backend)/'] },
    },
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
        pathNot:
          '/(dist/(index|api-keys|sqlite|postgres|redis|metrics|reference|cli/index)|client/dist/index)\\.d\\.ts$',
      },
    },
    {
      name: 'clients-depend-on-openapi-fetch-alone',
      severity: 'error',
      from: { path: ['^packages/client/src/', '^src/client/'] },
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
      from: {
        pathNot: [
          `${library}/(database/|rate-limits/redis|api-keys/)`,
          '^packages/test-support/',
          '^src/pets/(sqlite|postgres)/',
        ],
      },
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
