const opened: (() => unknown)[] = [];
/** The number of resources that `before` hooks opened. */
let shared = 0;

/** Closes a resource after the test that opened it; if a `before` hook opened it, after its file. */
export function closeLater(close: () => unknown): void {
  opened.push(close);
}

async function closeDownTo(count: number): Promise<void> {
  while (opened.length > count) await opened.pop()?.();
}

/** Mocha's root hooks: `beforeEach` runs after every `before` and ahead of every other `beforeEach`. */
export const closingHooks = {
  beforeEach: (): void => {
    shared = opened.length;
  },
  afterEach: (): Promise<void> => closeDownTo(shared),
  afterAll: (): Promise<void> => closeDownTo(0),
};
