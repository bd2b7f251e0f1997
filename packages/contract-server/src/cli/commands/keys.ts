import { createInterface } from 'node:readline';
import { type Contract, limitMaxOf } from '@contract-server/core/contract/contract.js';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type ApiKey, findLimits, keyNamePattern } from '../../api-keys/api-key.js';
import type { GivenLimits } from '../../api-keys/api-key-service.js';
import { integer } from '../../lib/setting-parsers.js';
import type { Decision } from '../../rate-limits/decide.js';
import type { QuotaStore } from '../../rate-limits/quota-store.js';
import { type CommandContext, print } from '../context.js';
import { addJsonOption, type Invocation, type JsonOption, optionParser, printResult, withKeys } from '../invocation.js';
import { type Column, formatCount, formatTime, renderTable } from '../output/format.js';
import { describeLimits, isoTimeOrNull, renderKeys, viewKey, viewQuota } from '../output/key-views.js';
import { parseDuration, parseInstant } from '../parse-time.js';

interface KeyOptions extends JsonOption {
  readonly name?: string;
  readonly plan?: string;
  readonly perMinute?: number;
  readonly perDay?: number;
  readonly expires?: number | 'never';
}

const usageColumns: readonly Column<Awaited<ReturnType<typeof viewUsage>>>[] = [
  { heading: 'ID', cell: ({ id }) => id },
  { heading: 'NAME', cell: ({ name }) => name },
  { heading: 'PLAN', cell: ({ plan }) => plan },
  { heading: 'THIS MINUTE', align: 'right', cell: (view) => share(view.usedThisMinute, view.requestsPerMinute) },
  { heading: 'THIS DAY', align: 'right', cell: (view) => share(view.usedThisDay, view.requestsPerDay) },
  { heading: 'BANNED UNTIL', cell: ({ bannedUntil }) => (bannedUntil === null ? '-' : formatTime(bannedUntil)) },
];

const defaultOverlap = '24h';

/** Adds `keys …`. */
export function addKeysCommands(program: Command, invocation: Invocation): void {
  const keys = program.command('keys').description('manage API keys');
  addCreate(keys, invocation);
  addList(keys, invocation);
  addUpdate(keys, invocation);
  addRotate(keys, invocation);
  addRevoke(keys, invocation);
  addUsage(keys, invocation);
  addUnban(keys, invocation);
}

function addCreate(keys: Command, invocation: Invocation): void {
  addKeyOptions(keys.command('create'), invocation, ' (required)')
    .description('issue a key; its token is shown only once')
    .action(async (options: KeyOptions, command: Command) => {
      const { name, plan, expires } = options;
      if (name === undefined || plan === undefined) {
        const missing = [...(name === undefined ? ['--name'] : []), ...(plan === undefined ? ['--plan'] : [])];
        return command.error(`error: missing ${missing.join(' and ')}.`);
      }
      const expiresAt = expires === 'never' ? undefined : expires;
      const limits = findLimitsIn(options);
      // The token cannot be printed again.
      invocation.exitCode = 1;
      const { location, key, token } = await withKeys(
        invocation,
        async ({ service }, { location }) => ({
          location,
          ...(await service.create({ name, plan, limits, expiresAt })),
        }),
        { creates: true },
      );
      const view = viewKey(key, invocation);
      const expiry = view.expiresAt === null ? 'never expires' : `expires at ${formatTime(view.expiresAt)}`;
      const notice = `The key ${view.id} is on the plan ${view.plan}: ${describeLimits(view)}. It ${expiry}.`;
      const text = `${notice}\nIt is stored in ${location}.\n${tokenNotice(token)}`;
      await printResult(invocation, options, { ...view, token }, text);
      invocation.exitCode = 0;
    });
}

function tokenNotice(token: string): string {
  return `Its token is shown only this once:\n\n  ${token}\n\n`;
}

function addList(keys: Command, invocation: Invocation): void {
  addJsonOption(keys.command('list'))
    .description('list all keys, oldest first')
    .action(async (options: JsonOption) => {
      await withKeys(invocation, async ({ service }, { location }) => {
        const views = (await service.list()).map((key) => viewKey(key, invocation));
        const noKeys = `There are no keys in ${location}. \`${invocation.definition.name} keys create\` issues one.\n`;
        await printResult(invocation, options, views, views.length === 0 ? noKeys : renderKeys(views));
      });
    });
}

function addUpdate(keys: Command, invocation: Invocation): void {
  addKeyOptions(keys.command('update <id>'), invocation)
    .description('change a key; a plan changes for every key that shares its quota')
    .action(async (id: string, options: KeyOptions, command: Command) => {
      const { name, plan, expires } = options;
      const limits = findLimitsIn(options);
      const changes = {
        ...(name !== undefined && { name }),
        ...(plan !== undefined && { plan }),
        ...(limits !== undefined && { limits }),
        ...(expires !== undefined && { expiresAt: expires === 'never' ? undefined : expires }),
      };
      if (Object.keys(changes).length === 0)
        command.error('error: nothing to change; use --name, --plan, --per-minute and --per-day, or --expires.');
      const key = await withKeys(invocation, ({ service }) => service.update(id, changes));
      const view = viewKey(key, invocation);
      await printResult(invocation, options, view, renderKeys([view]));
    });
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
      invocation.exitCode = 1;
      const { key, token, predecessorExpiresAt } = await withKeys(invocation, ({ service }) =>
        service.rotate(id, options.overlap),
      );
      const view = viewKey(key, invocation);
      const expiresAt = new Date(predecessorExpiresAt).toISOString();
      const value = { ...view, token, predecessor: { id, expiresAt } };
      const end = formatTime(expiresAt);
      const text = `The key ${view.id} replaces ${id}, which stays valid until ${end}. Both share one quota.\n`;
      await printResult(invocation, options, value, text + tokenNotice(token));
      invocation.exitCode = 0;
    });
}

function addRevoke(keys: Command, invocation: Invocation): void {
  addJsonOption(keys.command('revoke <id>'))
    .description('invalidate a key permanently; a running server rejects it within 5 seconds')
    .option('--yes', 'skip the confirmation on a terminal')
    .action(async (id: string, options: JsonOption & { readonly yes?: true }) => {
      const { stdin, stderr } = invocation.context;
      const isInteractive = !options.yes && !options.json && stderr.isTTY === true && stdin().isTTY === true;
      if (isInteractive && !(await confirm(invocation.context, `Revoke the key ${id} permanently?`))) {
        await print(stderr, 'The key was not revoked.\n');
        invocation.exitCode = 1;
        return;
      }
      const view = viewKey(await withKeys(invocation, ({ service }) => service.revoke(id)), invocation);
      const text = `The key ${view.id} was revoked at ${formatTime(view.revokedAt)}.\n`;
      await printResult(invocation, options, view, text);
    });
}

/** Prompts for confirmation. Resolves to true if the input is `y` or `yes`; Ctrl+C and Ctrl+D count as no. */
async function confirm({ stdin, stderr }: CommandContext, question: string): Promise<boolean> {
  const lines = createInterface({ input: stdin(), output: stderr, prompt: `${question} [y/N] ` });
  lines.prompt();
  try {
    for await (const line of lines) return /^y(es)?$/i.test(line.trim());
  } finally {
    // Otherwise the process would keep running.
    lines.close();
  }
  await print(stderr, '\n');
  return false;
}

function addUsage(keys: Command, invocation: Invocation): void {
  const { contract } = invocation;
  addJsonOption(keys.command('usage [id]'))
    .description('show the used quotas of the current minute and day, and bans')
    .action(async (id: string | undefined, options: JsonOption) => {
      const views = await withKeys(invocation, async ({ service }, { withQuotas }) => {
        const keys = id === undefined ? await service.list() : [await service.requireKey(id)];
        return withQuotas((quotas) => Promise.all(keys.map((key) => viewUsage(key, quotas, contract))));
      });
      await printResult(invocation, options, views, renderTable(usageColumns, views));
    });
}

function addUnban(keys: Command, invocation: Invocation): void {
  addJsonOption(keys.command('unban <id>'))
    .description('end the ban of a key and reset its minute; a running server applies it within 5 seconds')
    .action(async (id: string, options: JsonOption) => {
      await withKeys(invocation, async ({ service }, { withQuotas }) => {
        const { quota } = await service.requireKey(id);
        await withQuotas((quotas) => quotas.reset(quota.id));
      });
      const text = `The key ${id} is no longer banned. A running server applies this within 5 seconds.\n`;
      await printResult(invocation, options, { id, bannedUntil: null }, text);
    });
}

/** The used quota of a key in JSON. Keys that share a quota have the same numbers. */
async function viewUsage(key: ApiKey, quotas: Pick<QuotaStore, 'peek'>, contract: Contract) {
  const limits = findLimits(key.quota, contract.plans);
  const decision = limits && (await quotas.peek({ id: key.quota.id, limits }));
  const usedOf = (window: Decision['day']) => (window === undefined ? 0 : window.limit - window.remaining);
  return {
    ...viewQuota(key, contract),
    /** The whole limit during a ban. */
    usedThisMinute: usedOf(decision?.minute),
    usedThisDay: usedOf(decision?.day),
    bannedUntil: isoTimeOrNull(decision?.bannedUntil),
  };
}

function share(used: number, limit: number | null): string {
  return `${formatCount(used)} / ${formatCount(limit)}`;
}

/** Adds the options of the properties of a key. @param required what the help says about a name and a plan. */
function addKeyOptions(command: Command, { context, contract }: Invocation, required = ''): Command {
  const parseCount = optionParser(integer(1, limitMaxOf(contract)));
  const plans = Object.entries(contract.plans);
  const customPlans = plans.flatMap(([name, limits]) => (limits === 'custom' ? [name] : []));
  const custom = `required on ${customPlans.join(', ') || 'a custom plan'}, not allowed on others`;
  return addJsonOption(command)
    .option('--name <name>', `a name for the key${required}`, parseName)
    .addOption(new Option('--plan <plan>', `a plan${required}`).choices(plans.map(([name]) => name)))
    .option('--per-minute <count>', `requests per minute; ${custom}`, parseCount)
    .option('--per-day <count>', `requests per day; ${custom}`, parseCount)
    .option('--expires <when>', 'a date, a time, a duration from now, or never', (text) =>
      text === 'never' ? text : parseInstant(text, context.clock()),
    );
}

function parseName(text: string): string {
  if (!new RegExp(keyNamePattern, 'u').test(text))
    throw new InvalidArgumentError('Use a name of at most 100 characters that is not blank.');
  return text;
}

/** The given limits, if any. */
function findLimitsIn({ perMinute, perDay }: KeyOptions): GivenLimits | undefined {
  if (perMinute === undefined && perDay === undefined) return undefined;
  return { requestsPerMinute: perMinute, requestsPerDay: perDay };
}
