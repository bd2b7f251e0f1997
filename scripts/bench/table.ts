import Table from 'cli-table3';

/** Creates an empty table: columns of text, then columns of numbers. */
export function tableOf(head: string[], textColumns = 1): InstanceType<typeof Table> {
  const colAligns = head.map((_, index) => (index < textColumns ? ('left' as const) : ('right' as const)));
  return new Table({ head, colAligns, style: { head: [], border: [] } });
}

/** Whether a value meets its target, in words; empty without a target. */
export function verdictOf(measured: number, bound: '≤' | '≥', target: number | undefined): string {
  if (target === undefined) return '';
  const isMet = bound === '≤' ? measured <= target : measured >= target;
  return `${bound} ${String(target)} ${isMet ? 'met' : 'missed'}`;
}
