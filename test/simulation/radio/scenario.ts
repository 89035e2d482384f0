/** What a seed of the radio stands for: who asks what and when, which runs hold the board, and what goes wrong. */

import type { BoardHolder } from '../../../actors/sdr/radio/board-user.ts';
import { Chance } from '../chance.ts';
import { type Action, drawAction } from './action.ts';
import { drawFault, type RadioFault } from './fault.ts';

export interface Act {
  /** ms since the start. */
  readonly at: number;
  readonly who: string;
  readonly action: Action;
}

/** A run that takes the board for a while. */
export interface Visit {
  readonly at: number;
  readonly forMs: number;
  readonly holder: BoardHolder;
  readonly acts: readonly {
    readonly afterMs: number;
    readonly action: Action;
    /** Not wanted any more after so long. */
    readonly withdrawnMs?: number;
  }[];
}

export interface RadioScenario {
  readonly seed: number;
  readonly acts: readonly Act[];
  readonly visits: readonly Visit[];
  readonly faults: readonly RadioFault[];
  /** From here on nothing goes wrong. */
  readonly calmAt: number;
}

const CALM_AT_MS = 8_000;
const PEOPLE = ['ada', 'bo', 'cy'] as const;

export function radioScenarioOf(seed: number): RadioScenario {
  const [people, runs, weather] = ['people', 'runs', 'weather'].map(
    (name) => new Chance(seed, `radio ${name}`),
  );
  return {
    seed,
    acts: drawActs(people!),
    visits: Array.from({ length: runs!.whole(0, 3) }, (_, n) => drawVisit(runs!, n)),
    faults: Array.from({ length: weather!.whole(0, 6) }, () =>
      drawFault(weather!, Math.round(weather!.between(0, CALM_AT_MS - 500))),
    ),
    calmAt: CALM_AT_MS,
  };
}

/** In bursts, so that some wait for others. */
function drawActs(chance: Chance): Act[] {
  const acts: Act[] = [];
  for (let burst = chance.whole(2, 6); burst > 0; burst -= 1) {
    const at = chance.between(0, CALM_AT_MS);
    const spreadMs = chance.one([1, 50, 800]);
    for (let n = chance.whole(1, 6); n > 0; n -= 1)
      acts.push({
        at: Math.round(at + chance.between(0, spreadMs)),
        who: chance.one(PEOPLE),
        action: drawAction(chance),
      });
  }
  return acts;
}

function drawVisit(chance: Chance, n: number): Visit {
  const forMs = Math.round(chance.between(100, 3_000));
  return {
    at: Math.round(chance.between(0, CALM_AT_MS - 1_000)),
    forMs,
    holder: { kind: chance.one(['campaign', 'scenario']), id: `run-${n}` },
    acts: Array.from({ length: chance.whole(0, 5) }, () => {
      // Some of them before it holds the board for certain, and behind its release.
      const afterMs = Math.round(chance.between(0, forMs + 100));
      const withdrawnMs = chance.whole(0, 200);
      const action = drawAction(chance);
      return { afterMs, action, ...(chance.happens(0.2) && { withdrawnMs }) };
    }),
  };
}
