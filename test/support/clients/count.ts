/** Waits for a number of acknowledged pets. */
export class Count {
  private left = 0;
  private reach: () => void = () => undefined;

  /** Resolves after `count` more. */
  more(count: number): Promise<void> {
    this.left = count;
    return new Promise((resolve) => (this.reach = resolve));
  }

  readonly add = (): void => {
    this.left -= 1;
    if (this.left === 0) this.reach();
  };
}
