import { readFile } from 'node:fs/promises';
import { ContractBackend } from './contract/backend.js';
import { contractUrl, parseContract, writeChecked } from './contract/contract-source.js';
import { operationIdsOf } from './contract/document.js';
import type { Handlers } from './contract/types.js';

/**
 * The last step of a build: checks the contract as a start would, the document and all that is compiled from it, so that starts
 * need not. It is bound to the SHA-256 of the file: whatever is changed afterwards is checked at every start.
 */
const bytes = await readFile(contractUrl);
const document = await parseContract(bytes);
const unused = () => undefined;
const handlers = Object.fromEntries(operationIdsOf(document).map((id) => [id, unused])) as unknown as Handlers;
const failures = {
  unknownPath: unused,
  unknownMethod: unused,
  unauthorized: unused,
  malformedUrl: unused,
  invalidRequest: unused,
};
await new ContractBackend(document, handlers, failures).init();
await writeChecked(bytes, document);
