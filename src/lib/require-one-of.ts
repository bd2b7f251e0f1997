/** Returns the name that equals the text. @throws Error whose message completes "<setting> …". */
export function requireOneOf<const Name extends string>(names: readonly Name[], text: string): Name {
  const name = names.find((allowed) => allowed === text);
  if (name === undefined) throw new Error(`must be one of: ${names.join(', ')}.`);
  return name;
}
