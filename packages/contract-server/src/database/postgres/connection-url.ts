/** The supported parameters, some with their only values. `pg` ignores other parameters, or misunderstands values. */
const parameters = {
  host: undefined,
  port: undefined,
  user: undefined,
  password: undefined,
  application_name: undefined,
  options: undefined,
  // Not `allow` and `prefer`: `pg` never falls back to a connection without TLS.
  sslmode: ['disable', 'require', 'verify-ca', 'verify-full', 'no-verify'],
  // As in libpq, for URLs that were written for JDBC.
  ssl: ['true'],
  sslrootcert: undefined,
  sslcert: undefined,
  sslkey: undefined,
  sslnegotiation: ['direct'],
} as const satisfies Readonly<Record<string, readonly string[] | undefined>>;

type ParameterName = keyof typeof parameters;

/** What a connection URL has. `pg` reads the rest from libpq's environment variables, such as `PGPASSWORD`. */
export type ConnectionParameters = {
  readonly [Name in ParameterName]?: (typeof parameters)[Name] extends readonly (infer Value)[] ? Value : string;
} & { readonly database?: string };

const form =
  /^postgres(?:ql)?:\/\/(?:(?<user>[^:/?#]*)(?::(?<password>[^/?#]*))?@)?(?<host>\[[^\]/?#]+\]|[^:/?#[\]]*)(?::(?<port>\d+))?(?:\/(?<database>[^?#]*))?(?:\?(?<query>[^#@]*))?$/;
const formError =
  'must be a URL like postgres://user:password@host:5432/database, of one server; ' +
  'in its parts, write @ as %40, / as %2F, ? as %3F and % as %25';

/**
 * Parses a connection URL of libpq (postgresql.org/docs/current/libpq-connect.html).
 *
 * @throws Error whose message completes "it …", and repeats no value, because any could be a part of a password.
 */
export function parseConnectionUrl(text: string): ConnectionParameters {
  const { groups } = form.exec(text) ?? {};
  if (groups === undefined) throw new Error(formError);
  const { query = '', ...parts } = groups as Readonly<Record<string, string | undefined>>;
  const named = [...new URLSearchParams(query)].filter(([, value]) => value !== '');
  for (const [name, value] of named) requireSupported(name, value);
  const given = Object.entries(parts).flatMap(([name, part = '']) => (part === '' ? [] : [[name, decode(part)]]));
  const values = Object.fromEntries([...given, ...named]) as ConnectionParameters;
  requireOneServer(values);
  return values.host === undefined ? values : { ...values, host: values.host.replace(/^\[(.+)\]$/, '$1') };
}

function requireOneServer({ host = '', port = '0' }: ConnectionParameters): void {
  if (host.includes(',') || !/^\d+$/.test(port) || Number(port) > 65_535) throw new Error(formError);
}

function requireSupported(name: string, value: string): void {
  if (!Object.hasOwn(parameters, name))
    throw new Error(`must not have the parameter ${name}; supported are ${Object.keys(parameters).join(', ')}`);
  const allowed: readonly string[] | undefined = parameters[name as ParameterName];
  if (allowed?.includes(value) === false) throw new Error(`must set ${name} to one of: ${allowed.join(', ')}`);
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Error(formError);
  }
}

/** Checks a connection URL for a setting. @throws as `parseConnectionUrl` does */
export function parseDatabaseUrl(text: string): string {
  parseConnectionUrl(text);
  return text;
}
