/** Types of HTTP statuses, for handlers and clients. */

export type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

/** The statuses of a class, such as `4`. */
export type StatusFrom<First extends Digit> = `${First}${Digit}${Digit}` extends `${infer Status extends number}`
  ? Status
  : never;

/** A status of a successful response. */
export type Success = 200 | 201 | 202 | 203 | 204 | 205 | 206 | 207 | 208 | 226 | '2XX';
