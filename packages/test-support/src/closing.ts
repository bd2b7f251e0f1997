const opened: (() => unknown)[] = [];
/** The number of resources that `before` hooks opened. */
let shared = 0;
const seen = new WeakSet<Mocha.Suite>();

/** Closes a resource after the test that opened it; if a `before` hook opened it, after the outermost suite. */
export function closeLater(close: () => unknown): void {
  opened.push(close);
}

async function closeDownTo(count: number): Promise<void> {
  while (opened.length > count) await opened.pop()?.();
}

/** Mocha's root hooks: `beforeEach` runs after every `before` and ahead of every other `beforeEach`. */
export const closingHooks = {
  beforeEach(this: Mocha.Context): void {
    shared = opened.length;
    let suite = this.currentTest?.parent;
    while (suite?.parent?.root === false) suite = suite.parent;
    if (suite === undefined || seen.has(suite)) return;
    seen.add(suite);
    suite.afterAll(() => closeDownTo(0));
  },
  afterEach: (): Promise<void> => closeDownTo(shared),
  afterAll: (): Promise<void> => closeDownTo(0),
};
