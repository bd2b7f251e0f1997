import { readFileSync, writeFileSync } from 'node:fs';
import { compile, folder } from '@contract-server/test-support/compile-types.js';
import { expect } from 'chai';
import type { Express } from 'express';
import supertest from 'supertest';
import ts from 'typescript';
import { books, contractPath } from './shop.js';

const guide = readFileSync(new URL('../../../../../docs/migration.md', import.meta.url), 'utf8');

/** The applications of the guide by their file, with the paths that they have here. */
const applications = [...guide.matchAll(/^```ts\n\/\/ (\S+)\.ts\n(.*?)^```$/gms)].map(([, name = '', code = '']) => {
  const text = code
    .replaceAll("'contract-server'", "'#src/index.js'")
    .replaceAll("'contract.yaml'", JSON.stringify(contractPath));
  return [name, text] as const;
});

/** Runs an application of the guide. */
async function load(name: string, text: string): Promise<Express> {
  const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
  const url = new URL(`guide-${name}.js`, import.meta.url);
  writeFileSync(url, ts.transpileModule(text, { compilerOptions: options }).outputText);
  const { app } = (await import(url.href)) as { readonly app: Express };
  return app;
}

describe('the migration guide', function () {
  this.timeout(60_000);

  it('has three applications, which compile', () => {
    expect(applications.map(([name]) => name)).to.deep.equal([
      'express',
      'express-openapi-validator',
      'openapi-backend',
    ]);
    const files = applications.map(([name, text]) => [`${folder}migration/guide-${name}.ts`, text] as const);
    expect(compile(new Map(files)).flat()).to.deep.equal([]);
  });

  for (const [name, text] of applications)
    it(`serves the requests of an application with ${name}, before and after they have moved`, async () => {
      const app = await load(name, text);
      await supertest(app).get('/shop/books').expect(200, books.list().slice(0, 2));
      await supertest(app).get('/shop/books?limit=0').expect(400);
      const book = { title: 'Emma', author: 'Austen' };
      const post = (token: string) => supertest(app).post('/shop/books').set('Authorization', `Bearer ${token}`);
      await post('ann')
        .send(book)
        .expect(201, { id: 4, ...book, genre: 'novel' });
      await post('ann').send({ title: 'Emma' }).expect(400);
      await post('bob').send(book).expect(401);
    });
});
