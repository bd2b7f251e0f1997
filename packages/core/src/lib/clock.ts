/** Returns the current time in Unix milliseconds. Passed in, so that tests can control it. */
export type Clock = () => number;
