/** A client that asks one process after the other until one says something. */

import type { Clock } from '../../ports/clock.ts';
import type { Api, Told } from './api.ts';
import type { SimulatedProcess } from './simulated-process.ts';

const PAUSE_MS = 400;

export interface Asking {
  readonly clock: Clock;
  /** The process that listens at a slot now. */
  readonly processAt: (slot: number) => SimulatedProcess | undefined;
  readonly slots: number;
}

interface Question {
  readonly slot: number;
  /** How long one process is waited for. */
  readonly patienceMs: number;
  readonly ask: (api: Api) => Promise<Told>;
  readonly answered: (reported: Exclude<Told, { outcome: 'unavailable' }>, by: string) => void;
  /** Whether it is still worth asking; default: for ever. */
  readonly wanted?: () => boolean;
  readonly givenUp?: () => void;
}

/** Asks until an answer has come that is one. */
export function persist(asking: Asking, question: Question): void {
  const { clock, processAt, slots } = asking;
  const { slot, patienceMs, ask, answered, wanted = () => true, givenUp } = question;
  let settled = false;
  const again = (): void => {
    settled = true;
    clock.clearTimeout(patience);
    clock.setTimeout(() => {
      if (wanted()) persist(asking, { ...question, slot: (slot + 1) % slots });
      else givenUp?.();
    }, PAUSE_MS);
  };
  const patience = clock.setTimeout(again, patienceMs);
  const process = processAt(slot);
  if (process === undefined) return again();
  // The request arrives in the process, and the answer in the world.
  process.arrivals.setTimeout(async () => {
    const announced =
      process.api === undefined ? ({ outcome: 'unavailable' } as const) : await ask(process.api);
    if (settled || !process.alive) return;
    if (announced.outcome === 'unavailable') return again();
    settled = true;
    clock.clearTimeout(patience);
    answered(announced, process.instance);
  }, 1);
}
