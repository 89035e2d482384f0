/**
 * The weather of one simulated process: ordinary delays from its own sequence of chance, and the faults that are on.
 */

import { Chance } from './chance.ts';
import { PROMPT, type Service, type Weather } from './twin/weather.ts';

/** Faults that are on for one process now. */
export interface Conditions {
  lossRate: number;
  doublingRate: number;
  lagMs: number;
  pullLagMs: number;
  service: { readonly of: 'driver' | 'gateway'; readonly how: Service } | undefined;
  /** What happens to the process at a step, when it has been reached `left` more times. */
  mine:
    | {
        readonly step: string;
        readonly phase: 'asked' | 'done';
        left: number;
        readonly sprung: (where: string) => void;
      }
    | undefined;
}

export function calm(): Conditions {
  return { lossRate: 0, doublingRate: 0, lagMs: 0, pullLagMs: 0, service: undefined, mine: undefined };
}

/** Reconnecting takes the adapter about that long. */
const DIAL_MS = 100;
const DIAL_SPREAD_MS = 50;
/** One hop inside a site. */
const HOP_MS = 0.3;
const HOP_SPREAD_MS = 2;

interface ProcessWeatherOptions {
  readonly seed: number;
  readonly instance: string;
  /** Shared by the lives of a slot. */
  readonly conditions: Conditions;
  /** Whether streams and buckets answer. */
  readonly isHeard: () => boolean;
}

export function processWeather({ seed, instance, conditions, isHeard }: ProcessWeatherOptions): Weather {
  const hops = new Chance(seed, `${instance} hops`);
  const losses = new Chance(seed, `${instance} losses`);
  return {
    latencyMs: () => HOP_MS + HOP_SPREAD_MS * hops.next() ** 4 + conditions.lagMs * hops.next(),
    pullMs: () => HOP_MS + HOP_SPREAD_MS * hops.next() + conditions.pullLagMs * hops.next(),
    dialMs: () => DIAL_MS + DIAL_SPREAD_MS * hops.next(),
    losesMessage: () => losses.happens(conditions.lossRate),
    doublesRequest: () => losses.happens(conditions.doublingRate),
    isHeard,
    service: (subject) => {
      const { service } = conditions;
      return service !== undefined && subject.startsWith(`mcs.ctl.rpc.${service.of}.`) ? service.how : PROMPT;
    },
    reached: (what, phase) => {
      const { mine } = conditions;
      if (mine === undefined || mine.phase !== phase || !what.startsWith(mine.step)) return;
      mine.left -= 1;
      if (mine.left > 0) return;
      conditions.mine = undefined;
      mine.sprung(`${phase} ${what}`);
    },
  };
}
