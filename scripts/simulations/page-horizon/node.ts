import type { Database, Lease } from './database.js';
import { firstIdAt, idAtLeast } from './pet-ids.js';

/** A random integer between two others, which are included. */
export type Random = (from: number, to: number) => number;

/** Runs a function at a later time. */
export type Schedule = (time: number, run: (now: number) => void) => void;

/** Times in milliseconds; how often faults occur, per million milliseconds of a node or per million batches. */
export interface Faults {
  readonly clockErrorMax: number;
  readonly clockSteps: number;
  readonly pauses: number;
  readonly pauseMax: number;
  readonly delayedCommits: number;
  readonly delayMax: number;
  readonly lostResponses: number;
}

const pauseBetweenBatchesMs = 10;
const responseTimeoutMs = 1500;
const leaseDelayMaxMs = 100;

interface Request {
  readonly sentAt: number;
  isCommitted?: boolean;
}

/** A node that creates pets in batches, one at a time, with a clock that is wrong and steps. */
export class Node {
  private clockError: number;
  private pausedUntil = 0;
  private lease: Lease | undefined;
  /** All ids that it will assign are at least this one. */
  private nextId = 0;
  private request: Request | undefined;
  private nextBatchAt = 0;

  constructor(
    private readonly database: Database,
    private readonly schedule: Schedule,
    private readonly random: Random,
    private readonly faults: Faults,
  ) {
    this.clockError = this.anyClockError();
  }

  /** Called for each millisecond. */
  step(now: number): void {
    const { clockSteps, pauses, pauseMax } = this.faults;
    if (this.occurs(clockSteps)) this.clockError = this.anyClockError();
    if (this.occurs(pauses)) this.pausedUntil = now + this.random(1, pauseMax);
    if (now < this.pausedUntil || this.isWaiting(now)) return;
    if (this.lease === undefined) this.takeNumber(now);
    else if (now >= this.nextBatchAt) this.send(now, this.lease);
  }

  /** A node whose lease is lost, or that does not know whether its batch was committed, takes another number. */
  private isWaiting(now: number): boolean {
    if (this.request === undefined) return false;
    const { sentAt, isCommitted } = this.request;
    if (isCommitted === undefined && now - sentAt < responseTimeoutMs) return true;
    if (isCommitted !== true) this.lease = undefined;
    this.request = undefined;
    return false;
  }

  /** Between the steps, other nodes commit, and readers read. */
  private takeNumber(now: number): void {
    const { database, random } = this;
    const time = now + this.clockError;
    const request: Request = { sentAt: now };
    const startsAt = database.readStart(time);
    this.schedule(now + random(1, leaseDelayMaxMs), (then) => {
      const lease = database.lease(then, startsAt);
      this.schedule(then + random(1, leaseDelayMaxMs), () => {
        this.nextId = database.readStart(time, lease);
        this.lease = lease;
        request.isCommitted = true;
      });
    });
    this.request = request;
  }

  /** Sends a batch, which may be empty: it also renews the lease, and moves the horizon. */
  private send(now: number, lease: Lease): void {
    const { database, random, faults } = this;
    const time = now + this.clockError;
    database.endExpiredLeases(time);
    this.nextId = Math.max(this.nextId, firstIdAt(time));
    const ids = Array.from({ length: random(0, 3) }, () => {
      const id = idAtLeast(this.nextId, lease.node);
      this.nextId = id + 1;
      return id;
    });
    const horizon = this.nextId;
    const request: Request = { sentAt: now };
    const delay = random(1, this.occurs(faults.delayedCommits) ? faults.delayMax : 10);
    this.schedule(now + delay, (then) => {
      const isCommitted = database.commit(then, lease, ids, horizon);
      if (!this.occurs(faults.lostResponses)) request.isCommitted = isCommitted;
    });
    this.request = request;
    this.nextBatchAt = now + pauseBetweenBatchesMs;
  }

  private occurs(perMillion: number): boolean {
    return this.random(1, 1_000_000) <= perMillion;
  }

  private anyClockError(): number {
    return this.random(-this.faults.clockErrorMax, this.faults.clockErrorMax);
  }
}
