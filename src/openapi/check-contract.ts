import { readFile } from 'node:fs/promises';
import { createApi } from './create-api.js';
import { contractUrl, parseContract, writeChecked } from './load-contract.js';

/**
 * The last step of a build: checks the contract as a start would, the document and all that is compiled from it, so
 * that starts need not. It is bound to the SHA-256 of the file: whatever is changed afterwards is checked at every
 * start.
 */
const bytes = await readFile(contractUrl);
const document = await parseContract(bytes);
await createApi({ document, isChecked: false, handlers: {}, errorHandlers: {} });
await writeChecked(bytes, document);
