let end: Promise<void> | undefined;
let isEnding = false;

/**
 * Resolves at the end of this turn of the event loop, when every request that has been read was worked on as far as it goes. What waited for that and
 * waits again, as a creation does for its counters and then for its animal, still belongs to the turn: it goes on as soon as the others have come as
 * far. So it waits for no further turn, and all that began together is written together.
 */
export function endOfTurn(): Promise<void> {
  if (isEnding) return new Promise((resolve) => process.nextTick(resolve));
  return (end ??= new Promise((resolve) => {
    setImmediate(() => {
      end = undefined;
      isEnding = true;
      resolve();
    });
    // Runs when all is done that follows from the first: Node empties its queues in between.
    setImmediate(() => (isEnding = false));
  }));
}
