import type { AddressInfo } from 'node:net';
import { RawConnection } from '../clients/raw-connection.js';

/** The target of requests, and the CPU time that the server has used so far, in microseconds. */
export interface MeasuredServer {
  readonly address: Pick<AddressInfo, 'address' | 'port'>;
  cpuUs(): Promise<number>;
}

/** A round sends a request until the server has used about this much CPU time, in microseconds. */
const roundUs = 10_000;
/** The first rounds are short, to warm up V8. */
const roundsMin = 6;
const roundsMax = 50;

/**
 * The ratio of the CPU time of two requests. Rounds of both alternate, and the cheapest round of each counts, because
 * other processes only add time. Rounds are repeated while the ratio is above `enough`, because of a busy machine.
 */
export async function costRatio(server: MeasuredServer, one: string, other: string, enough: number): Promise<number> {
  const [first, second] = [new Repeated(server, one), new Repeated(server, other)];
  for (let round = 1; ; round += 1) {
    await first.measure();
    await second.measure();
    const ratio = first.leastUs / second.leastUs;
    if (round < roundsMin || (ratio > enough && round < roundsMax)) continue;
    first.end();
    second.end();
    return ratio;
  }
}

/**
 * Repeats one request on one connection as long as the server keeps it open, each time with another client address.
 */
class Repeated {
  /** The CPU time of one request in the cheapest round. */
  leastUs = Infinity;
  private connection: RawConnection | undefined;
  private sent = 0;

  constructor(
    private readonly server: MeasuredServer,
    private readonly request: string,
  ) {}

  async measure(): Promise<void> {
    const times = Math.ceil(roundUs / Math.min(this.leastUs, roundUs));
    const before = await this.server.cpuUs();
    await this.send(times);
    this.leastUs = Math.min(this.leastUs, ((await this.server.cpuUs()) - before) / times);
  }

  private async send(times: number): Promise<void> {
    for (let sent = 0; sent < times; sent += 1) {
      this.connection ??= await RawConnection.openTo(this.server.address);
      this.sent += 1;
      const address = `10.0.${String(this.sent >> 8)}.${String(this.sent & 255)}`;
      this.connection.send(Buffer.from(this.request.replace('<address>', address), 'latin1'));
      const { headers } = await this.connection.readResponse();
      if (headers['connection'] === 'close') this.end();
    }
  }

  end(): void {
    this.connection?.end();
    this.connection = undefined;
  }
}
