import { createHook } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { retainTickObject } from '#src/http/protocol/tick-object.js';

/** The object that Node queues for a call of `process.nextTick`. */
function queuedObject(): object {
  const queued: object[] = [];
  const hook = createHook({
    init: (_id, type, _triggerId, resource) => type === 'TickObject' && queued.push(resource),
  });
  hook.enable();
  process.nextTick(() => undefined);
  hook.disable();
  const [object] = queued;
  if (object === undefined) throw new Error('process.nextTick did not create a TickObject.');
  return object;
}

/** Fails if a Node version queues the callbacks of `process.nextTick` differently. */
describe('retainTickObject', () => {
  it('keeps the hidden class of the objects of process.nextTick through garbage collections', async () => {
    const retained = retainTickObject();
    setFlagsFromString('--expose-gc');
    setFlagsFromString('--allow-natives-syntax');
    const collectGarbage = runInNewContext('gc') as () => void;
    const haveSameMap = runInNewContext('(a, b) => %HaveSameMap(a, b)') as (a: object, b: object) => boolean;
    // V8 parses the body of the function in its first call.
    expect(haveSameMap(retained as object, {})).to.equal(false);
    setFlagsFromString('--no-allow-natives-syntax');
    for (let collections = 0; collections < 3; collections++) {
      await setImmediate();
      collectGarbage();
    }
    expect(retained).to.include.keys('callback', 'args');
    expect(haveSameMap(retained as object, queuedObject())).to.equal(true);
  });
});
