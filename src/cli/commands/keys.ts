import { type Command, InvalidArgumentError, Option } from 'commander';
import type { IssuedKey, KeyUpdate } from '../../api-keys/api-key-service.js';
import type { PlanLimits } from '../../openapi/document.js';
import type { PlanName } from '../../openapi/types.js';
import { write, writeJson } from '../context.js';
import { type Invocation, withStores } from '../invocation.js';
import { addJsonOption, type JsonOption } from '../output/json-option.js';
import { describeLimits, formatTime, isoTime, type KeyView, renderKeys, viewKey } from '../output/key-views.js';
import { parseDuration, parseInstant } from '../parse-time.js';
import { addKeyTransfer } from './keys-transfer.js';
import { addUnban, addUsage } from './keys-usage.js';

interface KeyOptions extends JsonOption {
  readonly name?: string;
  readonly plan?: PlanName;
  readonly perMinute?: number;
  readonly perDay?: number;
  readonly expires?: number | 'never';
}

/** A name is for people, who read it in a table. */
const nameLengthMax = 100;
const defaultOverlap = '24h';

/** Adds `petstore keys …`. */
export function addKeysCommands(program: Command, invocation: Invocation): void {
  const keys = program.command('keys').description('issue API keys and look after them');
  addCreate(keys, invocation);
  addList(keys, invocation);
  addUpdate(keys, invocation);
  addRotate(keys, invocation);
  addRevoke(keys, invocation);
  addUsage(keys, invocation);
  addUnban(keys, invocation);
  addKeyTransfer(keys, invocation);
}

function addCreate(keys: Command, invocation: Invocation): void {
  addJsonOption(keys.command('create'))
    .description('issue a key; its token is shown this once')
    .addOption(nameOption().makeOptionMandatory())
    .addOption(planOption(invocation).makeOptionMandatory())
    .addOption(countOption('--per-minute <count>', 'requests per minute, on a custom plan'))
    .addOption(countOption('--per-day <count>', 'requests per day, on a custom plan'))
    .option('--expires <when>', 'a date, a time, or a duration from now (default: never)', (text) =>
      parseWhen(text, invocation),
    )
    .action(async (options: KeyOptions & { name: string; plan: PlanName; expires?: number }, command: Command) => {
      const { name, plan, expires } = options;
      const limits = limitsOf(options, command);
      invocation.exitCodeUnread = 1;
      const issued = await withStores(invocation, ({ apiKeyService }) =>
        apiKeyService.create({ name, plan, limits, expiresAt: expires }),
      );
      const view = viewKey(issued.key, invocation);
      if (options.json) await writeJson(invocation.context.stdout, { ...view, token: issued.token });
      else await write(invocation.context.stdout, createdNotice(view, issued));
    });
}

function createdNotice(view: KeyView, { token }: IssuedKey): string {
  const expiry = view.expiresAt === null ? 'never expires' : `expires at ${formatTime(view.expiresAt)}`;
  return `The key ${view.id} is on the plan ${view.plan}: ${describeLimits(view)}. It ${expiry}.\n${tokenNotice(token)}`;
}

function tokenNotice(token: string): string {
  return `Its token is shown this once:\n\n  ${token}\n\n`;
}

function addList(keys: Command, invocation: Invocation): void {
  addJsonOption(keys.command('list'))
    .description('show every key, in the order of their creation')
    .action(async (options: JsonOption) => {
      const { stdout } = invocation.context;
      await withStores(invocation, async ({ stores, apiKeyService }) => {
        const views = (await apiKeyService.list()).map((key) => viewKey(key, invocation));
        if (options.json) await writeJson(stdout, views);
        else if (views.length > 0) await write(stdout, renderKeys(views));
        else await write(stdout, `There are no keys in ${stores.place}. \`petstore keys create\` issues one.\n`);
      });
    });
}

function addUpdate(keys: Command, invocation: Invocation): void {
  addJsonOption(keys.command('update <id>'))
    .description('change a key; a plan changes for every key that shares its budget')
    .addOption(nameOption())
    .addOption(planOption(invocation))
    .addOption(countOption('--per-minute <count>', 'requests per minute, on a custom plan'))
    .addOption(countOption('--per-day <count>', 'requests per day, on a custom plan'))
    .option('--expires <when>', 'a date, a time, a duration from now, or never', (text) =>
      text === 'never' ? text : parseWhen(text, invocation),
    )
    .action(async (id: string, options: KeyOptions, command: Command) => {
      const changes = changesOf(options, command);
      const key = await withStores(invocation, ({ apiKeyService }) => apiKeyService.update(id, changes));
      const view = viewKey(key, invocation);
      if (options.json) await writeJson(invocation.context.stdout, view);
      else await write(invocation.context.stdout, renderKeys([view]));
    });
}

function changesOf(options: KeyOptions, command: Command): KeyUpdate {
  const { name, plan, expires } = options;
  const limits = limitsOf(options, command);
  const changes = {
    ...(name !== undefined && { name }),
    ...(plan !== undefined && { plan }),
    ...(limits !== undefined && { limits }),
    ...(expires !== undefined && { expiresAt: expires === 'never' ? undefined : expires }),
  };
  if (Object.keys(changes).length === 0) refuseUsage(command, 'Say what to change: see `petstore keys update --help`.');
  return changes;
}

function addRotate(keys: Command, invocation: Invocation): void {
  addJsonOption(keys.command('rotate <id>'))
    .description('issue a successor on the same budget; its token is shown this once')
    .addOption(
      new Option('--overlap <duration>', 'how long the old token stays valid')
        .argParser(parseDuration)
        .default(parseDuration(defaultOverlap), defaultOverlap),
    )
    .action(async (id: string, { overlap, json }: JsonOption & { overlap: number }) => {
      const { stdout } = invocation.context;
      invocation.exitCodeUnread = 1;
      const issued = await withStores(invocation, ({ apiKeyService }) => apiKeyService.rotate(id, overlap));
      const view = viewKey(issued.key, invocation);
      const expiresAt = isoTime(issued.predecessorExpiresAt);
      if (json) await writeJson(stdout, { ...view, token: issued.token, predecessor: { id, expiresAt } });
      else {
        const takeover = `The key ${view.id} takes over from ${id}, which stays valid until ${formatTime(expiresAt)}.`;
        await write(stdout, `${takeover} Both draw on one budget.\n${tokenNotice(issued.token)}`);
      }
    });
}

function addRevoke(keys: Command, invocation: Invocation): void {
  addJsonOption(keys.command('revoke <id>'))
    .description('make a key invalid for good; a running server refuses it within 5 seconds')
    .action(async (id: string, options: JsonOption) => {
      const { stdout } = invocation.context;
      const view = viewKey(await withStores(invocation, ({ apiKeyService }) => apiKeyService.revoke(id)), invocation);
      if (options.json) await writeJson(stdout, view);
      else await write(stdout, `The key ${view.id} is revoked since ${formatTime(view.revokedAt)}.\n`);
    });
}

function nameOption(): Option {
  return new Option('--name <name>', 'what you call the key').argParser((text) => {
    if (text.trim() === '' || text.length > nameLengthMax) {
      throw new InvalidArgumentError(`Give a name of at most ${String(nameLengthMax)} characters that is not blank.`);
    }
    return text;
  });
}

function planOption({ contract }: Invocation): Option {
  return new Option('--plan <plan>', 'the plan, as the contract has it').choices(
    Object.keys(contract.document['x-rate-limit-plans']),
  );
}

function countOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text) => {
    const count = Number(text);
    if (!/^[1-9][0-9]*$/.test(text) || !Number.isSafeInteger(count)) {
      throw new InvalidArgumentError(`Give a whole number from 1 to ${String(Number.MAX_SAFE_INTEGER)}.`);
    }
    return count;
  });
}

function parseWhen(text: string, { context }: Invocation): number {
  return parseInstant(text, context.clock());
}

function limitsOf({ perMinute, perDay }: KeyOptions, command: Command): PlanLimits | undefined {
  if (perMinute === undefined && perDay === undefined) return undefined;
  if (perMinute === undefined || perDay === undefined)
    return refuseUsage(command, 'Give --per-minute and --per-day together.');
  return { requestsPerMinute: perMinute, requestsPerDay: perDay };
}

function refuseUsage(command: Command, message: string): never {
  return command.error(`error: ${message}`);
}
