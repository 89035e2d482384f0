/**
 * The one frame of an entity that lives nowhere any more: what its log left, in the wire form of `@statelyai/inspect`.
 */

import type { ActorUpdate, EntityView } from '../../contract/inspection.ts';

/** Version of the wire form the frames have. */
const WIRE_VERSION = '0.7.2';

/** The frame; `value` is the state as text, because no chart is here to nest it. */
export function finishedUpdate(view: EntityView): ActorUpdate {
  const sessionId = `${view.kind}:${view.id}`;
  return {
    type: '@xstate.actor',
    name: view.id,
    sessionId,
    rootId: sessionId,
    createdAt: `${view.at}`,
    id: null,
    _version: WIRE_VERSION,
    revision: view.revision,
    at: view.at,
    definition: JSON.stringify({ id: view.chart.kind }),
    snapshot: {
      status: view.status === 'finished' ? 'done' : 'active',
      value: view.state,
      context: view.context,
      children: {},
      tags: [],
    },
    view,
  };
}
