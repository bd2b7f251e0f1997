/** A security scheme of a contract. Tokens of OAuth 2 and OpenID Connect are sent as `bearer`. */
export type SecurityScheme =
  | { readonly type: 'http'; readonly scheme: 'bearer' | 'basic' }
  | { readonly type: 'apiKey'; readonly in: 'header' | 'query' | 'cookie'; readonly name: string };

/** An API key or a token; a name and a password for `basic`. */
export type Credential = string | { readonly username: string; readonly password: string };

/** Adds credentials to a request that is sent. */
export type Authorize = (request: Request) => Request;

/**
 * Compiles the credentials of a client. None is required, because operations may require none.
 *
 * @throws TypeError for a scheme that the contract lacks, and for a credential that cannot be sent.
 */
export function compileCredentials(
  schemes: Readonly<Record<string, SecurityScheme>>,
  credentials: Readonly<Record<string, Credential>> = {},
): Authorize {
  const all = Object.entries(credentials).map(([name, credential]) => {
    const scheme = Object.hasOwn(schemes, name) ? schemes[name] : undefined;
    if (scheme !== undefined) return authorizeBy(scheme, credential, name);
    throw new TypeError(
      `There is no security scheme ${name}; there are: ${Object.keys(schemes).join(', ') || 'none'}.`,
    );
  });
  return (request) => all.reduce((sent, authorize) => authorize(sent), request);
}

function authorizeBy(scheme: SecurityScheme, credential: Credential, name: string): Authorize {
  if (scheme.type === 'http' && scheme.scheme === 'basic') {
    const header = `Basic ${basicOf(credential, name)}`;
    return (request) => withHeader(request, 'Authorization', header);
  }
  const key = requireText(credential, name);
  if (scheme.type === 'http') return (request) => withHeader(request, 'Authorization', `Bearer ${key}`);
  const pair = `${encodeURIComponent(scheme.name)}=${encodeURIComponent(key)}`;
  if (scheme.in === 'header') return (request) => withHeader(request, scheme.name, key);
  if (scheme.in === 'query') return (request) => withQuery(request, pair);
  if (isBrowser()) throw new TypeError(`A script in a page cannot send the cookie ${scheme.name}.`);
  return (request) => {
    const cookies = [request.headers.get('Cookie') ?? [], `${scheme.name}=${encodeURIComponent(key)}`].flat();
    return withHeader(request, 'Cookie', cookies.join('; '));
  };
}

export function isBrowser(): boolean {
  return typeof navigator !== 'undefined' && navigator.userAgent.startsWith('Mozilla/');
}

/** @throws TypeError for text that a header cannot contain, such as a line break at its end. */
function requireText(credential: Credential, name: string): string {
  if (typeof credential === 'string' && /^[!-~]+$/.test(credential)) return credential;
  throw new TypeError(`${name} must be visible ASCII characters. Check the variable that contains it.`);
}

/** In UTF-8 (RFC 7617, section 2.1). @throws TypeError for a name that contains a colon. */
function basicOf(credential: Credential, name: string): string {
  if (typeof credential !== 'object' || credential.username.includes(':'))
    throw new TypeError(`${name} must have a username without a colon, and a password.`);
  const bytes = new TextEncoder().encode(`${credential.username}:${credential.password}`);
  return btoa(String.fromCharCode(...bytes));
}

function withHeader(request: Request, name: string, value: string): Request {
  const headers = new Headers(request.headers);
  headers.set(name, value);
  return new Request(request, { headers });
}

function withQuery(request: Request, pair: string): Request {
  const url = `${request.url}${request.url.includes('?') ? '&' : '?'}${pair}`;
  return new Request(url, request);
}
