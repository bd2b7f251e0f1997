import { expect } from 'chai';
import type { LogLine } from '../log-lines.js';
import { temporaryDirectory } from '../temporary-directory.js';
import { type CollectedSpan, OtlpCollector } from './otlp-collector.js';
import { createUnlimitedKey, ServerProcess } from './server-process.js';

interface RequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A server process that exports its traces and metrics to a collector as JSON. */
export class TracedServer {
  readonly directory = temporaryDirectory();
  /** An API key with practically no limits. */
  token = '';
  private running: ServerProcess | undefined;

  private constructor(public collector: OtlpCollector) {}

  /** Creates the collector. */
  static async create(): Promise<TracedServer> {
    return new TracedServer(await OtlpCollector.start());
  }

  get process(): ServerProcess {
    if (this.running === undefined) throw new Error('The server is not started.');
    return this.running;
  }

  /** @param options of `npm start`. */
  async start(env: Readonly<Record<string, string>> = {}, options: readonly string[] = []): Promise<void> {
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: this.collector.endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' };
    this.running = await ServerProcess.start(
      { DATA_DIR: this.directory, ...endpoint, ...env },
      'pipe',
      undefined,
      options,
    );
    this.token = await createUnlimitedKey(this.directory, env['DATABASE_URL']);
  }

  /** Sends a request with the API key, and resolves with its response when the body has been read. */
  async send(target: string, options: RequestOptions = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${this.token}`, ...options.headers };
    const response = await fetch(new URL(target, this.process.baseUrl), { ...options, headers });
    await response.arrayBuffer();
    return response;
  }

  /** Stops the server, which exports what is left. */
  async stop(): Promise<void> {
    expect(await this.process.stop()).to.deep.equal({ code: 0, signal: null });
  }

  /** Kills what is left. */
  async close(): Promise<void> {
    this.running?.kill('SIGKILL');
    await this.collector.close();
  }

  get spanNames(): string[] {
    return this.collector.spans.map(({ name }) => name);
  }

  /** The only span with this name. */
  spanOf(name: string): CollectedSpan {
    const [span, ...others] = this.collector.spans.filter((each) => each.name === name);
    if (span === undefined || others.length > 0)
      throw new Error(`There is not one span ${name}: ${this.spanNames.join(', ')}.`);
    return span;
  }

  childrenOf({ spanId }: CollectedSpan): CollectedSpan[] {
    return this.collector.spans.filter(({ parentSpanId }) => parentSpanId === spanId);
  }

  /** The line of a request in the log. */
  logLineOf(response: Response): LogLine {
    const id = response.headers.get('x-request-id');
    return this.process.lines.find(({ msg, requestId }) => msg === 'request' && requestId === id) ?? {};
  }
}
