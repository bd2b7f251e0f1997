import { readFileSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import { genericStatuses } from '@contract-server/core/lib/generic-statuses.js';
import { moduleStatuses } from '@contract-server/core/lib/module-statuses.js';
import type { ContractTypes } from '@contract-server/core/types/types.js';
import { place } from '@contract-server/test-support/contract/contract-errors.js';
import { createRequest, type Request } from '@contract-server/testing/create-request.js';
import { expect } from 'chai';
import express from 'express';
import { ApiError, createRouter } from '#src/index.js';

const contract = `
openapi: 3.0.4
info: { title: Books, version: 1.0.0 }
paths:
  /books/{code}:
    get:
      operationId: getBook
      parameters: [{ name: code, in: path, required: true, schema: { type: string } }]
      responses:
        "200": { description: OK }
        default: { description: Error, content: { application/json: {} } }
`;

async function serve(text: string): Promise<Request> {
  const { url } = place({ 'contract.yaml': text });
  const getBook = ({ path: { code } }: { readonly path: { readonly code: string } }) =>
    Promise.reject(new ApiError(code as never, 'The book.'));
  const options = { contract: url, handlers: { getBook } as object };
  return createRequest({ contract: url, server: express().use(await createRouter<ContractTypes>()(options)) });
}

describe('the codes of the library', () => {
  it('have their statuses, without x-error-codes', async () => {
    const request = await serve(contract);
    for (const [code, status] of Object.entries({ ...genericStatuses, ...moduleStatuses })) {
      const { body } = (await request.get(`/books/${code}`).expect(status)) as { readonly body: object };
      const { message } = new ApiError(code as never, 'The book.');
      expect(body, code).to.deep.equal({ code, message, status });
    }
  });

  it('exist besides x-error-codes, which may list one with another status', async () => {
    const listed = 'x-error-codes: { book_lost: { status: 404 }, not_found: { status: 410 } }';
    const request = await serve(contract + listed);
    for (const [code, status] of Object.entries({ book_lost: 404, not_found: 410, conflict: 409 }))
      await request.get(`/books/${code}`).expect(status, { code, message: 'The book.', status });
  });

  it('have the words of Node.js for their status, if they are generic', () => {
    for (const [code, status] of Object.entries(genericStatuses))
      expect(STATUS_CODES[status]?.toLowerCase().replaceAll(' ', '_'), code).to.equal(code);
    expect(Object.keys(moduleStatuses).filter((code) => code in genericStatuses)).to.deep.equal([]);
  });

  it('are listed in the README by status, those of the library all, the generic ones as examples', () => {
    const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
    const codesIn = (list: string) => {
      const [, text = ''] = new RegExp(`^- \\*\\*${list}:\\*\\*([^]*?)\\n(?:-|\\n)`, 'm').exec(readme) ?? [];
      return [...text.matchAll(/(\d{3}) ([^;.]+)/g)].flatMap(([, status, codes = '']) =>
        [...codes.matchAll(/`(\w+)`/g)].map(([, code]) => [code, Number(status)]),
      );
    };
    expect(codesIn('Returned by the library')).to.have.deep.members(Object.entries(moduleStatuses));
    const examples = codesIn('Generic');
    expect(examples).not.to.deep.equal([]);
    expect(Object.entries(genericStatuses)).to.deep.include.members(examples);
  });
});
