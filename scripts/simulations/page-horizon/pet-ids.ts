/**
 * Ids that nodes assign: 37 bits for the time in units of 16 ms, 8 bits for the number of the node, and 8 bits for a
 * counter. They have 53 bits, so every JSON parser reads them exactly.
 */
const unitMs = 16;
const nodesMax = 256;
const countsPerUnit = 256;

/** Number of ranges over which the database spreads the pets. */
export const bucketCount = 16;

/** The smallest id of a time, in milliseconds since the epoch of the ids. */
export function firstIdAt(timeMs: number): number {
  return Math.floor(timeMs / unitMs) * nodesMax * countsPerUnit;
}

/** The smallest id of a node that is not below a bound. If its counter is exhausted, it is in the next unit of time. */
export function idAtLeast(bound: number, node: number): number {
  const unit = Math.floor(bound / (nodesMax * countsPerUnit));
  const owner = nodeOf(bound);
  if (owner === node) return bound;
  return ((owner < node ? unit : unit + 1) * nodesMax + node) * countsPerUnit;
}

/** The bucket of a pet. All pets of a node are in one, so that a batch writes to one range per index. */
export function bucketOf(id: number): number {
  return nodeOf(id) % bucketCount;
}

function nodeOf(id: number): number {
  return Math.floor(id / countsPerUnit) % nodesMax;
}
