import type { Command } from 'commander';
import { newQuotaState, type QuotaState, usageAt } from '../../rate-limits/decide.js';
import { write, writeJson } from '../context.js';
import { type Invocation, withStores } from '../invocation.js';
import { formatCount } from '../output/format.js';
import { addJsonOption, type JsonOption } from '../output/json-option.js';
import { formatTime, isoTime, type KeyView, viewKey } from '../output/key-views.js';
import { type Column, renderTable } from '../output/table.js';

/** What a key's budget has used, as programs see it. Keys that share a budget show the same numbers. */
interface UsageView extends Pick<KeyView, 'id' | 'name' | 'plan' | 'quotaId' | 'requestsPerMinute' | 'requestsPerDay'> {
  readonly usedThisMinute: number;
  readonly usedThisDay: number;
  /** Abused minutes in a row, of those that lead to a ban. */
  readonly abusedMinutes: number;
  /** Bans that followed each other. */
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
    .description('show what the budgets have used of their minute and their day, abused minutes and bans')
    .action(async (id: string | undefined, options: JsonOption) => {
      const { stdout } = invocation.context;
      const views = await withStores(invocation, async ({ apiKeyService, stores }) => {
        const keys = id === undefined ? await apiKeyService.list() : [await apiKeyService.requireKey(id)];
        const usage = await (await stores.openUsageAdministration()).usage(keys.map(({ quota }) => quota.id));
        return keys.map((key) =>
          viewUsage(viewKey(key, invocation), usage.get(key.quota.id) ?? newQuotaState(), invocation.context.clock()),
        );
      });
      if (options.json) await writeJson(stdout, views);
      else await write(stdout, renderTable(columns, views));
    });
}

export function addUnban(keys: Command, invocation: Invocation): void {
  addJsonOption(keys.command('unban <id>'))
    .description('lift the ban of a key and forget the ones before; a running server follows within 5 seconds')
    .action(async (id: string, options: JsonOption) => {
      const { stdout } = invocation.context;
      await withStores(invocation, async ({ apiKeyService, stores }) => {
        const key = await apiKeyService.requireKey(id);
        await (await stores.openUsageAdministration()).unban(key.quota.id);
      });
      if (options.json) await writeJson(stdout, { id, bannedUntil: null });
      else await write(stdout, `The key ${id} is no longer banned. A running server follows within 5 seconds.\n`);
    });
}

function viewUsage(key: KeyView, state: QuotaState, now: number): UsageView {
  const { minuteUsed, dayUsed, abusedMinutes, bannedUntil } = usageAt(state, now);
  const { id, name, plan, quotaId, requestsPerMinute, requestsPerDay } = key;
  return {
    ...{ id, name, plan, quotaId, requestsPerMinute, requestsPerDay },
    usedThisMinute: minuteUsed,
    usedThisDay: dayUsed,
    abusedMinutes,
    bans: state.bans,
    bannedUntil: bannedUntil === 0 ? null : isoTime(bannedUntil),
  };
}

function share(used: number, limit: number | null): string {
  return `${formatCount(used)} / ${formatCount(limit)}`;
}
