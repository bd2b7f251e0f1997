import type { Socket } from 'node:net';
import { ipKeyGenerator } from 'express-rate-limit';

/** An event-loop tick that receives requests for longer than this is late, in milliseconds. */
const tickMsMax = 5;
/**
 * A held address gets one more turn in each tick, until receiving its requests takes longer than this in one tick, in
 * milliseconds.
 */
const heldTickMsMax = 2.5;
/** How long the turns of one tick may take, in milliseconds. */
const turnsMsMax = 1;
/** While connections are being accepted, held addresses have a turn in only one of so many ticks. */
const acceptingTicks = 8;

/** Something that waits for its turn. */
interface Turn {
  take(): void;
}

/** A connection that was accepted and has no socket yet. */
export interface AcceptedConnection {
  /** Creates its socket. */
  open(): void;
  /** Closes it. */
  reject(): void;
}

/** A client address: its connections, and what waits for its turn, in order. */
interface ClientAddress {
  readonly name: string;
  readonly open: Set<Connection>;
  /** How many connections wait to be opened. */
  unopened: number;
  /** How many connections there are, open or not. */
  count: number;
  readonly turns: Turn[];
  /** How many turns it has in each tick, while it is held. */
  turnsMax: number | undefined;
}

export interface FairSchedulerOptions {
  readonly connectionsMax: number;
  /** How many connections of an address are kept open after a response. */
  readonly connectionsPerAddressMax: number;
  /** Whether an address is that of a proxy, whose connections carry the requests of many clients. */
  readonly isProxy: (address: string) => boolean;
}

/** An open connection. */
export class Connection implements Turn {
  /** Whether one of its requests is being served. */
  isBusy = false;
  isWaiting = false;

  constructor(
    readonly socket: Socket,
    readonly address: ClientAddress,
    /** Whether it is closed after one response. */
    readonly isBeyondLimit: boolean,
    /** Serves the next request that was received; returns `false` if there is none. */
    private readonly serveNext: () => boolean,
  ) {}

  take(): void {
    this.isWaiting = false;
    if (!this.serveNext()) this.socket.resume();
  }
}

/** A connection that waits to be opened. */
class UnopenedConnection implements Turn {
  constructor(
    private readonly address: ClientAddress,
    private readonly accepted: AcceptedConnection,
  ) {
    address.unopened += 1;
  }

  take(): void {
    this.address.unopened -= 1;
    this.accepted.open();
  }

  reject(): void {
    this.address.unopened -= 1;
    this.accepted.reject();
  }
}

/**
 * Shares the event loop between client addresses. In one tick, Node reads every connection that has received something,
 * however many there are. So an address with a request in a late tick is held: its connections are paused and read in
 * turn, one in each tick, while those of other addresses are read at once. Connections beyond the limit of their
 * address are also opened in turn, and so are pipelined requests served.
 */
export class FairScheduler {
  private readonly addresses = new Map<string, ClientAddress>();
  /** Those that have more connections than their limit. */
  private readonly beyondLimit = new Set<ClientAddress>();
  /** Those that have turns to take. */
  private readonly waiting = new Set<ClientAddress>();
  private connectionCount = 0;
  private tick = 0;
  private hasAccepted = false;
  private isScheduled = false;
  private isStopped = false;
  private tickEndedAt = 0;
  /** When the first request of this tick was received, and the CPU time until then; not noted while ticks are short. */
  private receivedAt: number | undefined;
  private cpuUsage: NodeJS.CpuUsage | undefined;
  private isResting = false;

  constructor(private readonly options: FairSchedulerOptions) {}

  /**
   * Opens a connection: at once, or in turn beyond the limit of its address. If there are too many connections in all,
   * it replaces one of the address that is furthest beyond its limit, and is rejected if that is its own or there is
   * none.
   */
  accept(remoteAddress: string | undefined, accepted: AcceptedConnection): void {
    this.hasAccepted = true;
    const address = this.addressOf(remoteAddress);
    const isWithinLimit = address.open.size < this.options.connectionsPerAddressMax;
    if (!this.makeRoomFor(address)) accepted.reject();
    else if (this.isStopped || (isWithinLimit && address.turnsMax === undefined)) accepted.open();
    else {
      address.turnsMax ??= 1;
      this.wait(address, new UnopenedConnection(address, accepted));
    }
    this.update(address);
  }

  /** To be called when a connection has a socket. */
  join(socket: Socket, serveNext: () => boolean): Connection {
    const address = this.addressOf(socket.remoteAddress);
    const isBeyondLimit = address.open.size >= this.options.connectionsPerAddressMax;
    const connection = new Connection(socket, address, isBeyondLimit, serveNext);
    address.open.add(connection);
    this.update(address);
    return connection;
  }

  /** To be called when a connection is closed. */
  leave(connection: Connection): void {
    connection.address.open.delete(connection);
    this.update(connection.address);
  }

  /** To be called with the time at which a request was received. */
  noteRequest({ address }: Connection, now: number): void {
    if (address.open.size === 1 || !this.isLate(now)) return;
    for (const connection of address.open)
      if (!connection.isBusy && !connection.socket.isPaused()) this.hold(connection);
  }

  /** To be called when every request that was received on a connection has its response. */
  noteResponse(connection: Connection): void {
    const { turns, turnsMax = Infinity } = connection.address;
    // As long as the next tick has a turn for each of them, none has to be paused.
    if (turns.length > turnsMax && !connection.socket.destroyed) this.hold(connection);
  }

  /** Lets a connection wait for its turn to serve the next request that was received. */
  queue(connection: Connection): void {
    if (connection.isWaiting) return;
    connection.isWaiting = true;
    this.wait(connection.address, connection);
  }

  /** Takes every turn, and holds no address from then on. */
  stop(): void {
    this.isStopped = true;
    for (const { turns } of this.waiting) for (const turn of turns.splice(0)) turn.take();
  }

  /** Pauses a connection until its turn. */
  private hold(connection: Connection): void {
    if (this.isStopped) return;
    connection.socket.pause();
    connection.address.turnsMax ??= 1;
    this.queue(connection);
  }

  private wait(address: ClientAddress, turn: Turn): void {
    address.turns.push(turn);
    this.waiting.add(address);
    this.schedule();
  }

  private isLate(now: number): boolean {
    if (this.receivedAt !== undefined) return now - this.receivedAt > tickMsMax && this.workedMs() > tickMsMax;
    // If the last tick ended a moment ago, this one cannot be late.
    if (this.isScheduled || now - this.tickEndedAt > tickMsMax) {
      this.receivedAt = now;
      this.cpuUsage = process.cpuUsage();
      this.schedule();
    }
    return false;
  }

  /** The CPU time of this tick since its first request: what other processes of the machine take does not count. */
  private workedMs(): number {
    if (this.receivedAt === undefined) return 0;
    const { user, system } = process.cpuUsage(this.cpuUsage);
    return (user + system) / 1000;
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(this.endTick);
  }

  private readonly endTick = (): void => {
    const workedMs = this.workedMs();
    if (workedMs > tickMsMax) this.rest(workedMs);
    const turnsMax = this.turnsAfter(workedMs);
    this.isScheduled = false;
    this.hasAccepted = false;
    this.receivedAt = undefined;
    this.tickEndedAt = performance.now();
    this.tick += 1;
    for (const address of [...this.waiting]) {
      if (address.turnsMax !== undefined) address.turnsMax = turnsMax ?? address.turnsMax + 1;
      this.waiting.delete(address);
      this.takeTurns(address);
      // Behind the others, which come first in the next tick if the time for turns is over.
      if (address.turns.length > 0) this.waiting.add(address);
      else address.turnsMax = undefined;
      this.update(address);
      if (this.areTurnsOver()) break;
    }
    if (this.waiting.size > 0 && !this.isResting) this.schedule();
  };

  /** How many turns each held address has after a tick; `undefined` for one more than before. */
  private turnsAfter(workedMs: number): number | undefined {
    if (this.isResting) return 0;
    // Node accepts one connection in each tick. As long as there are more, those from other addresses wait behind them.
    if (this.hasAccepted) return this.tick % acceptingTicks === 0 ? 1 : 0;
    return workedMs > heldTickMsMax ? 1 : undefined;
  }

  /** After a tick that even a single turn made late, leaves as much time to other addresses. */
  private rest(ms: number): void {
    if (this.isResting || this.waiting.size === 0) return;
    this.isResting = true;
    setTimeout(() => {
      this.isResting = false;
      this.schedule();
    }, ms);
  }

  private takeTurns({ turns, turnsMax = turns.length }: ClientAddress): void {
    for (let left = Math.min(turns.length, turnsMax); left > 0; left -= 1) {
      turns.shift()?.take();
      if (this.areTurnsOver()) return;
    }
  }

  private areTurnsOver(): boolean {
    return performance.now() - this.tickEndedAt > turnsMsMax;
  }

  private makeRoomFor(address: ClientAddress): boolean {
    if (this.connectionCount < this.options.connectionsMax) return true;
    let furthest = address;
    for (const other of this.beyondLimit) if (other.count > furthest.count) furthest = other;
    return furthest !== address && giveUpOne(furthest);
  }

  /** To be called when the number of connections of an address has changed. */
  private update(address: ClientAddress): void {
    const count = address.open.size + address.unopened;
    this.connectionCount += count - address.count;
    address.count = count;
    if (count > this.options.connectionsPerAddressMax) this.beyondLimit.add(address);
    else this.beyondLimit.delete(address);
    if (count === 0 && this.addresses.get(address.name) === address) this.addresses.delete(address.name);
  }

  private addressOf(remoteAddress = ''): ClientAddress {
    const name = ipKeyGenerator(remoteAddress);
    const existing = this.addresses.get(name);
    if (existing !== undefined) return existing;
    const created: ClientAddress = { name, open: new Set(), unopened: 0, count: 0, turns: [], turnsMax: undefined };
    // Each connection of a proxy counts as an address of its own.
    if (remoteAddress !== '' && !this.options.isProxy(remoteAddress)) this.addresses.set(name, created);
    return created;
  }
}

/**
 * Closes the connection of an address that was made last and waits to be opened, or one that is open beyond its limit
 * and not in use.
 */
function giveUpOne({ turns, open }: ClientAddress): boolean {
  const index = turns.findLastIndex((turn) => turn instanceof UnopenedConnection);
  const [unopened] = index < 0 ? [] : turns.splice(index, 1);
  if (unopened instanceof UnopenedConnection) {
    unopened.reject();
    return true;
  }
  for (const { isBeyondLimit, isBusy, socket } of open) {
    if (!isBeyondLimit || isBusy || socket.destroyed) continue;
    socket.destroy();
    return true;
  }
  return false;
}
