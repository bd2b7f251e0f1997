/** A schema in the search for cycles. */
interface Visit {
  /** The first schema in the order of the search that it is known to lead back to, or itself. */
  first: number;
  isOpen: boolean;
  isRecursive: boolean;
}

/** The references between schemas, which are known by ids. Finds those that lead back by Tarjan's algorithm. */
export class ReferenceCycles {
  private readonly references = new Map<string, Set<string>>();
  private readonly visits = new Map<string, Visit>();
  private readonly open: (readonly [id: string, visit: Visit])[] = [];

  add(from: string, to: string): void {
    const known = this.references.get(from);
    if (known === undefined) this.references.set(from, new Set([to]));
    else known.add(to);
  }

  /** Whether a schema leads to itself. All references that it leads to must have been added. */
  has(id: string): boolean {
    return this.visit(id).isRecursive;
  }

  private visit(id: string): Visit {
    const known = this.visits.get(id);
    if (known !== undefined) return known;
    const order = this.visits.size;
    const visit: Visit = { first: order, isOpen: true, isRecursive: false };
    this.visits.set(id, visit);
    this.open.push([id, visit]);
    const targets = this.references.get(id) ?? new Set<string>();
    for (const target of targets) {
      const { isOpen, first } = this.visit(target);
      if (isOpen) visit.first = Math.min(visit.first, first);
    }
    if (visit.first === order) this.close(id, targets);
    return visit;
  }

  /** Ends the search in the schemas that lead to each other. */
  private close(id: string, targets: ReadonlySet<string>): void {
    const cycle = this.open.splice(this.open.findIndex(([each]) => each === id));
    for (const [, visit] of cycle) {
      visit.isOpen = false;
      visit.isRecursive = cycle.length > 1 || targets.has(id);
    }
  }
}
