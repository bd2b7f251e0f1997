import type { Handler } from '../../contract/types.js';
import { Refusal } from '../../domain/refusal.js';

/** Reserved: the specification names the operation and does not give its shape. */
export function listOrders(): Handler<'listOrders'> {
  return () => Promise.reject(new Refusal('not_implemented', 'listOrders is reserved and not implemented.'));
}
