import { compile, folder } from '@contract-server/test-support/compile-types.js';
import { expect } from 'chai';

/** The types of a contract whose operation declares these statuses; webhooks are operations without defaults. */
const head = (statuses: string) => `
  import { errorsOf } from '#src/index.js';
  interface Operations {
    readonly getBook: { readonly responses: { readonly ${statuses}: unknown } };
    readonly listBooks: { readonly responses: { readonly 200: unknown } };
    readonly bookAdded: { readonly responses: { readonly 423: unknown } };
  }
  interface Contract {
    readonly errorStatuses: { readonly book_lost: 404 };
    readonly operations: Operations;
    readonly defaults: { readonly getBook: object; readonly listBooks: object };
  }
  const ApiError = errorsOf<Contract>();`;

const cases: readonly (readonly [title: string, statuses: string, accepted: readonly string[], refused: string[]])[] = [
  ['a status', '404', ['not_found', 'book_lost', 'invalid_request'], ['conflict', 'locked', 'bad_gateway', 'none']],
  ['a range', "'4XX'", ['not_found', 'conflict', 'locked'], ['bad_gateway']],
  ['`default`', 'default', ['not_found', 'locked', 'bad_gateway'], ['none']],
  ['no error', '204', ['book_lost', 'route_not_found'], ['not_found']],
];

describe('the error codes of a contract', function () {
  this.timeout(60_000);

  it('are generic if an operation declares their status, a range or `default`', () => {
    const files = cases.map(([title, statuses, accepted, refused], index) => {
      const line = (code: string) => `new ApiError('${code}', '${title}');`;
      const lines = [...accepted.map(line), ...refused.map((code) => `// @ts-expect-error\n${line(code)}`)];
      return [`${folder}types/codes-${String(index)}.ts`, [head(statuses), ...lines].join('\n')] as const;
    });
    expect(compile(new Map(files))).to.deep.equal(cases.map(() => []));
  });
});
