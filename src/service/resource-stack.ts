/** Closes resources in reverse order of opening. */
export class ResourceStack {
  private readonly opened: { close(): unknown }[] = [];

  add<T extends { close(): unknown }>(resource: T): T {
    this.opened.push(resource);
    return resource;
  }

  /** Closes every resource, even if one fails. @throws the first error */
  async close(): Promise<void> {
    const errors: unknown[] = [];
    for (const resource of this.opened.splice(0).reverse()) {
      try {
        await resource.close();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}
