import type { Socket } from 'node:net';
import {
  type ClientAddress,
  type ConnectionLimits,
  ConnectionTable,
  PendingConnection,
  ScheduledConnection,
  type Task,
} from './connection-table.js';
import type { AcceptedConnection } from './intercept-accept.js';

/** An event-loop tick that receives requests for longer than this is late, in milliseconds. */
const tickMsMax = 5;
/**
 * A throttled address may run one more task in each tick, until receiving its requests takes longer than this in one
 * tick, in milliseconds.
 */
const throttledTickMsMax = 2.5;
/** How long the tasks of one tick may take, in milliseconds. */
const timeSliceMs = 1;
/** While connections are being accepted, throttled addresses run a task in only one of this many ticks. */
const acceptingTicks = 8;

/**
 * Shares the event loop between client addresses (round robin). In one tick, Node reads every connection that has
 * received something, however many there are. So an address with a request in a late tick is throttled: its connections
 * are paused and read in turn, one in each tick, while those of other addresses are read at once. Connections beyond
 * the limit of their address are also opened in turn, and so are pipelined requests served.
 */
export class FairScheduler {
  private readonly connections: ConnectionTable;
  /** The addresses whose queue is not empty, in the order of their turns. */
  private readonly backlogged = new Set<ClientAddress>();
  private tick = 0;
  private hasAccepted = false;
  private isScheduled = false;
  private isStopped = false;
  private tickEndedAt = 0;
  /** When the first request of this tick was received, and the CPU time until then; not noted while ticks are short. */
  private receivedAt: number | undefined;
  private cpuUsage: NodeJS.CpuUsage | undefined;
  private isBackingOff = false;

  constructor(limits: ConnectionLimits) {
    this.connections = new ConnectionTable(limits);
  }

  /**
   * Opens a connection: at once, or in turn beyond the limit of its address. If there are too many connections in all,
   * it replaces one of the address that is furthest beyond its limit, and is rejected if that is its own or there is
   * none.
   */
  accept(remoteAddress: string | undefined, accepted: AcceptedConnection): void {
    this.hasAccepted = true;
    const address = this.connections.of(remoteAddress);
    const isWithinLimit = !this.connections.isAtLimit(address);
    if (!this.connections.admit(address)) accepted.reject();
    else if (this.isStopped || (isWithinLimit && address.tasksPerTick === undefined)) accepted.open();
    else {
      address.tasksPerTick ??= 1;
      this.enqueueTask(address, new PendingConnection(address, accepted));
    }
    this.connections.update(address);
  }

  /** Must be called when a connection has a socket. */
  add(socket: Socket, serveNext: () => boolean): ScheduledConnection {
    const address = this.connections.of(socket.remoteAddress);
    const connection = new ScheduledConnection(socket, address, this.connections.isAtLimit(address), serveNext);
    address.open.add(connection);
    this.connections.update(address);
    return connection;
  }

  /** Must be called when a connection is closed. */
  remove(connection: ScheduledConnection): void {
    connection.address.open.delete(connection);
    this.connections.update(connection.address);
  }

  /** Must be called with the time at which a request was received. */
  onRequest({ address }: ScheduledConnection, now: number): void {
    if (address.open.size === 1 || !this.isTickLate(now)) return;
    for (const connection of address.open)
      if (!connection.isBusy && !connection.socket.isPaused()) this.throttle(connection);
  }

  /** Must be called when every request that was received on a connection has its response. */
  onIdle(connection: ScheduledConnection): void {
    const { queue, tasksPerTick = Infinity } = connection.address;
    // As long as the next tick can run each of them, none has to be paused.
    if (queue.length > tasksPerTick && !connection.socket.destroyed) this.throttle(connection);
  }

  /** Lets a connection serve its next request when it is its turn. */
  enqueue(connection: ScheduledConnection): void {
    if (connection.isQueued) return;
    connection.isQueued = true;
    this.enqueueTask(connection.address, connection);
  }

  /** Runs every task, and throttles no address from then on. */
  stop(): void {
    this.isStopped = true;
    for (const { queue } of this.backlogged) for (const task of queue.splice(0)) task.run();
  }

  /** Pauses a connection until its turn. */
  private throttle(connection: ScheduledConnection): void {
    if (this.isStopped) return;
    connection.socket.pause();
    connection.address.tasksPerTick ??= 1;
    this.enqueue(connection);
  }

  private enqueueTask(address: ClientAddress, task: Task): void {
    address.queue.push(task);
    this.backlogged.add(address);
    this.schedule();
  }

  private isTickLate(now: number): boolean {
    if (this.receivedAt !== undefined) return now - this.receivedAt > tickMsMax && this.cpuMs() > tickMsMax;
    // If the last tick has just ended, this one cannot be late.
    if (this.isScheduled || now - this.tickEndedAt > tickMsMax) {
      this.receivedAt = now;
      this.cpuUsage = process.cpuUsage();
      this.schedule();
    }
    return false;
  }

  /** The CPU time of this tick since its first request: what other processes of the machine use does not count. */
  private cpuMs(): number {
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
    const cpuMs = this.cpuMs();
    if (cpuMs > tickMsMax) this.backOff(cpuMs);
    const tasksPerTick = this.tasksPerTickAfter(cpuMs);
    this.isScheduled = false;
    this.hasAccepted = false;
    this.receivedAt = undefined;
    this.tickEndedAt = performance.now();
    this.tick += 1;
    for (const address of [...this.backlogged]) {
      if (address.tasksPerTick !== undefined) address.tasksPerTick = tasksPerTick ?? address.tasksPerTick + 1;
      this.backlogged.delete(address);
      this.runTasks(address);
      // Behind the others, which come first in the next tick if the time slice is over.
      if (address.queue.length > 0) this.backlogged.add(address);
      else address.tasksPerTick = undefined;
      this.connections.update(address);
      if (this.isTimeSliceOver()) break;
    }
    if (this.backlogged.size > 0 && !this.isBackingOff) this.schedule();
  };

  /** How many tasks each throttled address may run after a tick; `undefined` for one more than before. */
  private tasksPerTickAfter(cpuMs: number): number | undefined {
    if (this.isBackingOff) return 0;
    // Node accepts one connection in each tick. As long as there are more, those from other addresses wait behind them.
    if (this.hasAccepted) return this.tick % acceptingTicks === 0 ? 1 : 0;
    return cpuMs > throttledTickMsMax ? 1 : undefined;
  }

  /** After a tick that even a single task made late, leaves as much time to other addresses. */
  private backOff(ms: number): void {
    if (this.isBackingOff || this.backlogged.size === 0) return;
    this.isBackingOff = true;
    setTimeout(() => {
      this.isBackingOff = false;
      this.schedule();
    }, ms);
  }

  private runTasks({ queue, tasksPerTick = queue.length }: ClientAddress): void {
    for (let left = Math.min(queue.length, tasksPerTick); left > 0; left -= 1) {
      queue.shift()?.run();
      if (this.isTimeSliceOver()) return;
    }
  }

  private isTimeSliceOver(): boolean {
    return performance.now() - this.tickEndedAt > timeSliceMs;
  }
}
