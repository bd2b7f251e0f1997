/** What packages and folders may import. docs/architecture.md describes them. */
const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

const packages = readdirSync('packages').map((folder) => ({
  folder,
  manifest: JSON.parse(readFileSync(join('packages', folder, 'package.json'), 'utf8')),
}));

/** A package may import those of this repository that its package.json names, and imports them by their names. */
const importsOfPackages = packages.map(({ folder, manifest: { name, dependencies = {} } }) => {
  const allowed = packages.filter(({ manifest }) => manifest.name in dependencies).map((each) => each.folder);
  return {
    name: `dependencies-of-${name}`,
    severity: 'error',
    from: { path: `^packages/${folder}/src/` },
    to: { path: '^packages/', pathNot: `^packages/(${[folder, ...allowed].join('|')})/` },
  };
});

const library = '^packages/contract-server/src';
const applications = ['^', '^examples/[^/]+/'];
const ofApplications = (path) => applications.map((folder) => folder + path);

const module_ = (name, ...allowed) => ({
  name: `imports-of-${name}`,
  severity: 'error',
  from: { path: `${library}/${name}/` },
  to: { path: '^packages/contract-server/src/', pathNot: [`${library}/${name}/`, `${library}/lib/`, ...allowed] },
});

const config = `${library}/config\\.ts$`;
const paths = (...names) => names.map((name) => `${library}/${name}/`);
const parts = paths('backend', 'rate-limits', 'log');
const router = [...parts, ...paths('http')];
const everything = [...router, ...paths('router', 'service', 'mock', 'database', 'api-keys', 'observability')];

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    ...importsOfPackages,
    {
      name: 'packages-import-each-other-by-name',
      severity: 'error',
      from: { path: '^packages/([^/]+)/' },
      to: { path: '^packages/', pathNot: '^packages/$1/', dependencyTypes: ['local'], dependencyTypesNot: ['aliased'] },
    },
    {
      name: 'the-core-does-not-depend-on-http',
      severity: 'error',
      from: { path: '^packages/core/' },
      to: { path: ['^(node:)?(http|https|net)$', 'node_modules/(express|openapi-backend)/'] },
    },
    module_('cli', config, ...everything, ...paths('generate')),
    module_('service', config, ...everything),
    module_('mock', ...paths('http')),
    module_('router', ...router),
    module_('http', ...parts),
    module_('log'),
    module_('backend'),
    module_('rate-limits', ...paths('database')),
    module_('api-keys', ...paths('database', 'http')),
    module_('database'),
    module_('observability'),
    module_('generate'),
    {
      name: 'packages-do-not-depend-on-applications',
      severity: 'error',
      from: { path: '^packages/' },
      to: { path: '^(src|generated|examples)/' },
    },
    {
      name: 'applications-use-the-public-interface-of-packages',
      severity: 'error',
      from: { path: ofApplications('src/') },
      to: {
        path: '^packages/',
        pathNot:
          '/(contract-server/dist/(index|api-keys|sqlite|postgres|redis|metrics|reference|cli/index)|client/dist/index)\\.d\\.ts$',
      },
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
