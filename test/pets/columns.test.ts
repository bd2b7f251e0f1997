import { describePostgres, sharedPostgres } from '@contract-server/test-support/postgres/postgres.js';
import { expect } from 'chai';
import { petJsonOf as postgresJsonOf } from '#src/pets/postgres/column-sql.js';
import { petJsonOf as sqliteJsonOf } from '#src/pets/sqlite/column-sql.js';
import { openTestDatabase } from '../support/databases.js';

const text = { type: 'text' } as const;
const bigint = { type: 'bigint' } as const;
const columns = [
  { ...text, field: 'name', name: 'name' },
  { ...bigint, field: 'categoryId', name: 'category_id' },
  { ...text, field: 'shortName', name: 'short_name', isOptional: true },
  { ...bigint, field: 'age', name: 'age', isOptional: true },
];
const rex = '{"id":1,"name":"Rex}","categoryId":7';
const pets = `SELECT 1 AS id, 'Rex}' AS name, 7 AS category_id`;
const cases: readonly (readonly [shortName: string, age: string, json: string])[] = [
  ['NULL', 'NULL', `${rex}}`],
  [`'R"'`, 'NULL', `${rex},"shortName":"R\\""}`],
  ['NULL', '9223372036854775807', `${rex},"age":9223372036854775807}`],
  [`''`, '0', `${rex},"shortName":"","age":0}`],
];

describe('the JSON text of pets in SQLite', () => {
  it('omits the optional fields that a pet lacks', async () => {
    const db = await openTestDatabase();
    for (const [shortName, age, json] of cases) {
      const sql = `SELECT ${sqliteJsonOf(columns)} FROM (${pets}, ${shortName} AS short_name, ${age} AS age)`;
      expect(db.prepare(sql).pluck().get()).to.equal(json);
    }
  });
});

describePostgres('the JSON text of pets in PostgreSQL', () => {
  it('omits the optional fields that a pet lacks', async () => {
    const server = await sharedPostgres();
    for (const [shortName, age, json] of cases) {
      const from = `(${pets}, ${shortName}::text AS short_name, ${age}::bigint AS age) AS pets`;
      expect(await server.query(`SELECT ${postgresJsonOf(columns)} AS json FROM ${from}`)).to.deep.equal([{ json }]);
    }
  });
});
