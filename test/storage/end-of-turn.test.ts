import { expect } from 'chai';
import { endOfTurn } from '#src/storage/end-of-turn.js';

function nextTick(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

describe('the end of a turn of the event loop', () => {
  it('comes once for all who wait for it, after what was to be done at once', async () => {
    const order: string[] = [];
    const waits = ['first', 'second'].map(async (name) => {
      await endOfTurn();
      order.push(name);
    });
    await nextTick();
    order.push('at once');
    await Promise.all(waits);
    expect(order).to.deep.equal(['at once', 'first', 'second']);
  });

  it('is still that turn for those who wait twice: they go on together, and before the next', async () => {
    const order: string[] = [];
    setImmediate(() => setImmediate(() => order.push('next turn')));
    const waits = ['first', 'second'].map(async (name) => {
      await endOfTurn();
      // As a request does that reads its body.
      await nextTick();
      await nextTick();
      order.push(`${name} once`);
      await endOfTurn();
      order.push(`${name} twice`);
    });
    await Promise.all(waits);
    expect(order).to.deep.equal(['first once', 'second once', 'first twice', 'second twice']);
  });

  it('is another one for those who come later', async () => {
    await endOfTurn();
    await new Promise((resolve) => setImmediate(resolve));
    const order: string[] = [];
    setImmediate(() => order.push('this turn'));
    await endOfTurn();
    expect(order).to.deep.equal(['this turn']);
  });
});
