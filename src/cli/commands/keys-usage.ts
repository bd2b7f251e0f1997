import type { Command } from 'commander';
import type { ApiKey } from '../../api-keys/api-key.js';
import { isoTime } from '../../lib/clock.js';
import { newQuotaState, type QuotaState, usageAt } from '../../rate-limits/decide.js';
import { addJsonOption, type Invocation, type JsonOption, printResult, withStores } from '../invocation.js';
import { formatCount, formatTime } from '../output/format.js';
import { type KeyView, viewKey } from '../output/key-views.js';
import { type Column, renderTable } from '../output/table.js';

/** The used quota of a key in JSON. Keys that share a quota have the same numbers. */
interface UsageView extends Pick<KeyView, 'id' | 'name' | 'plan' | 'quotaId' | 'requestsPerMinute' | 'requestsPerDay'> {
  readonly usedThisMinute: number;
  readonly usedThisDay: number;
  /** Consecutive abused minutes, which lead to a ban. */
  readonly abusedMinutes: number;
  /** Consecutive bans, which get longer. */
  readonly bans: number;
  readonly bannedUntil: string | null;
}

const columns: readonly Column<UsageView>[] = [
  { heading: 'ID', cell: ({ id }) => id },
  { heading: 'NAME', cell: ({ name }) => name },
  { heading: 'PLAN', cell: ({ plan }) => plan },
  { heading: 'THIS MINUTE', align: 'right', cell: (view) => share(view.usedThisMinute, view.requestsPerMinute) },
  { heading: 'THIS DAY', align: 'right', cell: (view) => share(view.usedThisDay, view.requestsPerDay) },
  { heading: 'ABUSED MINUTES', align: 'right', cell: ({ abusedMinutes }) => String(abusedMinutes) },
  { heading: 'BANS', align: 'right', cell: ({ bans }) => String(bans) },
  { heading: 'BANNED UNTIL', cell: ({ bannedUntil }) => (bannedUntil === null ? '-' : formatTime(bannedUntil)) },
];

export function addUsage(keys: Command, invocation: Invocation): void {
  addJsonOption(keys.command('usage [id]'))
    .description('show the used quotas of the current minute and day, abused minutes and bans')
    .action(async (id: string | undefined, options: JsonOption) => {
      const views = await withStores(invocation, async ({ apiKeyService, stores }) => {
        const keys = id === undefined ? await apiKeyService.list() : [await apiKeyService.requireKey(id)];
        const usage = await (await stores.openUsageAdministration()).usage(keys.map(({ quota }) => quota.id));
        return keys.map((key) => viewUsage(key, usage.get(key.quota.id) ?? newQuotaState(), invocation));
      });
      await printResult(invocation, options, views, renderTable(columns, views));
    });
}

export function addUnban(keys: Command, invocation: Invocation): void {
  addJsonOption(keys.command('unban <id>'))
    .description('lift the ban of a key and reset its earlier bans; a running server applies it within 5 seconds')
    .action(async (id: string, options: JsonOption) => {
      await withStores(invocation, async ({ apiKeyService, stores }) => {
        const key = await apiKeyService.requireKey(id);
        await (await stores.openUsageAdministration()).unban(key.quota.id);
      });
      const text = `The key ${id} is no longer banned. A running server applies this within 5 seconds.\n`;
      await printResult(invocation, options, { id, bannedUntil: null }, text);
    });
}

function viewUsage(key: ApiKey, state: QuotaState, invocation: Invocation): UsageView {
  const { context, contract } = invocation;
  const rules = contract.document['x-rate-limit-bans'];
  const { minuteUsed, dayUsed, abusedMinutes, bans, bannedUntil } = usageAt(state, rules, context.clock());
  const { id, name, plan, quotaId, requestsPerMinute, requestsPerDay } = viewKey(key, invocation);
  return {
    id,
    name,
    plan,
    quotaId,
    requestsPerMinute,
    requestsPerDay,
    usedThisMinute: minuteUsed,
    usedThisDay: dayUsed,
    abusedMinutes,
    bans,
    bannedUntil: bannedUntil === 0 ? null : isoTime(bannedUntil),
  };
}

function share(used: number, limit: number | null): string {
  return `${formatCount(used)} / ${formatCount(limit)}`;
}
