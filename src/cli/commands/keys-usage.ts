import type { Command } from 'commander';
import { type ApiKey, findLimits } from '../../api-keys/api-key.js';
import { isoTime } from '../../lib/clock.js';
import type { Decision } from '../../rate-limits/decide.js';
import { addJsonOption, type Invocation, type JsonOption, printResult, withStores } from '../invocation.js';
import { formatCount, formatTime } from '../output/format.js';
import { type KeyView, viewKey } from '../output/key-views.js';
import { type Column, renderTable } from '../output/table.js';

/** The used quota of a key in JSON. Keys that share a quota have the same numbers. */
interface UsageView extends Pick<KeyView, 'id' | 'name' | 'plan' | 'quotaId' | 'requestsPerMinute' | 'requestsPerDay'> {
  /** The whole limit during a ban. */
  readonly usedThisMinute: number;
  readonly usedThisDay: number;
  readonly bannedUntil: string | null;
}

const columns: readonly Column<UsageView>[] = [
  { heading: 'ID', cell: ({ id }) => id },
  { heading: 'NAME', cell: ({ name }) => name },
  { heading: 'PLAN', cell: ({ plan }) => plan },
  { heading: 'THIS MINUTE', align: 'right', cell: (view) => share(view.usedThisMinute, view.requestsPerMinute) },
  { heading: 'THIS DAY', align: 'right', cell: (view) => share(view.usedThisDay, view.requestsPerDay) },
  { heading: 'BANNED UNTIL', cell: ({ bannedUntil }) => (bannedUntil === null ? '-' : formatTime(bannedUntil)) },
];

export function addUsage(keys: Command, invocation: Invocation): void {
  const { 'x-rate-limit-plans': plans } = invocation.contract.document;
  addJsonOption(keys.command('usage [id]'))
    .description('show the used quotas of the current minute and day, and bans')
    .action(async (id: string | undefined, options: JsonOption) => {
      const views = await withStores(invocation, async ({ apiKeyService, useQuotas }) => {
        const keys = id === undefined ? await apiKeyService.list() : [await apiKeyService.requireKey(id)];
        return useQuotas((quotas) =>
          Promise.all(
            keys.map(async (key) => {
              const limits = findLimits(key.quota, plans);
              return viewUsage(key, limits && (await quotas.peek({ id: key.quota.id, limits })), invocation);
            }),
          ),
        );
      });
      await printResult(invocation, options, views, renderTable(columns, views));
    });
}

export function addUnban(keys: Command, invocation: Invocation): void {
  addJsonOption(keys.command('unban <id>'))
    .description('end the ban of a key and reset its minute; a running server applies it within 5 seconds')
    .action(async (id: string, options: JsonOption) => {
      await withStores(invocation, async ({ apiKeyService, useQuotas }) => {
        const { quota } = await apiKeyService.requireKey(id);
        await useQuotas((quotas) => quotas.reset(quota.id));
      });
      const text = `The key ${id} is no longer banned. A running server applies this within 5 seconds.\n`;
      await printResult(invocation, options, { id, bannedUntil: null }, text);
    });
}

function viewUsage(key: ApiKey, decision: Decision | undefined, invocation: Invocation): UsageView {
  const { id, name, plan, quotaId, requestsPerMinute, requestsPerDay } = viewKey(key, invocation);
  const usedOf = (window: Decision['day']) => (window === undefined ? 0 : window.limit - window.remaining);
  const bannedUntil = decision?.bannedUntil;
  return {
    ...{ id, name, plan, quotaId, requestsPerMinute, requestsPerDay },
    usedThisMinute: usedOf(decision?.minute),
    usedThisDay: usedOf(decision?.day),
    bannedUntil: bannedUntil === undefined ? null : isoTime(bannedUntil),
  };
}

function share(used: number, limit: number | null): string {
  return `${formatCount(used)} / ${formatCount(limit)}`;
}
