/**
 * The greatest limit of requests, bytes and values: `RateLimit-Policy` is a structured field, whose integers have at
 * most 15 digits (RFC 9651, section 3.3.1).
 */
export const countMax = 999_999_999_999_999;
