import { type MemoryUse, measureMemory } from './memory.js';
import { measureNodes, type NodesCost } from './nodes.js';
import { measureSizes, type SizeCost, type SizesEffort } from './sizes.js';

/** What is measured of how the service grows. A part that was not asked for is empty. */
export interface Growth {
  readonly sizes: readonly SizeCost[];
  readonly memory: readonly MemoryUse[];
  readonly nodes: readonly NodesCost[];
}

export const growthParts = ['sizes', 'memory', 'nodes'] as const;

/** Measures how cost grows with the catalogue, memory with keys and addresses, and what a second node brings. */
export async function measureGrowth(
  parts: readonly string[],
  effort: Pick<SizesEffort, 'rounds' | 'seconds'>,
): Promise<Growth> {
  return {
    sizes: parts.includes('sizes')
      ? await measureSizes({ ...effort, sizes: [1000, 10_000, 100_000, 1_000_000, 5_000_000] })
      : [],
    memory: parts.includes('memory') ? await measureMemory() : [],
    nodes: parts.includes('nodes') ? await measureNodes(effort) : [],
  };
}
