/** Parsers of headers by the grammars of their RFCs. Each throws an Error for a value that does not conform. */

const token = "[\\w!#$%&'*+.^`|~-]+";
const quoted = '"(?:[\\t !#-\\[\\]-~]|\\\\[\\t -~])*"';
const parameter = `(${token})=(${token}|${quoted})`;

interface Challenge {
  readonly scheme: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** `WWW-Authenticate` (RFC 9110, section 11.6.1). */
export function challengesOf(value: string): readonly Challenge[] {
  const challenge = new RegExp(`(${token}) (${parameter}(?:, ${parameter})*)(?:, |$)`, 'gy');
  return parsed(value, challenge).map(([, scheme = '', list = '']) => {
    const pairs = [...list.matchAll(new RegExp(parameter, 'g'))].map(([, name = '', text = '']) => [
      name,
      unquoted(text),
    ]);
    return { scheme, parameters: Object.fromEntries(pairs) as Challenge['parameters'] };
  });
}

/** `Link` (RFC 8288, section 3): the URI references by their relation. */
export function linksOf(value: string): Readonly<Record<string, string>> {
  const link = new RegExp(`<(${uriReference})>; rel="([a-z-]+)"(?:, |$)`, 'gy');
  return Object.fromEntries(parsed(value, link).map(([, uri = '', relation = '']) => [relation, uri]));
}

/** What a URI reference consists of (RFC 3986), and `|` and `^`, which URL parsers do not encode. */
const uriReference = "(?:[\\w.~:/?#\\[\\]@!$&'()*+,;=|^-]|%[0-9A-F]{2})*";

/** A `Location` or the target of a `Link`. */
export function uriOf(value: string): string {
  return parsed(value, new RegExp(`${uriReference}$`, 'gy')).join('');
}

function parsed(value: string, element: RegExp): readonly RegExpExecArray[] {
  const found = [...value.matchAll(element)];
  if (found.map(([text]) => text).join('') !== value) throw new Error(`The header is malformed: ${value}`);
  return found;
}

function unquoted(text: string): string {
  return text.startsWith('"') ? text.slice(1, -1).replace(/\\(.)/g, '$1') : text;
}
