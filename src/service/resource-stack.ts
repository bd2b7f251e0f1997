/** What was opened, to be closed in reverse order. */
export class ResourceStack {
  private readonly opened: { close(): unknown }[] = [];

  add<T extends { close(): unknown }>(closer: T): T {
    this.opened.push(closer);
    return closer;
  }

  /** Closes each, also when another one cannot be closed. @throws the first error */
  async close(): Promise<void> {
    const errors: unknown[] = [];
    for (const closer of this.opened.splice(0).reverse()) {
      try {
        await closer.close();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}
