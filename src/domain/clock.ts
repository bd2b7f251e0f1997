/** The current time in Unix milliseconds. Passed in wherever time matters, so that a test can move it. */
export type Clock = () => number;
