import type { LogLine } from '@contract-server/testing/log-lines.js';

export { type LogLine, LogLines, parseLines } from '@contract-server/testing/log-lines.js';

/** A line without times and durations. */
export function withoutMoment({ time: _time, durationMs: _durationMs, ...line }: LogLine): LogLine {
  return line;
}
