import { type MemoryUse, measureMemory } from './memory.js';
import { measureNodes, type NodesCost } from './nodes.js';
import { measureSizes, type SizeCost, type SizesEffort } from './sizes.js';

/** The results of the growth benchmark. A part that was not requested is empty. */
export interface Growth {
  readonly sizes: readonly SizeCost[];
  readonly memory: readonly MemoryUse[];
  readonly nodes: readonly NodesCost[];
}

export const growthParts = ['sizes', 'memory', 'nodes'] as const;

/** Measures cost by catalogue size, memory by keys and addresses, and the effect of more nodes. */
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
