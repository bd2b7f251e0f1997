import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';

/**
 * In a separate process without coverage: coverage, and an AsyncLocalStorage of other tests, change how V8 creates the
 * objects.
 */
const script = `
  import { createHook } from 'node:async_hooks';
  import { setImmediate } from 'node:timers/promises';
  import { retainTickObject } from '#src/http/protocol/tick-object.js';

  function queuedObject() {
    const queued = [];
    const init = (_id, type, _triggerId, resource) => type === 'TickObject' && queued.push(resource);
    const hook = createHook({ init }).enable();
    process.nextTick(() => undefined);
    hook.disable();
    return queued[0];
  }

  const retained = retainTickObject();
  for (let collections = 0; collections < 5; collections++) {
    await setImmediate();
    globalThis.gc();
  }
  const [isKept, isOther] = [%HaveSameMap(retained, queuedObject()), %HaveSameMap(retained, {})];
  console.log(JSON.stringify({ keys: Object.keys(retained), isKept, isOther }));
`;

/** Fails if a Node version queues the callbacks of `process.nextTick` differently. */
describe('retainTickObject', () => {
  it('keeps the hidden class of the objects of process.nextTick through garbage collections', async () => {
    const flags = ['--expose-gc', '--allow-natives-syntax', '--input-type=module'];
    const env = { ...process.env, NODE_V8_COVERAGE: undefined };
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, '--eval', script], { env });
    expect(JSON.parse(stdout)).to.deep.equal({ keys: ['callback', 'args'], isKept: true, isOther: false });
  });
});
