/** An object such as a store, whose methods are asynchronous. */
export type AsyncMethods<T> = { readonly [Name in keyof T]: (...args: never) => Promise<unknown> };

export type AsyncMethod = (...args: unknown[]) => Promise<unknown>;

/** Returns an object with the methods of `target`, its own and those of its classes, each replaced by `wrap`. */
export function wrapMethods<Target extends AsyncMethods<Target>>(
  target: Target,
  wrap: (name: string, method: AsyncMethod) => AsyncMethod,
): Target {
  const wrapped = methodsOf(target).map(([name, method]) => [name, wrap(name, method.bind(target))]);
  return Object.fromEntries(wrapped) as Target;
}

/** The methods of an object, its own and those of its class and its superclasses. */
function methodsOf(object: object): [string, AsyncMethod][] {
  const owners: object[] = [];
  for (let owner = object; owner !== Object.prototype; owner = Object.getPrototypeOf(owner) as object) {
    owners.unshift(owner);
  }
  return owners
    .flatMap((owner) => Object.entries(Object.getOwnPropertyDescriptors(owner)))
    .map(([name, { value }]) => [name, value as unknown])
    .filter((entry): entry is [string, AsyncMethod] => entry[0] !== 'constructor' && typeof entry[1] === 'function');
}
