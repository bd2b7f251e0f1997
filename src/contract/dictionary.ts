/**
 * An object that inherits nothing, so that no name in it is special. V8 makes a hash table of `Object.create(null)`, and a proper object of this, which
 * costs less to make and to read for the few names that a request has.
 */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the rule overlooks index signatures
export class Dictionary<T> {
  [name: string]: T;
}

Object.setPrototypeOf(Dictionary.prototype, null);
Reflect.deleteProperty(Dictionary.prototype, 'constructor');
