import type { Socket } from 'node:net';
import { ipKeyGenerator } from 'express-rate-limit';
import type { AcceptedConnection } from './intercept-accept.js';

/** A unit of work, run when it is the turn of its client address. */
export interface Task {
  run(): void;
}

/** A client address with its connections and its queue of tasks. */
export interface ClientAddress {
  readonly name: string;
  readonly open: Set<ScheduledConnection>;
  /** Number of connections that wait to be opened. */
  pendingCount: number;
  /** Number of connections, open or not. */
  connectionCount: number;
  readonly queue: Task[];
  /** Maximum number of tasks to run in each tick; `undefined` unless the address is throttled. */
  tasksPerTick: number | undefined;
}

/** An open connection. As a task, it serves its next pipelined request, or is read again. */
export class ScheduledConnection implements Task {
  /** Whether one of its requests is being served. */
  isBusy = false;
  /** Whether it is in the queue of its address. */
  isQueued = false;

  constructor(
    readonly socket: Socket,
    readonly address: ClientAddress,
    /** Whether it is closed after one response. */
    readonly isBeyondLimit: boolean,
    /** Serves the next request that was received; returns `false` if there is none. */
    private readonly serveNext: () => boolean,
  ) {}

  run(): void {
    this.isQueued = false;
    if (!this.serveNext()) this.socket.resume();
  }
}

/** An accepted connection that waits to be opened. */
export class PendingConnection implements Task {
  constructor(
    private readonly address: ClientAddress,
    private readonly accepted: AcceptedConnection,
  ) {
    address.pendingCount += 1;
  }

  run(): void {
    this.address.pendingCount -= 1;
    this.accepted.open();
  }

  reject(): void {
    this.address.pendingCount -= 1;
    this.accepted.reject();
  }
}

export interface ConnectionLimits {
  readonly connectionsMax: number;
  /** How many connections of an address are kept open after a response. */
  readonly connectionsPerAddressMax: number;
  /** Whether an address is that of a proxy, whose connections carry the requests of many clients. */
  readonly isProxy: (address: string) => boolean;
}

/** The connections of each client address. Counts them, and enforces the limits. */
export class ConnectionTable {
  private readonly addresses = new Map<string, ClientAddress>();
  private readonly beyondLimit = new Set<ClientAddress>();
  private connectionCount = 0;

  constructor(private readonly limits: ConnectionLimits) {}

  /** Finds or creates an address. Each connection of a proxy has its own, because its clients are unrelated. */
  of(remoteAddress = ''): ClientAddress {
    const name = ipKeyGenerator(remoteAddress);
    const existing = this.addresses.get(name);
    if (existing !== undefined) return existing;
    const address: ClientAddress = {
      name,
      open: new Set(),
      pendingCount: 0,
      connectionCount: 0,
      queue: [],
      tasksPerTick: undefined,
    };
    if (remoteAddress !== '' && !this.limits.isProxy(remoteAddress)) this.addresses.set(name, address);
    return address;
  }

  /** Whether a further connection of an address would be beyond its limit. */
  isAtLimit({ open }: ClientAddress): boolean {
    return open.size >= this.limits.connectionsPerAddressMax;
  }

  /**
   * Whether an address may have one more connection. If there are too many in all, it evicts one of the address that is
   * furthest beyond its limit.
   */
  admit(address: ClientAddress): boolean {
    if (this.connectionCount < this.limits.connectionsMax) return true;
    let largest = address;
    for (const other of this.beyondLimit) if (other.connectionCount > largest.connectionCount) largest = other;
    return largest !== address && evictConnection(largest);
  }

  /** Must be called when the number of connections of an address has changed. */
  update(address: ClientAddress): void {
    const count = address.open.size + address.pendingCount;
    this.connectionCount += count - address.connectionCount;
    address.connectionCount = count;
    if (count > this.limits.connectionsPerAddressMax) this.beyondLimit.add(address);
    else this.beyondLimit.delete(address);
    if (count === 0 && this.addresses.get(address.name) === address) this.addresses.delete(address.name);
  }
}

/**
 * Closes the connection of an address that was accepted last and waits to be opened, or one that is open beyond its
 * limit and not in use. Returns `false` if there is none.
 */
function evictConnection({ queue, open }: ClientAddress): boolean {
  const index = queue.findLastIndex((task) => task instanceof PendingConnection);
  const [pending] = index < 0 ? [] : queue.splice(index, 1);
  if (pending instanceof PendingConnection) {
    pending.reject();
    return true;
  }
  for (const { isBeyondLimit, isBusy, socket } of open) {
    if (!isBeyondLimit || isBusy || socket.destroyed) continue;
    socket.destroy();
    return true;
  }
  return false;
}
