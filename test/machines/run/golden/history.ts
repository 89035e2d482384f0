/**
 * Histories of runs as they were recorded from the chart of version 1: what was sent to it, event by event, and what it
 * emitted. A chart of a later version must emit the same (`golden.test.ts`).
 *
 * H1. A line is one history. `emitted` has for its start and for each step the digest of everything emitted, byte for
 *     byte as JSON, and in words what that was, for who has to find the difference.
 */

import { createHash } from 'node:crypto';
import { type AnyActor, createActor } from 'xstate';
import type { RunEvent } from '../../../../contract/run-event.ts';
import { type RestoreOptions, restoredRun } from '../../../../machines/run/fold.ts';
import type { RunChartEvent, RunEffect, RunInput, RunRecord } from '../../../../machines/run/protocol.ts';
import { runMachine } from '../../../../machines/run/run.ts';

type Emitted = RunEffect | RunRecord;

/** An event; or a new owner, who has the log up to this length. */
type Step =
  | { readonly tell: RunChartEvent }
  | { readonly restore: RestoreOptions & { readonly length: number; readonly suspendBy?: string } };

export interface History {
  readonly seed: number;
  readonly input: RunInput;
  readonly script: readonly Step[];
  /** H1 */
  readonly emitted: readonly string[];
}

const NO_CLOCK = { setTimeout: () => undefined, clearTimeout: () => undefined };

/** What the chart emits at its start and at each step; H1. */
export function played({ input, script }: Pick<History, 'input' | 'script'>): string[] {
  const player = new Player(input);
  return [player.begin(), ...script.map((step) => player.take(step))].map(inWords);
}

class Player {
  readonly #input: RunInput;
  #log: RunEvent[] = [];
  #emitted: Emitted[] = [];
  #actor: AnyActor | undefined;

  constructor(input: RunInput) {
    this.#input = input;
  }

  begin(): Emitted[] {
    this.#run({ input: this.#input });
    return this.#taken();
  }

  take(step: Step): Emitted[] {
    if ('restore' in step) return this.#restored(step.restore);
    if (this.#actor?.getSnapshot().status === 'active') this.#actor.send(step.tell);
    return this.#taken();
  }

  #restored({ length, asleep, suspendBy }: Extract<Step, { restore: object }>['restore']): Emitted[] {
    this.#log = this.#log.slice(0, length);
    const { suspendBy: _, ...plain } = this.#input;
    const input = { ...plain, ...(suspendBy !== undefined && { suspendBy }) };
    const { snapshot, effects } = restoredRun({ input, events: this.#log }, { asleep });
    this.#run({ snapshot: JSON.parse(JSON.stringify(snapshot)) });
    return [...this.#taken(), ...effects];
  }

  #run(origin: { input: RunInput } | { snapshot: unknown }): void {
    this.#actor?.stop();
    const actor = createActor(runMachine, { ...origin, clock: NO_CLOCK } as never) as AnyActor;
    actor.on('*', (item) => this.#emitted.push(item as Emitted));
    actor.start();
    this.#actor = actor;
  }

  #taken(): Emitted[] {
    const taken = this.#emitted;
    this.#emitted = [];
    for (const item of taken) if (item.type === 'record') this.#log.push(item.event);
    return taken;
  }
}

/** `4f1a09c2 started, effect.prepare` */
function inWords(emitted: readonly Emitted[]): string {
  const digest = createHash('sha256').update(JSON.stringify(emitted)).digest('hex').slice(0, 16);
  return [digest, ...emitted.map((item) => (item.type === 'record' ? item.event.event : item.type))].join(
    ' ',
  );
}
