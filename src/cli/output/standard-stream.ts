/** Names the standard input or output where a file is asked for. */
export const standardStream = '-';
