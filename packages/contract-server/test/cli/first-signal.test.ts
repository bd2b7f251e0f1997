import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import { firstSignal, type Signals } from '#src/cli/context.js';

/** Each row: the second signal after SIGINT, the milliseconds between them, and whether it exits. */
const rows = [
  ['SIGINT', 499, false],
  ['SIGINT', 500, true],
  ['SIGTERM', 0, true],
  ['SIGHUP', 500, false],
] as const;

describe('after SIGINT', () => {
  for (const [second, ms, exits] of rows)
    it(`${second}, ${String(ms)} ms later, ${exits ? 'exits immediately with 1' : 'changes nothing'}`, async () => {
      const codes: number[] = [];
      let now = 1_000_000;
      const signals = Object.assign(new EventEmitter(), { exit: (code: number) => codes.push(code) }) as Signals;
      const events = signals as unknown as EventEmitter;
      const first = firstSignal({ signals, clock: () => now });
      events.emit('SIGINT');
      now += ms;
      events.emit(second);
      expect(await first).to.equal('SIGINT');
      expect(codes).to.deep.equal(exits ? [1] : []);
    });
});
