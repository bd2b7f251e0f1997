/** `.` and `..`, also percent-encoded, and if a proxy decodes them once more. */
const dotSegment = /^(?:\.|%(?:25)*2e){1,2}$/i;

/**
 * Whether a segment of a path is a dot segment. Every URL parser removes these, also percent-encoded ones (URL
 * standard, section 4.4): a path parameter with the value `..` would call another operation.
 *
 * @param segment percent-encoded.
 */
export function isDotSegment(segment: string): boolean {
  return dotSegment.test(segment);
}
