import type { Command } from 'commander';
import type { BookStore } from '../../books/book-store.js';
import { type Invocation, withStores } from '../invocation.js';
import { type ExportOptions, writeTo } from '../ndjson.js';

const pageSize = 1000;

/** The line of `petstore --help`. */
export const booksExamples = '  petstore books export books.ndjson';

/** Adds `petstore books …`. */
export function addBooksCommands(program: Command, invocation: Invocation): void {
  program
    .command('books')
    .description('export books')
    .command('export [file]')
    .description('write every book as one Book in JSON per line, in ascending order of id')
    .option('--force', 'overwrite an existing file')
    .action((file: string | undefined, options: ExportOptions) =>
      withStores(invocation, ({ books }) => writeTo(file, options, invocation.context.stdout, exportLines(books))),
    );
}

async function* exportLines(store: BookStore): AsyncGenerator<string> {
  let afterId: number | undefined = 0;
  while (afterId !== undefined) {
    const page: Awaited<ReturnType<BookStore['list']>> = await store.list(pageSize, afterId);
    for (const book of page.books) yield `${book}\n`;
    afterId = page.lastId;
  }
}
