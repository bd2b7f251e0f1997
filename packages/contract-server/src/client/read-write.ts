/** The marks of openapi-typescript for properties that are `readOnly` or `writeOnly`. */
interface ReadOnly<T> {
  readonly $read: T;
}
interface WriteOnly<T> {
  readonly $write: T;
}

/** A schema as in responses: without properties that are `writeOnly`. In JSON, binary content is text. */
export type Readable<T> =
  T extends WriteOnly<unknown>
    ? never
    : T extends Blob
      ? string
      : T extends ReadOnly<infer Marked>
        ? Readable<Marked>
        : T extends readonly (infer Item)[]
          ? readonly Readable<Item>[]
          : T extends object
            ? { [Name in keyof T as NonNullable<T[Name]> extends WriteOnly<unknown> ? never : Name]: Readable<T[Name]> }
            : T;

/**
 * A schema as in requests: without properties that are `readOnly`.
 *
 * @typeParam Binary the type of binary content; in JSON, it is text.
 */
export type Writable<T, Binary = string> =
  T extends ReadOnly<unknown>
    ? never
    : T extends Blob
      ? Binary
      : T extends WriteOnly<infer Marked>
        ? Writable<Marked, Binary>
        : T extends readonly (infer Item)[]
          ? readonly Writable<Item, Binary>[]
          : T extends object
            ? {
                [Name in keyof T as NonNullable<T[Name]> extends ReadOnly<unknown> ? never : Name]: Writable<
                  T[Name],
                  Binary
                >;
              } & { [Name in keyof T as NonNullable<T[Name]> extends ReadOnly<unknown> ? Name : never]?: never }
            : T;
