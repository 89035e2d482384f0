/**
 * The clients of a simulated run: each submits under an identifier of its own and, when nobody answers or the bus is
 * away, asks the next process under the same identifier, until one says what became of it.
 */

import { ulid } from 'ulid';
import type { Clock } from '../../ports/clock.ts';
import type { Answer } from './api.ts';
import type { Chance } from './chance.ts';
import type { Submission } from './scenario.ts';
import type { SimulatedProcess } from './simulated-process.ts';

/** A client gives up waiting for one process after this long. */
const PATIENCE_MS = 5_000;
const PAUSE_MS = 400;

interface ClientOptions {
  readonly clock: Clock;
  readonly chance: Chance;
  /** The process that listens at a slot now. */
  readonly processAt: (slot: number) => SimulatedProcess | undefined;
  readonly slots: number;
  /** Called with the identifier before it is used. */
  readonly asks: (id: string, submission: Submission) => void;
  readonly answered: (id: string, submission: Submission, by: string, answer: Answer) => void;
}

export class Clients {
  readonly #options: ClientOptions;
  /** Requests that still want an answer. */
  open = 0;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** Sets off the submission at its time, with everything it repeats. */
  plan(submission: Submission): void {
    const { clock, chance, asks } = this.#options;
    const drawn = chance.next();
    this.open += 1 + submission.again.length;
    clock.setTimeout(() => {
      const id = ulid(Math.floor(clock.now()), spread(drawn));
      asks(id, submission);
      this.#ask(id, submission, submission.slot);
      for (const { afterMs, slot } of submission.again) {
        clock.setTimeout(() => this.#ask(id, submission, slot), afterMs);
      }
    }, submission.at);
  }

  #ask(id: string, submission: Submission, slot: number): void {
    const { clock, processAt, slots, answered } = this.#options;
    let settled = false;
    const again = (afterMs: number): void => {
      settled = true;
      clock.clearTimeout(patience);
      clock.setTimeout(() => this.#ask(id, submission, (slot + 1) % slots), afterMs);
    };
    const patience = clock.setTimeout(() => again(PAUSE_MS), PATIENCE_MS);
    const process = processAt(slot);
    if (process === undefined) return again(PAUSE_MS);
    const { target, telecommand, instance, args } = submission;
    const body = { target, telecommand, ...(instance !== undefined && { instance }), args, id };
    // The request arrives in the process, and the answer in the world.
    process.arrivals.setTimeout(async () => {
      const answer = (await process.api?.submit(body)) ?? ({ outcome: 'unavailable' } as const);
      if (settled || !process.alive) return;
      if (answer.outcome === 'unavailable') return again(PAUSE_MS);
      settled = true;
      clock.clearTimeout(patience);
      this.open -= 1;
      answered(id, submission, process.instance, answer);
    }, 1);
  }
}

/** The chance of one identifier from one number. */
function spread(drawn: number): () => number {
  let state = drawn;
  return () => {
    state = (state * 997 + 0.123_456_7) % 1;
    return state;
  };
}
