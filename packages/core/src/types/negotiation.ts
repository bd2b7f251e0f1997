/** @typeParam Type the media types of the successes that the operation declares. */
export interface Negotiation<Type extends string> {
  /**
   * Returns the media type that the client prefers by its `Accept`; the first one if it accepts none. The response then
   * has `Vary: Accept`.
   *
   * @param types those to choose from. Default: all that the operation declares.
   * @throws ApiError `not_acceptable` if the client accepts none, and the operation declares the status 406. Without a
   * range of media types, that is then also the response of a handler that does not call this.
   */
  readonly accepts: <const Accepted extends Type = Type>(...types: readonly Accepted[]) => Accepted;
}

/** The media types of the successes that an operation declares, by its responses. */
export type SuccessType<Responses> = ContentType<Responses[SuccessIn<keyof Responses>]>;

/** `default` for an operation that declares no success. */
type SuccessIn<Status> = [Extract<`${Status & (string | number)}`, `2${string}`>] extends [never]
  ? Extract<Status, 'default'>
  : Status extends string | number
    ? `${Status}` extends `2${string}`
      ? Status
      : never
    : never;

type ContentType<Response> = Response extends { readonly content: infer Content }
  ? TypesIn<keyof Content> & string
  : never;

/** The media types of a range. */
export type TypesIn<Type> = Type extends '*/*'
  ? string
  : Type extends `${infer Before}*${infer After}`
    ? `${Before}${string}${After}`
    : Type;
