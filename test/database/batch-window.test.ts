import { expect } from 'chai';
import { BatchWindow } from '#src/database/batch-window.js';

const alone = () => false;
const inCompany = () => true;

function nextTick(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

/** Runs a function in this event-loop tick, or `ticks` later. */
function inTurn(later: number, run: () => void): void {
  setImmediate(() => (later === 0 ? run() : inTurn(later - 1, run)));
}

describe('BatchWindow', () => {
  let batchWindow: BatchWindow;
  beforeEach(() => (batchWindow = new BatchWindow()));

  it('closes once for all waiting writes, after the work of the current tick', async () => {
    const order: string[] = [];
    const waits = ['first', 'second'].map(async (name) => {
      await batchWindow.close(alone);
      order.push(name);
    });
    await nextTick();
    order.push('at once');
    await Promise.all(waits);
    expect(order).to.deep.equal(['at once', 'first', 'second']);
  });

  it('stays open for one more tick if there are concurrent writes at the end of the first', async () => {
    const order: string[] = [];
    for (const turn of [0, 1, 2]) inTurn(turn, () => order.push(`turn ${String(turn)}`));
    const wait = batchWindow.close(() => order.includes('turn 0')).then(() => order.push('end'));
    await new Promise<void>((resolve) => inTurn(3, resolve));
    await wait;
    expect(order).to.deep.equal(['turn 0', 'turn 1', 'end', 'turn 2']);
  });

  it('stays open for one more tick if only one waiting write is concurrent', async () => {
    const order: string[] = [];
    for (const turn of [0, 1, 2]) inTurn(turn, () => order.push(`turn ${String(turn)}`));
    const waits = [alone, inCompany, alone].map((hasCompany) =>
      batchWindow.close(hasCompany).then(() => order.push('end')),
    );
    await new Promise<void>((resolve) => inTurn(3, resolve));
    await Promise.all(waits);
    expect(order).to.deep.equal(['turn 0', 'turn 1', 'end', 'end', 'end', 'turn 2']);
  });

  for (const [who, hasCompany, turns] of [['alone', alone, 1] as const, ['in company', inCompany, 2] as const]) {
    it(`is the same window for a write that waits twice (${who})`, async () => {
      const order: string[] = [];
      inTurn(turns, () => order.push('next turn'));
      const waits = ['first', 'second'].map(async (name) => {
        await batchWindow.close(hasCompany);
        // Like a request that reads its body.
        await nextTick();
        await nextTick();
        order.push(`${name} once`);
        await batchWindow.close(hasCompany);
        order.push(`${name} twice`);
      });
      await Promise.all(waits);
      expect(order).to.deep.equal(['first once', 'second once', 'first twice', 'second twice']);
    });

    it(`is a new window for a write that arrives later (${who})`, async () => {
      await batchWindow.close(hasCompany);
      await new Promise((resolve) => setImmediate(resolve));
      const order: string[] = [];
      inTurn(turns - 1, () => order.push('this turn'));
      inTurn(turns, () => order.push('next turn'));
      await batchWindow.close(hasCompany);
      expect(order).to.deep.equal(['this turn']);
    });
  }
});
