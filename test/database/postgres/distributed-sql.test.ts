import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { describePostgres, openTestPostgres, sharedPostgres, testOptions } from '../../support/postgres/postgres.js';

const schema = testOptions.migrations.map(({ sql }) => sql).join('\n');
const indexes = [...schema.matchAll(/^CREATE (?:UNIQUE )?INDEX (\w+) ON \w+ \((.+)\);$/gm)];

describe('the schema for distributed databases', () => {
  it('states the order of each column of an index: YugabyteDB hashes the first one otherwise', () => {
    expect(indexes).to.have.lengthOf(schema.match(/CREATE (UNIQUE )?INDEX/g)?.length ?? 0);
    for (const [index, , columns = ''] of indexes)
      for (const column of columns.split(', ')) expect(column, index).to.match(/^\w+ (ASC|DESC)$/);
  });

  it('is described with every table, index and named statement', () => {
    const text = readFileSync(new URL('../../../../docs/distributed-sql.md', import.meta.url), 'utf8');
    const sources = ['pets/postgres/pet-store', 'pets/postgres/pet-archive', 'pets/postgres/page-loader']
      .concat('pets/postgres/listing-delay', 'api-keys/postgres-key-store')
      .map((file) => readFileSync(new URL(`../../../../src/${file}.ts`, import.meta.url), 'utf8'));
    const statements = [...sources.join('\n').matchAll(/\bname: '(\w+)'/g)].map(([, name = '']) => name);
    expect(statements).to.have.length.greaterThan(20);
    const tables = [...schema.matchAll(/^CREATE TABLE (\w+)/gm)].map(([, name = '']) => name);
    for (const name of [...statements, ...tables, ...indexes.map(([, index = '']) => index)])
      expect(text).to.include(`\`${name}\``);
  });
});

describePostgres('the explicit order of index columns', () => {
  it('changes nothing in PostgreSQL', async () => {
    const server = await sharedPostgres();
    const url = await server.createDatabase();
    await (await openTestPostgres(url)).close();
    const definitions = await server.query<{ indexdef: string }>(
      `SELECT indexdef FROM pg_indexes WHERE indexname IN ('pets_by_status', 'idempotency_keys_by_expiry')
      ORDER BY indexdef`,
      url,
    );
    expect(definitions.map(({ indexdef }) => indexdef)).to.deep.equal([
      'CREATE INDEX idempotency_keys_by_expiry ON public.idempotency_keys USING btree (expires_at)',
      'CREATE INDEX pets_by_status ON public.pets USING btree (status, id)',
    ]);
  });
});
