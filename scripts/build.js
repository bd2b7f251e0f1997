/** Builds contract-server, then the pet store into `dist/`: compiles what has changed, and checks the contract. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

console.error('Building the service; the first time takes about half a minute.');
await import('../packages/contract-server/scripts/build.js');
const tsc = ['node_modules/typescript/bin/tsc', '-b'];
const { status } = spawnSync(process.execPath, tsc, { cwd: root, stdio: 'inherit' });
if (status !== 0) process.exit(1);
await import('./check-contract.js');
