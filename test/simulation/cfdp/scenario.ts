/** What a seed stands for: a link with its weather, entities, files to bring down and up, and what happens on the way. */

import { Chance } from '../chance.ts';

/** Which end of the link. */
export type End = 'ground' | 'space';

export interface LinkWeather {
  readonly bytesPerSecond: number;
  readonly loss: number;
  readonly duplication: number;
  readonly delayMs: number;
  /** A PDU takes so much longer at most: it is overtaken. */
  readonly jitterMs: number;
}

export interface Outage {
  readonly at: number;
  readonly forMs: number;
  /** Which ends are informed; what others send is lost. */
  readonly informed: readonly End[];
}

export type Act =
  | { readonly at: number; readonly do: 'restart'; readonly end: End; readonly forMs: number }
  | { readonly at: number; readonly do: 'suspend'; readonly file: string; readonly forMs: number }
  | { readonly at: number; readonly do: 'cancel'; readonly file: string };

export interface FileOrder {
  readonly at: number;
  readonly name: string;
  readonly size: number;
  readonly direction: 'down' | 'up';
}

export interface CfdpScenario {
  readonly seed: number;
  readonly down: LinkWeather;
  readonly up: LinkWeather;
  readonly outages: readonly Outage[];
  readonly acts: readonly Act[];
  readonly files: readonly FileOrder[];
  readonly settings: {
    readonly pduBytes: number;
    readonly idBytes: number;
    readonly sequenceBytes: number;
    readonly crc: boolean;
    readonly crcRequired: boolean;
    readonly checksumType: number;
    readonly naks: 'immediate' | 'deferred';
  };
  /** From then on nothing is lost and nobody acts. */
  readonly calmAt: number;
  /** Little is lost, and both ends know of each outage: then nothing may fail. */
  readonly isGentle: boolean;
}

const HOUR_MS = 3_600_000;
/** Five PDUs in a row are lost once in a million times, with their answers. */
const GENTLE_LOSS = 0.04;

export function cfdpScenarioOf(seed: number): CfdpScenario {
  const chance = new Chance(seed, 'cfdp');
  const calmAt = chance.whole(60, 900) * 1_000;
  const crc = chance.happens(0.7);
  const isGentle = new Chance(seed, 'gentle').happens(0.5);
  const most = isGentle ? GENTLE_LOSS : 0.3;
  const acts = actsOf(new Chance(seed, 'acts'), calmAt);
  const outages = outagesOf(new Chance(seed, 'outages'), calmAt);
  return {
    seed,
    calmAt,
    isGentle,
    down: weatherOf(new Chance(seed, 'down'), 2_000, 40_000, most),
    up: weatherOf(new Chance(seed, 'up'), 500, 8_000, most),
    settings: {
      pduBytes: chance.one([128, 256, 512, 1_024, 2_048]),
      idBytes: chance.whole(1, 8),
      sequenceBytes: chance.whole(1, 8),
      crc,
      crcRequired: crc,
      checksumType: chance.one([0, 0, 2, 3, 15]),
      naks: chance.happens(0.7) ? 'immediate' : 'deferred',
    },
    files: filesOf(new Chance(seed, 'files'), calmAt),
    outages: isGentle ? outages.map((outage) => ({ ...outage, informed: ['ground', 'space'] })) : outages,
    acts: isGentle ? [] : acts,
  };
}

function weatherOf(chance: Chance, slowest: number, fastest: number, most: number): LinkWeather {
  return {
    bytesPerSecond: chance.between(slowest, fastest),
    loss: chance.happens(0.3) ? 0 : chance.between(0, most),
    duplication: chance.happens(0.5) ? 0 : chance.between(0, 0.2),
    delayMs: chance.between(5, 600),
    jitterMs: chance.happens(0.5) ? 0 : chance.between(0, 800),
  };
}

function filesOf(chance: Chance, calmAt: number): FileOrder[] {
  return Array.from({ length: chance.whole(1, 5) }, (_, n) => ({
    at: chance.between(0, calmAt / 2),
    name: `file-${n}`,
    size: chance.happens(0.15) ? 0 : Math.floor(2 ** chance.between(0, 18)),
    direction: chance.happens(0.6) ? ('down' as const) : ('up' as const),
  }));
}

function outagesOf(chance: Chance, calmAt: number): Outage[] {
  const outages: Outage[] = [];
  const number = chance.whole(0, 4);
  for (let n = 0, at = 0; n < number; n += 1) {
    at += chance.between(1_000, calmAt / 3);
    const forMs = chance.happens(0.2) ? chance.between(0.1, 2) * HOUR_MS : chance.between(100, 90_000);
    const informed = chance.one<readonly End[]>([['ground', 'space'], ['ground', 'space'], ['ground'], []]);
    outages.push({ at, forMs, informed });
    at += forMs;
  }
  return outages.filter(({ at }) => at < calmAt);
}

function actsOf(chance: Chance, calmAt: number): Act[] {
  const acts = Array.from({ length: chance.whole(0, 5) }, (): Act => {
    const at = chance.between(0, calmAt);
    const file = `file-${chance.whole(0, 4)}`;
    const kind = chance.one(['restart', 'restart', 'suspend', 'suspend', 'cancel'] as const);
    if (kind === 'cancel') return { at, do: 'cancel', file };
    if (kind === 'suspend') return { at, do: 'suspend', file, forMs: chance.between(100, 120_000) };
    const end = chance.one(['ground', 'space'] as const);
    return { at, do: 'restart', end, forMs: chance.between(1_000, 60_000) };
  });
  return acts.sort((a, b) => a.at - b.at);
}
