import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContext } from 'node:tls';
import { reasonOf, StartError, systemReasonOf } from '@contract-server/core/lib/errors.js';
import type { ClientConfig } from 'pg';
import { type ConnectionParameters, parseConnectionUrl } from './connection-url.js';

/**
 * The options of `pg` for a connection URL, with the certificates that it names, which are read once.
 *
 * @throws StartError if a file cannot be read or used. @throws Error if the URL is invalid.
 */
export function clientConfigOf(url: string): ClientConfig {
  const parameters = parseConnectionUrl(url);
  const { sslmode, ssl, sslrootcert, sslcert, sslkey, port, ...others } = parameters;
  const config = { ...others, ...(port !== undefined && { port: Number(port) }) };
  if (sslmode === 'disable') return { ...config, ssl: false };
  const usesTls = [sslmode, ssl, sslrootcert, sslcert, sslkey, others.sslnegotiation].some(Boolean);
  if (!usesTls) return config;
  const secureContext = createContext(parameters);
  // `require` and `verify-ca` check as much as `verify-full`.
  return { ...config, ssl: { secureContext, rejectUnauthorized: sslmode !== 'no-verify' } };
}

function createContext({ sslrootcert, sslcert, sslkey }: ConnectionParameters): SecureContext {
  const files = {
    ca: readPem('sslrootcert', sslrootcert),
    cert: readPem('sslcert', sslcert),
    key: readPem('sslkey', sslkey),
  };
  try {
    return createSecureContext(files);
  } catch (error) {
    throw new StartError(`sslcert and sslkey in DATABASE_URL cannot be used: ${reasonOf(error)}.`, { cause: error });
  }
}

function readPem(name: string, path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const message = `${name} in DATABASE_URL, ${path}, cannot be read: ${systemReasonOf(error)}.`;
    throw new StartError(message, { cause: error });
  }
}
