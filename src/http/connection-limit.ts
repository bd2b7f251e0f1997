import type { Socket } from 'node:net';
import { ipKeyGenerator } from 'express-rate-limit';

/** Limits the open connections of each client address. IPv6 addresses count by /56, as for rate limits. */
export class ConnectionLimit {
  private readonly counts = new Map<string, number>();
  private hasWarned = false;

  constructor(
    /** 0 for no limit. */
    private readonly max: number,
    /** Whether an address is that of a trusted proxy, whose connections carry the requests of many clients. */
    private readonly isProxy: (address: string) => boolean,
    /** Receives the address of the first connection that is closed. */
    private readonly warn: (address: string) => void,
  ) {}

  /** Counts a connection, and closes it if its client address has too many. */
  add(socket: Socket): void {
    const { remoteAddress = '' } = socket;
    if (this.max === 0 || remoteAddress === '' || this.isProxy(remoteAddress)) return;
    const address = ipKeyGenerator(remoteAddress);
    const count = this.counts.get(address) ?? 0;
    if (count < this.max) {
      this.counts.set(address, count + 1);
      socket.once('close', () => this.remove(address));
      return;
    }
    socket.destroy();
    if (!this.hasWarned) this.warn(remoteAddress);
    this.hasWarned = true;
  }

  private remove(address: string): void {
    const count = this.counts.get(address) ?? 0;
    if (count > 1) this.counts.set(address, count - 1);
    else this.counts.delete(address);
  }
}
