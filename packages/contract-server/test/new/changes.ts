/** What teams write into a created service. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Project } from './project.js';

export const contract = 'spec/library.yaml';
export const definition = 'src/service.ts';
export const tests = 'src/test/books.test.ts';

export const deleteTest = `
  it('deleteBook deletes a book, and returns 404 for an unknown one', async () => {
    await send('post', '/books').send(dune).expect(201);
    await send('delete', '/books/1').expect(204);
    await send('delete', '/books/1').expect(404);
  });

`;

export const deleteMethod = `
  /** Resolves with \`false\` if there is no such book. */
  async delete(id: number): Promise<boolean> {
    return (await this.db.execute('DELETE FROM books WHERE id = $1', [id])) > 0;
  }
`;

const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');

/** Adds the error bodies that the README of contract-server shows. */
export function addErrors(service: Project): void {
  const [, text = ''] = /^```ts\n\/\/ src\/errors\.ts\n(.*?)^```$/ms.exec(readme) ?? [];
  expect(text).not.to.equal('');
  service.write('src/errors.ts', text);
  service.insert(definition, '  create:', '  errors,\n');
  service.insert(definition, 'import { bookHandlers }', "import { errors } from './errors.js';\n");
}

export const problemSchema = `    Error:
      type: object
      required: [type, title, status, code, errors]
      properties:
        type: { type: string }
        title: { type: string }
        status: { type: integer }
        code: { type: string }
        errors: { type: array, items: { type: object } }
`;

export const signedToken = `await new SignJWT({})
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject('ann')
      .sign(new TextEncoder().encode('a'.repeat(32)))`;

const middlewareAndRoutes = `    middleware: [compression()],
    routes: [Router().get('/version', (_request, response) => void response.json({ version: '0.1.0' }))],
`;

const booksOfPostgres = `CREATE TABLE books (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  title text NOT NULL,
  author text NOT NULL
);
`;

/** A service without security, stores and errors of its own. */
export const timeContract = `openapi: 3.0.4
info: { title: Time, version: 2.0.0 }
servers: [{ url: "https://time.example/v2" }]
paths:
  /time:
    get:
      operationId: getTime
      responses:
        "200":
          description: The time.
          content: { application/json: { schema: { $ref: "#/components/schemas/Time" } } }
components:
  schemas:
    Time: { type: object, required: [now], properties: { now: { type: integer } } }
`;

export const timeService = `import { createService } from 'contract-server';
import type { Contract } from '../generated/contract.js';

export const service = createService<Contract>()({
  name: 'library',
  contract: new URL('../spec/library.yaml', import.meta.url),
  create: ({ clock }) => ({ handlers: { getTime: () => Promise.resolve({ status: 200, body: { now: clock() } }) } }),
});
`;

export const timeTest = `import { startService } from '@contract-server/testing';
import { service } from '../service.js';

it('getTime returns the time', async () => {
  const { request, close } = await startService(service, { clock: { now: 7 } });
  await request.get('/v2/time').expect(200, { now: 7 });
  await close();
});
`;

const copyForLoans = (text: string) => text.replaceAll('book', 'loan').replaceAll('Book', 'Loan');

/** Adds a resource as the README says: a copy of the first one. */
export function addLoans(service: Project): void {
  const copy = copyForLoans;
  const [paths = ''] = /^ {2}\/books:[^]*?(?=\ncomponents:)/m.exec(service.read(contract)) ?? [];
  const [schema = ''] = /^ {4}Book:[^]*?(?= {4}Error:)/m.exec(service.read(contract)) ?? [];
  service.insert(contract, '\ncomponents:', copy(paths));
  service.insert(contract, '    Error:\n      type', copy(schema));
  service.insert(contract, '\npaths:', '  loan_not_found: { status: 404 }\n');
  mkdirSync(join(service.directory, 'src/loans'));
  const modules = ['handlers', 'book-store'].map((name) => `src/books/${name}.ts`);
  for (const path of [...modules, tests]) service.write(copy(path), copy(service.read(path)));
  service.write('migrations/sqlite/0002-loans.sql', copy(service.read('migrations/sqlite/0001-books.sql')));
}

/** Adds the resource to the definition. */
export function registerLoans(service: Project): void {
  service.replace(definition, 'books: new BookStore(db) }', 'books: new BookStore(db), loans: new LoanStore(db) }');
  service.replace(definition, 'stores: { books }', 'stores: { books, loans }');
  service.replace(definition, '...bookHandlers(books) }', '...bookHandlers(books), ...loanHandlers(loans) }');
  const lines = service.read(definition).split('\n');
  const imports = lines.filter((line) => line.includes('./books/')).join('\n');
  service.insert(definition, '\nexport const', `${copyForLoans(imports)}\n`);
}

/** Adds what `create` may return besides handlers. */
export function addMiddlewareAndRoutes(service: Project): void {
  const imports = "import compression from 'compression';\nimport { Router } from 'express';\n";
  service.insert(definition, '  }),\n});', middlewareAndRoutes);
  service.insert(definition, 'import type { Contract }', imports);
}

/** Adds PostgreSQL as the README says. */
export function addPostgres(service: Project): void {
  const [, added = ''] = /`(postgres: postgres\(.+\),)`/.exec(service.read('README.md')) ?? [];
  service.insert(definition, '  },\n  security', `    ${added}\n`);
  service.insert(definition, 'import { apiReference }', "import { postgres } from 'contract-server/postgres';\n");
  mkdirSync(join(service.directory, 'migrations/postgres'));
  service.write('migrations/postgres/0001-books.sql', booksOfPostgres);
}
