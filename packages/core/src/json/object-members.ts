/** Adds a member to an object, as `JSON.parse` does: an assignment to `__proto__` would set the prototype. */
export function setMember(object: object, name: string, value: unknown): void {
  if (name !== '__proto__') (object as Record<string, unknown>)[name] = value;
  else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

/** The value of an own member; `undefined` if there is none of this name, and for a value that is no object. */
export function memberOf(value: unknown, name: string): unknown {
  const isOwner = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
  return isOwner ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}
