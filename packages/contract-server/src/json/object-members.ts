/** Adds a member to an object, as `JSON.parse` does: an assignment to `__proto__` would set the prototype. */
export function setMember(object: object, name: string, value: unknown): void {
  if (name !== '__proto__') (object as Record<string, unknown>)[name] = value;
  else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

/** The value of a member; `undefined` if there is none of this name, which may be that of a method of all objects. */
export function memberOf(object: object, name: string): unknown {
  return Object.hasOwn(object, name) ? (object as Readonly<Record<string, unknown>>)[name] : undefined;
}
