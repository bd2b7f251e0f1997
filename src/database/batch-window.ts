/**
 * The time in which writes join one batch: until the end of this tick of the event loop, or of the next tick under
 * concurrency. Requests of clients that received their responses together arrive together, the last ones a tick later.
 * All stores of a process share a window, so that writes that begin together are written together.
 */
export class BatchWindow {
  private closing: Promise<void> | undefined;
  private conditions: (() => boolean)[] = [];
  private isClosing = false;

  /**
   * Resolves when the window closes. A write that waited and waits again, such as one of a counter and then of a pet,
   * still belongs to the same window.
   *
   * @param isConcurrent is called at the end of the tick; if it returns true for any waiting write, the window stays
   * open for one more tick.
   */
  close(isConcurrent: () => boolean): Promise<void> {
    if (this.isClosing) return new Promise((resolve) => process.nextTick(resolve));
    this.conditions.push(isConcurrent);
    return (this.closing ??= new Promise((resolve) => {
      const flush = () => {
        this.closing = undefined;
        this.conditions = [];
        this.isClosing = true;
        resolve();
      };
      // Runs after everything that follows from `flush`: Node empties its queues between two immediates.
      const reset = () => (this.isClosing = false);
      setImmediate(() => {
        if (this.conditions.some((condition) => condition())) {
          setImmediate(flush);
          setImmediate(reset);
        } else flush();
      });
      setImmediate(reset);
    }));
  }
}
