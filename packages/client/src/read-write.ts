/** The marks of openapi-typescript for properties that are `readOnly` or `writeOnly`. */
interface ReadOnly<T> {
  readonly $read: T;
}
interface WriteOnly<T> {
  readonly $write: T;
}

/** The names of the properties with a mark. If one type of a union has it, no type of the union keeps them. */
type Marked<T, Mark> = T extends object
  ? {
      [Name in keyof T]-?: [NonNullable<T[Name]>] extends [never]
        ? never
        : NonNullable<T[Name]> extends Mark
          ? Name
          : never;
    }[keyof T]
  : never;

/** A map whose values are marked. */
type EmptyMap = Readonly<Record<string, never>>;

/** A schema as in responses: without properties that are `writeOnly`. In JSON, binary content is text. */
export type Readable<T> = ReadableType<T, Marked<T, WriteOnly<unknown>>>;

type ReadableType<T, Omitted> =
  T extends WriteOnly<unknown>
    ? never
    : T extends Blob
      ? string
      : T extends ReadOnly<infer Value>
        ? Readable<Value>
        : T extends readonly (infer Item)[]
          ? readonly Readable<Item>[]
          : T extends object
            ? string extends Omitted
              ? EmptyMap
              : { [Name in keyof T as Exclude<Name, Omitted>]: Readable<T[Name]> }
            : T;

/**
 * A schema as in requests: without properties that are `readOnly`.
 *
 * @typeParam Binary the type of binary content; in JSON, it is text.
 */
export type Writable<T, Binary = string> = WritableType<T, Binary, Marked<T, ReadOnly<unknown>>>;

type WritableType<T, Binary, Omitted> =
  T extends ReadOnly<unknown>
    ? never
    : T extends Blob
      ? Binary
      : T extends WriteOnly<infer Value>
        ? Writable<Value, Binary>
        : T extends readonly (infer Item)[]
          ? readonly Writable<Item, Binary>[]
          : T extends object
            ? { [Name in keyof T as Exclude<Name, Omitted>]: Writable<T[Name], Binary> } & {
                [Name in keyof T as Extract<Name, Omitted>]?: never;
              }
            : T;
