/**
 * The wire frames of `@statelyai/inspect`, made by us: with stable ids, so that a page survives a restart, and with the
 * view of the entity beside them (inspection.N1, N2).
 */

import type { AnyMachineSnapshot } from 'xstate';
import type { ActorUpdate, EntityView, EventUpdate, SnapshotUpdate } from '../../contract/inspection.ts';
import { inspectedSnapshot } from './entity-view.ts';

/** The version of `@statelyai/inspect` whose frames these are. */
const FRAME_VERSION = '0.7.2';

/** Where the entity stands when a frame is made. */
export interface Present {
  readonly view: EntityView;
  readonly snapshot: AnyMachineSnapshot | undefined;
  readonly at: number;
}

/** First frame of a watch: what the entity is. */
export function actorUpdate(present: Present, definition: string): ActorUpdate {
  const { view, snapshot } = present;
  return {
    type: '@xstate.actor',
    name: view.id,
    parentId: view.supervisor,
    definition,
    snapshot: inspectedSnapshot(snapshot, view),
    view,
    ...base(present),
  };
}

export function eventUpdate(present: Present, event: { readonly type: string }): EventUpdate {
  return { type: '@xstate.event', event: { ...event }, ...base(present) };
}

/** What the entity has become by `steps` macrosteps, of which `event` was the last. */
export function snapshotUpdate(
  present: Present,
  event: { readonly type: string },
  taken: readonly string[],
  steps: number,
): SnapshotUpdate {
  const { view, snapshot } = present;
  return {
    type: '@xstate.snapshot',
    event: { ...event },
    snapshot: inspectedSnapshot(snapshot, view),
    view,
    taken,
    steps,
    ...base(present),
  };
}

function base({ view, at }: Present) {
  const sessionId = `${view.kind}:${view.id}`;
  return {
    sessionId,
    rootId: sessionId,
    createdAt: String(at),
    id: null,
    _version: FRAME_VERSION,
    revision: view.revision,
    at,
  } as const;
}
