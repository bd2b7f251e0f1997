import { createHook } from 'node:async_hooks';
import crypto from 'node:crypto';
import fs from 'node:fs';
import { OutgoingMessage, type Server, ServerResponse } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { Socket } from 'node:net';
import { basename } from 'node:path';
import Database from 'better-sqlite3';
import { NoResponsePossible } from '#src/http/error-responses.js';
import { ApiError } from '#src/lib/errors.js';

type Method = (...args: never[]) => unknown;

/** How often each expensive action occurred. */
export type Counts = Readonly<Record<string, number>>;

/** The names of async_hooks for the resources of a request, and ours. */
const asyncKinds: Readonly<Record<string, string>> = {
  PROMISE: 'promises',
  Immediate: 'immediates',
  Timeout: 'timers',
};

/** The methods by which Node passes the bytes of a connection to the kernel. */
const socketWrites = [
  'writev',
  'writeBuffer',
  'writeLatin1String',
  'writeAsciiString',
  'writeUtf8String',
  'writeUcs2String',
];

/** The error classes that a request may create, besides `Error`. */
const errorClasses = [ApiError, NoResponsePossible];

/**
 * Counts the expensive actions of this process between `start` and `stop`. It patches shared objects; `close` restores
 * them.
 */
export class CostCounter {
  private counts = new Map<string, number>();
  private isCounting = false;
  private readonly undo: (() => void)[] = [];
  private readonly files = new WeakMap<Database.Database, string>();
  private readonly hook = createHook({ init: (_id, type) => this.add(asyncKinds[type]) });

  constructor(server: Server) {
    this.countStatements();
    for (const name of ['createHash', 'createHmac', 'hash']) this.count(crypto, name, 'hashes');
    for (const name of ['statSync', 'lstatSync', 'existsSync', 'openSync', 'readSync'])
      this.count(fs, name, 'looks at files');
    this.count(fs, 'writeSync', 'writes to files');
    this.count(JSON, 'parse', 'JSON.parse');
    this.count(JSON, 'stringify', 'JSON.stringify');
    this.count(Buffer, 'concat', 'copies of bytes');
    this.count(Buffer, 'from', ([source]) => (source instanceof ArrayBuffer ? undefined : 'copies of bytes'));
    this.count(ServerResponse.prototype, 'writeHead', 'heads written');
    for (const name of ['setHeader', 'appendHeader']) this.count(OutgoingMessage.prototype, name, 'headers set alone');
    for (const owner of [Object, Reflect]) {
      this.count(owner, 'setPrototypeOf', ([object, prototype]) =>
        Reflect.getPrototypeOf(object) === prototype ? undefined : 'prototypes changed',
      );
    }
    this.countStacks();
    this.countSocketWrites(server);
    syncBuiltinESMExports();
  }

  start(): void {
    this.counts = new Map();
    this.hook.enable();
    this.isCounting = true;
  }

  stop(): Counts {
    this.isCounting = false;
    this.hook.disable();
    return Object.fromEntries(this.counts);
  }

  close(): void {
    for (const undo of this.undo.reverse()) undo();
    syncBuiltinESMExports();
  }

  private add(what: string | undefined): void {
    if (this.isCounting && what !== undefined) this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  /** Counts the calls of a method, by a name or by their arguments. */
  private count(
    owner: object,
    name: string,
    what: string | ((args: [object, object], self: unknown) => string | undefined),
  ): void {
    const methods = owner as Record<string, Method | undefined>;
    const method = methods[name];
    if (method === undefined) return;
    const add = (args: unknown[], self: unknown) =>
      this.add(typeof what === 'string' ? what : what(args as [object, object], self));
    methods[name] = function (this: unknown, ...args: unknown[]) {
      add(args, this);
      return method.apply(this, args as never[]);
    };
    this.undo.push(() => (methods[name] = method));
  }

  /** Every SQL statement, by the name of the file, including BEGIN, COMMIT and PRAGMA. */
  private countStatements(): void {
    const db = new Database(':memory:');
    const prototype = Object.getPrototypeOf(db.prepare('SELECT 1')) as object;
    db.close();
    for (const name of ['run', 'get', 'all', 'iterate']) {
      this.count(prototype, name, (_args, self) =>
        this.isCounting ? `statements on ${this.fileOf((self as Database.Statement).database)}` : undefined,
      );
    }
  }

  /** A store attaches its file to a connection in memory. */
  private fileOf(db: Database.Database): string {
    const known = this.files.get(db);
    if (known !== undefined) return known;
    this.isCounting = false;
    const files = db.prepare<[], string>('SELECT file FROM pragma_database_list ORDER BY seq DESC').pluck().all();
    this.isCounting = true;
    this.files.set(db, basename(files[0] ?? ''));
    return this.fileOf(db);
  }

  /**
   * V8 reports no capture of a stack trace. It captures one for each error that is created while the limit is above 0.
   */
  private countStacks(): void {
    const note = () => this.add(Error.stackTraceLimit > 0 ? 'stacks noted' : undefined);
    const counted = new Proxy(Error, {
      construct(target, args, newTarget) {
        note();
        return Reflect.construct(target, args, newTarget) as object;
      },
    });
    globalThis.Error = counted;
    for (const errorClass of errorClasses) Object.setPrototypeOf(errorClass, counted);
    this.undo.push(() => {
      globalThis.Error = Object.getPrototypeOf(TypeError) as ErrorConstructor;
      for (const errorClass of errorClasses) Object.setPrototypeOf(errorClass, Error);
    });
  }

  /** Only on the server side. */
  private countSocketWrites(server: Server): void {
    const onConnection = (socket: Socket) => {
      const { _handle: handle } = socket as unknown as { _handle: object };
      for (const name of socketWrites) this.count(handle, name, 'writes to sockets');
    };
    server.on('connection', onConnection);
    this.undo.push(() => server.off('connection', onConnection));
  }
}
