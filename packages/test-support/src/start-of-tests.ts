/** The time at which the clock of a test starts, in Unix milliseconds. */
export const startOfTests = Date.parse('2026-11-20T12:00:00Z');
