/** Who led the transfers when: one term for each time that somebody took the lead. */

import { bodyOf, keyOf } from '../run-history.ts';
import type { StoredMessage } from '../twin/stored-stream.ts';
import type { FileHistory } from './history.ts';

export interface Term {
  readonly owner: string;
  readonly epoch: number;
  /** Place of the write that took it. */
  readonly order: number;
}

/** In their order; renewals name the epoch of their owner. */
export function termsOf(leases: readonly StoredMessage[]): Term[] {
  const terms: Term[] = [];
  for (const message of leases) {
    const { owner, after = 0 } = bodyOf<{ owner: string | null; after?: number }>(message);
    const last = terms.at(-1);
    if (owner === null || (last?.owner === owner && last.epoch === after + 1)) continue;
    terms.push({ owner, epoch: Math.max(message.seq, after + 1), order: message.order });
  }
  return terms;
}

/**
 * Keys of transfers of which a leader stored a part when another one led already: what it had on its way then may lie
 * over a longer part, whose other bytes are asked for once more (parts.G2).
 */
export function lateParts({ objects, leases }: Pick<FileHistory, 'objects' | 'leases'>): ReadonlySet<string> {
  const terms = termsOf(leases);
  const late = objects.filter(({ by, order, removal }) => {
    const leader = terms.findLast((term) => term.order < order)?.owner;
    return !removal && leader !== by;
  });
  return new Set(late.map((message) => keyOf(message).split('.').slice(0, 3).join('.')));
}
