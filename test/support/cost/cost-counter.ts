import { createHook } from 'node:async_hooks';
import crypto from 'node:crypto';
import fs from 'node:fs';
import { OutgoingMessage, type Server, ServerResponse } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { Socket } from 'node:net';
import { basename } from 'node:path';
import Database from 'better-sqlite3';
import { ClientDisconnected } from '#src/http/middleware/json-body.js';
import { ApiError } from '#src/openapi/api-error.js';

type Method = (...args: never[]) => unknown;

/** How often each thing was done that costs time. */
export type Counts = Readonly<Record<string, number>>;

/** What async_hooks calls the things that a request makes the event loop keep, and what we call them. */
const asyncKinds: Readonly<Record<string, string>> = {
  PROMISE: 'promises',
  Immediate: 'immediates',
  Timeout: 'timers',
};

/** The methods by which Node hands bytes of a connection to the kernel. */
const socketWrites = [
  'writev',
  'writeBuffer',
  'writeLatin1String',
  'writeAsciiString',
  'writeUtf8String',
  'writeUcs2String',
];

/** The errors that are made on the way of a request, beside those that are plainly `new Error`. */
const errorClasses = [ApiError, ClientDisconnected];

/**
 * Counts what this process does, between `start` and `stop`, of what has made requests dear. It does so in the objects
 * that all code shares, so they have to be given back: call `close`.
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

  /** Counts the calls of a method, under a name or under what the arguments say. */
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

  /** Whatever SQLite is asked, by the name of the file: BEGIN, COMMIT and PRAGMA too. */
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
   * V8 does not say when it notes where an error was made; it does for each one that is made while the limit is above
   * 0.
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

  /** On the side of the server alone. */
  private countSocketWrites(server: Server): void {
    const onConnection = (socket: Socket) => {
      const { _handle: handle } = socket as unknown as { _handle: object };
      for (const name of socketWrites) this.count(handle, name, 'writes to sockets');
      this.count(handle, 'writev', 'writes of many pieces');
    };
    server.on('connection', onConnection);
    this.undo.push(() => server.off('connection', onConnection));
  }
}
