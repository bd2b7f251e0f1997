import { createHmac } from 'node:crypto';
import type { SchemeHandler } from 'contract-server/http/security/security.js';

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const sign = (text: string) => createHmac('sha256', 'secret of the tests').update(text).digest('base64url');

/** A JWT (RFC 7519) of Ann, with these claims; `scope` is separated by spaces (RFC 8693, section 4.2). */
export function signJwt(claims: { readonly scope: string; readonly exp: number; readonly quota?: unknown }): string {
  const text = `${encode({ alg: 'HS256' })}.${encode({ sub: 'ann', name: 'Ann', ...claims })}`;
  return `${text}.${sign(text)}`;
}

/** Verifies JWTs, as a service does it with a library of its choice. @param clock returns Unix milliseconds. */
export function jwtSecurity(clock: () => number): SchemeHandler {
  const identify = (token: string) => {
    const [header = '', payload = '', signature] = token.split('.');
    if (signature !== sign(`${header}.${payload}`)) return undefined;
    const { sub: id, exp, scope, ...claims } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims;
    return exp * 1000 <= clock() ? undefined : Promise.resolve({ id, scopes: scope.split(' '), ...claims });
  };
  return { identify };
}

type Claims = Parameters<typeof signJwt>[0] & { readonly sub: string; readonly name: string; readonly quota?: never };
