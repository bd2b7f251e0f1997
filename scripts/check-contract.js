import { readFile } from 'node:fs/promises';
import { createApi } from '../dist/openapi/create-api.js';
import { contractUrl, parseContract, writeChecked } from '../dist/openapi/load-contract.js';

/**
 * A step of the build: checks the contract as an unchecked start would, so that starts need not. The result is
 * bound to the SHA-256 of the file: a file that changes afterwards is checked at every start.
 */
const bytes = await readFile(contractUrl);
const document = await parseContract(bytes);
await createApi({ document, isChecked: false, handlers: {}, lifecycleHandlers: {} });
await writeChecked(bytes, document);
