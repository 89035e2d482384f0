/** Several frames of one entity as one change: the newest state, with what led to it. Pure. */

import type { EntityView, InspectionUpdate } from '../../contract/inspection.ts';

/** Transitions lit at once: with more of them the whole chart would be lit, which says nothing. */
const LIT = 8;

export interface EntityChange {
  readonly view: EntityView;
  /** Newest last. */
  readonly taken: readonly string[];
  readonly events: readonly { readonly at: number; readonly type: string }[];
  /** The entity has reached its end. */
  readonly done: boolean;
}

/** What the frames amount to; undefined when none of them has a state. */
export function changeOf(updates: readonly InspectionUpdate[]): EntityChange | undefined {
  const states = updates.filter((update) => update.type !== '@xstate.event');
  const newest = states.at(-1);
  if (newest === undefined) return undefined;
  const snapshots = updates.filter((frame) => frame.type === '@xstate.snapshot');
  return {
    view: newest.view,
    taken: [...new Set(snapshots.flatMap(({ taken }) => taken))].slice(-LIT),
    events: snapshots.map(({ at, event, steps }) => ({
      at,
      type: steps > 1 ? `${event.type} (${steps} steps)` : event.type,
    })),
    done: newest.snapshot.status === 'done',
  };
}
