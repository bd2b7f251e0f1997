import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Attack, AttackTarget } from './attacks.js';

/** An attack from a separate process. */
export class Attacker {
  private readonly child;

  constructor(attack: Attack, target: AttackTarget) {
    const script = fileURLToPath(new URL('attack-process.js', import.meta.url));
    this.child = fork(script, [attack.name, JSON.stringify(target)]);
  }

  async stop(): Promise<void> {
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
    // The server needs a moment to notice that the connections are closed; the next measurement must not include that.
    await delay(500);
  }
}
