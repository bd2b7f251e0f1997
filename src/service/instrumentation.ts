import type { KeyStore } from '../api-keys/api-key.js';
import { KeyRedactor } from '../api-keys/key-redactor.js';
import type { Config } from '../config.js';
import { requestResultOf } from '../http/outcome.js';
import type { ClientError } from '../http/protocol/client-errors.js';
import type { RequestContext } from '../http/request-context.js';
import { RequestLog } from '../http/request-log.js';
import type { Resources } from '../http/routes.js';
import type { Metrics } from '../observability/metrics.js';
import type { ContractSource } from '../openapi/load-contract.js';
import type { PetStore } from '../pets/pet-store.js';
import type { Decision } from '../rate-limits/decide.js';
import type { RateLimitClient, RateLimitStore } from '../rate-limits/rate-limit-store.js';
import { timedKeys, timedLimits, timedPets } from './instrumented-stores.js';
import type { OperatorLog } from './operator-log.js';

interface Surroundings {
  readonly contract: ContractSource;
  /** Absent where nobody reads of requests and events. */
  readonly log?: Pick<OperatorLog, 'lines' | 'output'>;
}

/** What is read at the moment that metrics are asked for. */
interface Readings {
  readonly requestsInFlight: () => number;
  readonly connections: () => number;
  readonly areCountersDegraded: () => boolean;
  readonly counterLosses: () => number;
}

/** Sees what happens in a service, and tells the log and the metrics, where there are any. */
export class Instrumentation {
  private readonly requestLog: RequestLog | undefined;

  private constructor(
    private readonly log: Surroundings['log'],
    private readonly metrics: Metrics | undefined,
    redactor: KeyRedactor,
  ) {
    this.requestLog = log && new RequestLog(log.lines, redactor);
  }

  static async create({ metricsPort }: Config, { contract, log }: Surroundings): Promise<Instrumentation> {
    const { document } = contract;
    // Loaded here, because it takes its time and most services are started without.
    const metrics =
      metricsPort === undefined
        ? undefined
        : new (await import('../observability/metrics.js')).Metrics(document.info.version);
    return new Instrumentation(log, metrics, new KeyRedactor(document));
  }

  /** A request to the service has its answer, or its client has left. */
  readonly onEnd = (context: RequestContext): void => {
    this.requestLog?.ended(context);
    if (this.metrics === undefined) return;
    const { operationId = 'none', status = 'aborted', durationMs } = requestResultOf(context);
    this.metrics.countRequest(operationId, status, durationMs / 1000);
  };

  /** A request of those who watch the service has its answer. */
  readonly onWatched = (context: RequestContext): void => this.requestLog?.ended(context);

  readonly onFault = (fault: ClientError): void => {
    this.requestLog?.fault(fault);
    this.metrics?.countWireFault(fault.code);
  };

  /** The storage has stopped answering, with the reason, or answers again. */
  readonly onReadiness = (failure: unknown): void => {
    if (failure === undefined) this.log?.lines.warn('ready again');
    else this.log?.lines.warn({ err: failure }, 'not ready');
  };

  /** What GET answers where metrics are; `undefined` where nobody asks. */
  exposeMetrics(readings: Readings): Resources | undefined {
    const { metrics } = this;
    if (metrics === undefined) return undefined;
    metrics.watch({ ...readings, logLinesDropped: () => this.log?.output.dropped ?? 0 });
    return {
      '/metrics': {
        isRoutine: true,
        get: async () => {
          const { mediaType, text } = await metrics.expose();
          return { status: 200, mediaType, body: text };
        },
      },
    };
  }

  /** To be told how many writes share each transaction of a store; `undefined` where nobody asks. */
  groupSizesOf(store: 'pets' | 'limits'): ((size: number) => void) | undefined {
    return this.metrics?.groupSizesOf(store);
  }

  /** The same catalogue, observed. */
  pets(pets: PetStore): PetStore {
    return this.metrics === undefined ? pets : timedPets(pets, this.metrics.timerOf('pets'));
  }

  keys(keys: KeyStore): KeyStore {
    return this.metrics === undefined ? keys : timedKeys(keys, this.metrics.timerOf('keys'));
  }

  limits(limits: RateLimitStore): RateLimitStore {
    const timed = this.metrics === undefined ? limits : timedLimits(limits, this.metrics.timerOf('limits'));
    return {
      consume: (client) =>
        timed.consume(client).then((decision) => {
          this.onAdmission(client, decision);
          return decision;
        }),
      peek: (client) => timed.peek(client),
    };
  }

  private onAdmission({ kind, id }: RateLimitClient, { refusedBy, beginsBan, decisive }: Decision): void {
    this.metrics?.countDecision(kind === 'quota' ? 'key' : 'address', refusedBy ?? 'admitted');
    if (beginsBan !== true) return;
    this.metrics?.countBan();
    this.log?.lines.warn({ quotaId: id, bannedUntil: new Date(decisive.resetAt).toISOString() }, 'ban');
  }
}
