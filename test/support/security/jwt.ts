import { createHmac } from 'node:crypto';
import { credentialsOf, type SecurityHandler } from '#src/http/security.js';
import type { ContractDocument } from '#src/openapi/document.js';
import type { Quota } from '#src/rate-limits/quota-store.js';

interface Claims {
  readonly sub: string;
  readonly name: string;
  /** Separated by spaces (RFC 8693, section 4.2). */
  readonly scope: string;
  /** Unix seconds. */
  readonly exp: number;
  readonly quota?: Quota;
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const header = encode({ alg: 'HS256' });
const signatureOf = (text: string) => createHmac('sha256', 'secret of the tests').update(text).digest('base64url');

/** A signed JWT (RFC 7519). */
export function signJwt(claims: Claims): string {
  const text = `${header}.${encode(claims)}`;
  return `${text}.${signatureOf(text)}`;
}

/** Verifies a JWT, as a service does it with a library of its choice. */
export function jwtSecurity(document: ContractDocument, scheme: string, clock: () => number): SecurityHandler {
  const { read } = credentialsOf(document, scheme);
  return (request) => {
    const token = read(request);
    if (token === undefined) return 'missing';
    const [start = '', payload = '', signature] = token.split('.');
    if (start !== header || signature !== signatureOf(`${start}.${payload}`)) return 'invalid';
    const { sub, name, scope, exp, quota } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims;
    if (exp * 1000 <= clock()) return 'invalid';
    // A service could load the scopes from a store.
    return Promise.resolve({ id: sub, name, scopes: scope.split(' '), quota });
  };
}
