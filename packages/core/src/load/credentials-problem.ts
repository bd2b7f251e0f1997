import type { OpenAPIV3 } from 'openapi-types';
import { isToken } from '../lib/header-text.js';
import { isUnreadable } from '../parameters/parameter-problem.js';

const unsent = 'has a name that clients cannot send; use another one.';

/** Why no request can have the credentials of a security scheme; `undefined` if one can. */
export function credentialsProblem(declaration: OpenAPIV3.SecuritySchemeObject): string | undefined {
  if (declaration.type === 'http')
    return isToken(declaration.scheme) ? undefined : `The HTTP scheme ${declaration.scheme} ${unsent}`;
  if (declaration.type !== 'apiKey') return undefined;
  const { in: place, name } = declaration;
  if (isUnreadable(declaration)) return `The header ${name} has a name that Node.js does not read; use another one.`;
  const isSent = place === 'header' ? isToken(name) : place !== 'cookie' || isCookieName(name);
  return isSent ? undefined : `The ${place} ${name} ${unsent}`;
}

/** More than RFC 6265 allows, as browsers and servers do: `session[id]`. */
function isCookieName(name: string): boolean {
  return /^[ -:<>-~]+$/.test(name) && name.trim() === name;
}
