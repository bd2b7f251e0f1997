// eslint-disable-next-line @typescript-eslint/ban-ts-comment -- @ts-expect-error fails where pg has types.
/** @ts-ignore Applications without PostgreSQL have no types of pg. To them, this is `any`. */
export type PgPool = import('pg').Pool;
