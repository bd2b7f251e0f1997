/**
 * Builds contract-server, then the pet store into `dist/`: compiles what has changed, copies the files that are read at
 * run time, deletes what the sources no longer contain, and checks the contract.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { mirrorSources } from '../packages/contract-server/scripts/mirror-sources.js';

const root = fileURLToPath(new URL('..', import.meta.url));

console.error('Building the service; the first time takes about half a minute.');
await import('../packages/contract-server/scripts/build.js');
const tsc = ['node_modules/typescript/bin/tsc', '-b'];
const { status } = spawnSync(process.execPath, tsc, { cwd: root, stdio: 'inherit' });
if (status !== 0) process.exit(1);
mirrorSources(root, /^checked-contract\.json$/);
await import('./check-contract.js');
