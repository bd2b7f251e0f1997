/** Writes `.env` with a secret for development, unless it exists. */
import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';

const file = new URL('../.env', import.meta.url);
if (!existsSync(file)) writeFileSync(file, `JWT_SECRET=${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
