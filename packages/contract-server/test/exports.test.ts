import { expect } from 'chai';

/** The values that each entry point of the package exports. Each is a promise to applications. */
const exported: Readonly<Record<string, string>> = {
  index:
    'ApiError CommandError accelerate createRouter createService errorsOf idempotencyRetentionSecondsOf invalidCursor ' +
    'parseJson stringifyJson withTimeout',
  'api-keys': 'apiKeys',
  sqlite: 'GroupCommit sqlite',
  postgres: 'GroupCommit createBatchLoader postgres',
  redis: 'redisQuotas',
  metrics: 'metrics',
  reference: 'apiReference',
  'cli/index':
    'addJsonOption countOf createSchemaValidator formatCount isStandardStream printResult printable readLines ' +
    'requireBodyRule resolve withStores write writeTo',
};

describe('the package contract-server', () => {
  for (const [entry, names] of Object.entries(exported))
    it(`exports from ${entry} only what this test lists`, async () => {
      const module = (await import(`#src/${entry}.js`)) as object;
      expect(Object.keys(module).sort()).to.deep.equal(names.split(' '));
    });
});
