import { errorOf } from '@contract-server/test-support/error-of.js';
import { expect } from 'chai';
import { openAll, ResourceStack } from '#src/service/resource-stack.js';

describe('ResourceStack', () => {
  it('closes what was opened last first, and each after the one before has closed', async () => {
    const closed: string[] = [];
    const close = async (name: string) => {
      await new Promise(setImmediate);
      closed.push(name);
    };
    const opened = new ResourceStack();
    opened.add({ close: () => close('first') });
    opened.addStep('second', () => close('second'));
    await opened.close();
    await opened.close();
    expect(closed).to.deep.equal(['second', 'first']);
  });

  it('runs the remaining steps after one has failed or timed out, and throws every error', async () => {
    let isClosed = false;
    const opened = new ResourceStack();
    opened.add({ close: () => (isClosed = true) });
    opened.addStep('hanging', () => new Promise(() => undefined));
    opened.add({ close: () => expect.fail('threw') });
    opened.addStep('failing', () => Promise.reject(new Error('failed')));
    const { errors } = (await errorOf(opened.close())) as AggregateError;
    const messages = errors.map(({ message }: Error) => message);
    expect(messages).to.deep.equal(['failed', 'threw', 'hanging took longer than 500 ms.']);
    expect(isClosed).to.equal(true);
  });
});

describe('openAll', () => {
  it('throws the original error if closing fails too, and reports that', async () => {
    const reported: unknown[] = [];
    const [original, closing] = [new Error('cannot be opened'), new Error('cannot be closed')];
    const open = (opened: ResourceStack) => {
      opened.add({ close: () => Promise.reject(closing) });
      return Promise.reject(original);
    };
    expect(await errorOf(openAll((error) => reported.push(error), open))).to.equal(original);
    expect(reported).to.deep.equal([closing]);
  });
});
