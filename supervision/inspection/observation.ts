/**
 * Looks at one actor from outside: each step it takes with the transitions taken on the way. Attached on demand,
 * because an observer halves the rate of an actor.
 *
 * C8. An observer that throws never touches the actor: xstate runs observers inside the step, and a throw there leaves
 *     the mailbox unfinished for good. What is thrown is caught here, and the sink is called no more.
 */

import type { AnyActor, AnyMachineSnapshot } from 'xstate';
import type { EntityEvent } from '../../ports/entity.ts';

/** One macrostep: an event, and where it led. */
export interface Step {
  readonly event: EntityEvent;
  readonly snapshot: AnyMachineSnapshot;
  /** Transition definitions of the chart, in the order they were taken. */
  readonly taken: readonly object[];
}

export interface StepSink {
  stepped(step: Step): void;
  /** The sink threw; it is called no more. */
  failed?(error: unknown): void;
}

interface Seen {
  readonly type: string;
  readonly actorRef: unknown;
  readonly event?: EntityEvent;
  readonly snapshot?: unknown;
  readonly _transitions?: readonly object[];
}

/** Gives the sink each step of the actor from now on, until the function it returns is called. */
export function observe(actor: AnyActor, sink: StepSink): () => void {
  let taken: object[] = [];
  const look = (seen: Seen): void => {
    if (seen.actorRef !== actor) return;
    if (seen.type === '@xstate.microstep') taken.push(...(seen._transitions ?? []));
    if (seen.type !== '@xstate.snapshot') return;
    const step = { event: seen.event, snapshot: seen.snapshot, taken } as Step;
    taken = [];
    // A stopped actor has forgotten where it was: that is no step.
    if (step.snapshot.status !== 'stopped') sink.stepped(step);
  };
  const attached = actor.system.inspect((seen: unknown) => {
    try {
      look(seen as Seen);
    } catch (error) {
      attached.unsubscribe();
      report(sink, error);
    }
  });
  return () => attached.unsubscribe();
}

function report(sink: StepSink, error: unknown): void {
  try {
    sink.failed?.(error);
  } catch {
    // Whoever throws here has thrown already: there is nobody else to report (C8).
  }
}
