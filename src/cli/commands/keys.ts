import { type Command, InvalidArgumentError, Option } from 'commander';
import { keyNamePattern, toLimits } from '../../api-keys/api-key.js';
import type { IssuedKey, KeyUpdate } from '../../api-keys/api-key-service.js';
import { isoTime } from '../../lib/clock.js';
import { type PlanLimits, quotaMaxOf } from '../../openapi/document.js';
import type { PlanName } from '../../openapi/types.js';
import { confirm, isInteractive } from '../confirm.js';
import { write } from '../context.js';
import { addJsonOption, type Invocation, type JsonOption, printResult, withStores } from '../invocation.js';
import { formatTime } from '../output/format.js';
import { describeLimits, type KeyView, renderKey, renderKeys, viewKey } from '../output/key-views.js';
import { parseDuration, parseInstant } from '../parse-time.js';
import { addKeysTransfer } from './keys-transfer.js';
import { addUnban, addUsage } from './keys-usage.js';

interface KeyOptions extends JsonOption {
  readonly name?: string;
  readonly plan?: PlanName;
  readonly perMinute?: number;
  readonly perDay?: number;
  readonly expires?: number | 'never';
}

const defaultOverlap = '24h';

/** Adds `petstore keys …`. */
export function addKeysCommands(program: Command, invocation: Invocation): void {
  const keys = program.command('keys').description('manage API keys');
  addCreate(keys, invocation);
  addList(keys, invocation);
  addShow(keys, invocation);
  addUpdate(keys, invocation);
  addRotate(keys, invocation);
  addRevoke(keys, invocation);
  addUsage(keys, invocation);
  addUnban(keys, invocation);
  addKeysTransfer(keys, invocation);
}

function addCreate(keys: Command, invocation: Invocation): void {
  addJsonOption(keys.command('create'))
    .description('issue a key; its token is shown only once')
    .addOption(nameOption().makeOptionMandatory())
    .addOption(planOption(invocation).makeOptionMandatory())
    .addOption(countOption('--per-minute <count>', 'requests per minute, on a custom plan', invocation))
    .addOption(countOption('--per-day <count>', 'requests per day, on a custom plan', invocation))
    .option('--expires <when>', 'a date, a time, or a duration from now (default: never)', (text) =>
      parseInstant(text, invocation.context.clock()),
    )
    .action(async (options: KeyOptions & { name: string; plan: PlanName; expires?: number }, command: Command) => {
      const { name, plan, expires } = options;
      const limits = parseLimits(options, command);
      invocation.exitCodeIfClosed = 1;
      const issued = await withStores(invocation, ({ apiKeyService }) =>
        apiKeyService.create({ name, plan, limits, expiresAt: expires }),
      );
      const view = viewKey(issued.key, invocation);
      await printResult(invocation, options, { ...view, token: issued.token }, createdNotice(view, issued));
    });
}

function createdNotice(view: KeyView, { token }: IssuedKey): string {
  const expiry = view.expiresAt === null ? 'never expires' : `expires at ${formatTime(view.expiresAt)}`;
  return (
    `The key ${view.id} is on the plan ${view.plan}: ${describeLimits(view)}. It ` + `${expiry}.\n${tokenNotice(token)}`
  );
}

function tokenNotice(token: string): string {
  return `Its token is shown only this once:\n\n  ${token}\n\n`;
}

function addList(keys: Command, invocation: Invocation): void {
  addJsonOption(keys.command('list'))
    .description('list all keys, oldest first')
    .action(async (options: JsonOption) => {
      await withStores(invocation, async ({ stores, apiKeyService }) => {
        const views = (await apiKeyService.list()).map((key) => viewKey(key, invocation));
        const noKeys = `There are no keys in ${stores.location}. \`petstore keys create\` issues one.\n`;
        await printResult(invocation, options, views, views.length === 0 ? noKeys : renderKeys(views));
      });
    });
}

function addShow(keys: Command, invocation: Invocation): void {
  addJsonOption(keys.command('show <id>'))
    .description('show every property of a key; its token is not stored')
    .action(async (id: string, options: JsonOption) => {
      const view = viewKey(
        await withStores(invocation, ({ apiKeyService }) => apiKeyService.requireKey(id)),
        invocation,
      );
      await printResult(invocation, options, view, renderKey(view));
    });
}

function addUpdate(keys: Command, invocation: Invocation): void {
  addJsonOption(keys.command('update <id>'))
    .description('change a key; a plan changes for every key that shares its quota')
    .addOption(nameOption())
    .addOption(planOption(invocation))
    .addOption(countOption('--per-minute <count>', 'requests per minute, on a custom plan', invocation))
    .addOption(countOption('--per-day <count>', 'requests per day, on a custom plan', invocation))
    .option('--expires <when>', 'a date, a time, a duration from now, or never', (text) =>
      text === 'never' ? text : parseInstant(text, invocation.context.clock()),
    )
    .action(async (id: string, options: KeyOptions, command: Command) => {
      const changes = parseChanges(options, command);
      const key = await withStores(invocation, ({ apiKeyService }) => apiKeyService.update(id, changes));
      const view = viewKey(key, invocation);
      await printResult(invocation, options, view, renderKeys([view]));
    });
}

function parseChanges(options: KeyOptions, command: Command): KeyUpdate {
  const { name, plan, expires } = options;
  const limits = parseLimits(options, command);
  const changes = {
    ...(name !== undefined && { name }),
    ...(plan !== undefined && { plan }),
    ...(limits !== undefined && { limits }),
    ...(expires !== undefined && { expiresAt: expires === 'never' ? undefined : expires }),
  };
  if (Object.keys(changes).length === 0)
    rejectUsage(command, 'Specify at least one change: see `petstore keys update --help`.');
  return changes;
}

function addRotate(keys: Command, invocation: Invocation): void {
  addJsonOption(keys.command('rotate <id>'))
    .description('issue a successor that shares the quota; its token is shown only once')
    .addOption(
      new Option('--overlap <duration>', 'how long the old token stays valid')
        .argParser(parseDuration)
        .default(parseDuration(defaultOverlap), defaultOverlap),
    )
    .action(async (id: string, options: JsonOption & { overlap: number }) => {
      invocation.exitCodeIfClosed = 1;
      const issued = await withStores(invocation, ({ apiKeyService }) => apiKeyService.rotate(id, options.overlap));
      const view = viewKey(issued.key, invocation);
      const expiresAt = isoTime(issued.predecessorExpiresAt);
      const value = { ...view, token: issued.token, predecessor: { id, expiresAt } };
      const text =
        `The key ${view.id} replaces ${id}, which stays valid until ${formatTime(expiresAt)}. Both share one ` +
        'quota.';
      await printResult(invocation, options, value, `${text}\n${tokenNotice(issued.token)}`);
    });
}

function addRevoke(keys: Command, invocation: Invocation): void {
  addJsonOption(keys.command('revoke <id>'))
    .description('invalidate a key permanently; a running server rejects it within 5 seconds')
    .option('--yes', 'skip the confirmation on a terminal')
    .action(async (id: string, options: JsonOption & { readonly yes?: true }) => {
      const { context } = invocation;
      if (!options.yes && !options.json && isInteractive(context) && !(await confirmRevocation(id, invocation))) {
        await write(context.stderr, 'The key was not revoked.\n');
        invocation.exitCode = 1;
        return;
      }
      const view = viewKey(await withStores(invocation, ({ apiKeyService }) => apiKeyService.revoke(id)), invocation);
      const text = `The key ${view.id} was revoked at ${formatTime(view.revokedAt)}.\n`;
      await printResult(invocation, options, view, text);
    });
}

/** Shows the key and prompts for confirmation, unless it is revoked already. */
async function confirmRevocation(id: string, invocation: Invocation): Promise<boolean> {
  const view = viewKey(await withStores(invocation, ({ apiKeyService }) => apiKeyService.requireKey(id)), invocation);
  if (view.state === 'revoked') return true;
  await write(invocation.context.stderr, renderKey(view));
  return confirm(invocation.context, 'Revoke this key permanently?');
}

function nameOption(): Option {
  return new Option('--name <name>', 'a name for the key').argParser((text) => {
    if (!new RegExp(keyNamePattern, 'u').test(text))
      throw new InvalidArgumentError('Specify a name of at most 100 characters that is not blank.');
    return text;
  });
}

function planOption({ contract }: Invocation): Option {
  return new Option('--plan <plan>', 'a plan of the contract').choices(
    Object.keys(contract.document['x-rate-limit-plans']),
  );
}

function countOption(flags: string, description: string, { contract }: Invocation): Option {
  const countMax = quotaMaxOf(contract.document);
  return new Option(flags, description).argParser((text) => {
    const count = Number(text);
    if (!/^[1-9][0-9]*$/.test(text) || count > countMax)
      throw new InvalidArgumentError(`Specify an integer from 1 to ${String(countMax)}.`);
    return count;
  });
}

function parseLimits({ perMinute, perDay }: KeyOptions, command: Command): PlanLimits | undefined {
  const limits = toLimits(perMinute, perDay);
  if (limits === undefined && (perMinute ?? perDay) !== undefined)
    rejectUsage(command, 'Give --per-minute and --per-day together.');
  return limits;
}

function rejectUsage(command: Command, message: string): never {
  return command.error(`error: ${message}`);
}
