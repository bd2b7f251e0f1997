/** The rooms of the house and what each may import. docs/architecture.md explains them. */
const room = (name, allowed) => ({
  name: `${name}-imports-only-its-neighbours`,
  severity: 'error',
  from: { path: `^src/${name}/` },
  to: { path: '^(src|generated)/', pathNot: [`^src/${name}/`, ...allowed] },
});

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    room('contract', ['^generated/']),
    room('domain', ['^src/contract/']),
    room('storage', ['^src/domain/', '^src/contract/']),
    room('http', ['^src/domain/', '^src/contract/', '^src/observe/']),
    room('observe', []),
    room('cli', ['^src/(config|compose|compose-mock|operator-log)\\.ts$', '^src/contract/', '^src/domain/']),
    room('client', ['^generated/']),
    {
      name: 'only-openapi-fetch-comes-with-the-client',
      severity: 'error',
      from: { path: '^src/client/' },
      to: { dependencyTypes: ['core', 'npm'], pathNot: 'node_modules/openapi-fetch/' },
    },
    {
      name: 'domain-knows-the-contract-as-types',
      severity: 'error',
      from: { path: '^src/domain/' },
      to: { path: '^src/contract/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'domain-does-no-io',
      severity: 'error',
      from: { path: '^src/domain/' },
      to: { dependencyTypes: ['core'], pathNot: '^(crypto|zlib)$' },
    },
    {
      name: 'only-the-contract-and-the-client-read-generated-code',
      severity: 'error',
      from: { pathNot: '^(src/contract|src/client|generated)/' },
      to: { path: '^generated/' },
    },
    {
      name: 'only-storage-knows-the-database-drivers',
      severity: 'error',
      from: { pathNot: '^src/storage/' },
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
