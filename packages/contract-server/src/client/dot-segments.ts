/** `.` and `..`, also percent-encoded, and if a proxy decodes them once more. */
const dotSegment = /^(?:\.|%(?:25)*2e){1,2}$/i;

/**
 * Every URL parser removes dot segments, also percent-encoded ones (URL standard, section 4.4): a path parameter with
 * the value `..` would call another operation.
 *
 * @param path percent-encoded.
 * @throws TypeError for a path with a dot segment.
 */
export function requireNoDotSegments(path: string): void {
  const found = path.split('/').find((segment) => dotSegment.test(segment));
  if (found === undefined) return;
  throw new TypeError(`A path parameter must not be ${decodeURIComponent(found)}: it would lead to another path.`);
}
