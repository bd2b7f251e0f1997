import { checkContract } from './check-contract.js';
import { completeDocument } from './complete-document.js';
import { type ReadDocument, readDocument } from './read-document.js';

/** Reads, checks and completes a document: `generate`, the build and a start use the same. @throws ContractError */
export async function loadDocument(url: URL): Promise<ReadDocument> {
  const read = await readDocument(url);
  await checkContract(read);
  completeDocument(read.document);
  return read;
}
