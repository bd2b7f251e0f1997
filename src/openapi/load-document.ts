import { checkContract } from './check-contract.js';
import { type ReadDocument, readDocument } from './read-document.js';

/** Reads, checks and completes a document: `generate`, the build and a start use the same. @throws ContractError */
export async function loadDocument(url: URL): Promise<ReadDocument> {
  const read = await readDocument(url);
  await checkContract(read);
  nameOperations(read.document);
  return read;
}

/** An operation without an operationId is named by its method and path: `GET /books`. */
function nameOperations({ paths }: ReadDocument['document']): void {
  for (const [path, item] of Object.entries(paths))
    for (const [method, operation] of Object.entries(item ?? {}))
      if (typeof operation === 'object' && 'responses' in operation)
        operation.operationId ??= `${method.toUpperCase()} ${path}`;
}
