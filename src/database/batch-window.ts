let end: Promise<void> | undefined;
let askers: (() => boolean)[] = [];
let isEnding = false;

/**
 * Resolves at the end of this turn of the event loop, when every request that has been read was worked on as far as it
 * goes; if anyone who waits for that has company by then, at the end of the next one. Clients that were answered
 * together ask again together, but the requests of the last of them are read a turn later. Where nobody has company, it
 * waits for nobody.
 *
 * What waited and waits again, as a creation does for its counters and then for its animal, still belongs to the turn:
 * it goes on as soon as the others have come as far. So all that began together is written together.
 */
export function batchWindow(hasCompany: () => boolean): Promise<void> {
  if (isEnding) return new Promise((resolve) => process.nextTick(resolve));
  askers.push(hasCompany);
  return (end ??= new Promise((resolve) => {
    const begin = () => {
      end = undefined;
      askers = [];
      isEnding = true;
      resolve();
    };
    // Runs when all is done that follows from `begin`: Node empties its queues in between.
    const finish = () => (isEnding = false);
    setImmediate(() => {
      if (askers.some((ask) => ask())) {
        setImmediate(begin);
        setImmediate(finish);
      } else begin();
    });
    setImmediate(finish);
  }));
}
