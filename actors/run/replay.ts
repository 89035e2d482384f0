/**
 * The events that the chart of a run received, read back from its log alone: for replaying any run, alive or long over.
 * Architecture, "The inspector".
 *
 * A1. The chart receives again what the log implies, event by event, so the tickets of replies are those it gives out.
 * A2. At a takeover the chart is put where the new owner began (`foldRun`), as it was then.
 * A3. What a log does not say (the roles of who answered, how a text was asked for) is filled in so that the same is
 *     logged.
 * A4. Where the chart does not follow its log, as of another version, it is put where the log stands.
 * A5. Nothing is logged behind `finished`: what the chart receives after that is replayed together with it, so the
 *     history comes to its end.
 * A6. The work is bounded, an executor has other things to do: the newest `INSPECT_HISTORY_STEPS` events are given, a
 *     chart that has lost its log `LOST_MOST` times is moved to its end only, and so is that of a log longer than
 *     `FOLLOWED_MOST`.
 */

import { type AnyActor, createActor } from 'xstate';
import { INSPECT_HISTORY_STEPS } from '../../contract/limits/inspect.ts';
import type { RunEvent } from '../../contract/run-event.ts';
import { isUlid } from '../../contract/token.ts';
import { restoredRun } from '../../machines/run/fold.ts';
import type { RunChartEvent, RunInput } from '../../machines/run/protocol.ts';
import { awaitedTicket, type RunSnapshot, runMachine, underWay } from '../../machines/run/run.ts';
import type { Bus } from '../../ports/bus.ts';
import type { EntityLog, LoggedStep } from '../../ports/entity.ts';
import { Programs } from './programs.ts';
import { impliedEvent } from './replay-event.ts';
import { readRunLog } from './run-log.ts';

/** How many events one event of a log may imply: a command, a reply, and another statement's silent end before it. */
const TOLD_FOR_ONE = 64;
/** A few moments of another version are bridged; a log that is another chart's is only shown. */
const LOST_MOST = 20;
/** About a second of work. */
const FOLLOWED_MOST = 5_000;
/** The chart of a run sets no timer. */
const NO_CLOCK = { setTimeout: () => undefined, clearTimeout: () => undefined };

/** The log of a run; undefined when it has none, or its program is no longer known. Throws `Outage`. */
export async function runHistory(bus: Bus, run: string): Promise<EntityLog | undefined> {
  if (!isUlid(run)) return undefined;
  const events = (await readRunLog(bus, run)).map(({ event }) => event);
  const [first] = events;
  if (first?.event !== 'started') return undefined;
  const program = await new Programs(bus).of(first.ir);
  if (typeof program === 'string') return undefined;
  const { ir, by, at } = first;
  const input: RunInput = { run, ir, program, at: Date.parse(at), ...(by !== undefined && { by }) };
  const steps = stepsOf(input, events);
  return { input, byTurn: true, steps, from: events.length - steps.length + 1 };
}

/** The newest steps of a log that begins with `started` (A6). */
export function stepsOf(input: RunInput, events: readonly RunEvent[]): LoggedStep[] {
  const first = Math.max(0, events.length - INSPECT_HISTORY_STEPS);
  const replayed = new ReplayedRun(input, events);
  const steps = events.map((_, index) => replayed.step(index, index === first && first > 0));
  return steps.slice(first);
}

class ReplayedRun {
  readonly #input: RunInput;
  readonly #events: readonly RunEvent[];
  #actor: AnyActor;
  #losses: number;

  constructor(input: RunInput, events: readonly RunEvent[]) {
    this.#input = input;
    this.#events = events;
    this.#losses = events.length > FOLLOWED_MOST ? LOST_MOST : 0;
    this.#actor = begun({ input });
  }

  /** `isFirst`: what the chart received before is not given, so the step says where the chart stood. */
  step(index: number, isFirst: boolean): LoggedStep {
    const event = this.#events[index]!;
    if (this.#losses >= LOST_MOST && event.event !== 'finished') return shownOnly(event);
    const stood = isFirst ? runMachine.getPersistedSnapshot(this.#actor.getSnapshot() as never) : undefined;
    const from = event.event === 'taken_over' ? this.#restore(index, false) : stood;
    const told = this.#tell(index);
    const lost = this.#follows(event) ? undefined : this.#restore(index + 1, true);
    if (lost !== undefined) this.#losses += 1;
    const put = lost ?? from;
    const behind = event.event === 'finished' ? this.#tellEnd(event) : [];
    return {
      ...shownOnly(event),
      ...(put !== undefined && { put }),
      told: [...(lost === undefined ? told : []), ...behind],
    };
  }

  /** A5 */
  #tellEnd({ at }: RunEvent): RunChartEvent[] {
    const ticket = awaitedTicket(this.#snapshot);
    if (ticket === undefined || underWay(this.#snapshot) !== 'releasing') return [];
    const released = { type: 'released', at: Date.parse(at), ticket } as const;
    this.#actor.send(released);
    return [released];
  }

  /** Sends what leads to the event, unless an earlier turn has logged it already. */
  #tell(index: number): RunChartEvent[] {
    const told: RunChartEvent[] = [];
    const event = this.#events[index]!;
    const rest = this.#events.slice(index + 1);
    while (this.#snapshot.context.progress.seq < event.seq && told.length < TOLD_FOR_ONE) {
      const implied = impliedEvent(this.#snapshot, event, rest);
      if (implied === undefined || this.#actor.getSnapshot().status !== 'active') break;
      told.push(implied);
      this.#actor.send(implied);
    }
    return told;
  }

  #follows({ seq }: RunEvent): boolean {
    return this.#actor.getSnapshot().status !== 'error' && this.#snapshot.context.progress.seq >= seq;
  }

  get #snapshot(): RunSnapshot {
    return this.#actor.getSnapshot() as RunSnapshot;
  }

  #restore(length: number, asleep: boolean): unknown {
    const folded = { input: this.#input, events: this.#events.slice(0, length) };
    const { snapshot } = restoredRun(folded, { asleep });
    this.#actor = begun({ snapshot });
    return snapshot;
  }
}

function shownOnly(event: RunEvent): LoggedStep {
  return {
    at: Date.parse(event.at),
    event: event.event,
    ...('reason' in event && event.reason !== undefined && { detail: event.reason }),
    record: event,
    told: [],
  };
}

function begun(origin: { input: RunInput } | { snapshot: unknown }): AnyActor {
  const actor = createActor(runMachine, { ...origin, clock: NO_CLOCK } as never) as AnyActor;
  // One that throws is put where the log says (A4).
  actor.subscribe({ error: () => undefined });
  actor.start();
  return actor;
}
