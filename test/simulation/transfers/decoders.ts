/**
 * The processes that decode files of stored telemetry in a simulated run: the real service of the drivers, each life on
 * a bus and a clock of its own. They are killed in the middle, are slow, silent, or refuse.
 */

import { Registry } from 'prom-client';
import { subject } from '../../../contract/bus/subjects.ts';
import { type DecodeFileReply, readDecodeFileCall } from '../../../contract/file-decoding.ts';
import { startFileDecoding } from '../../../links/files/file-decoding-service.ts';
import { load } from '../../../mission/load.ts';
import type { Bus } from '../../../ports/bus.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { HeapClock } from '../../../supervision/clock.ts';
import { decodedFiles } from '../../../supervision/metrics/decoded-files.ts';
import { TestMissions } from '../../support/missions.ts';
import { keptLog } from '../../support/silent-log.ts';
import { altered } from '../planted/plant.ts';
import { ProcessClock } from '../process-clock.ts';
import { type Conditions, calm, processWeather } from '../process-weather.ts';
import type { TwinServer } from '../twin/server.ts';
import { TwinBus } from '../twin/twin-bus.ts';
import { PROMPT, type Service } from '../twin/weather.ts';
import { DECODERS, type DecodingTrouble } from './decoding-troubles.ts';
import { filesMission } from './mission.ts';

interface DecodersOptions {
  readonly seed: number;
  readonly clock: HeapClock;
  readonly server: TwinServer;
  /** Streams have no leader. */
  readonly isSilent: () => boolean;
  /** Puts a planted defect between one of them and its bus. */
  readonly wrapBus: ((bus: Bus, instance: string) => Bus) | undefined;
  readonly tell: (what: string) => void;
}

/** One place, with what waits to happen there (decoding-troubles.D1). */
interface Place {
  readonly conditions: Conditions;
  lives: number;
  life: { readonly bus: TwinBus; readonly clock: ProcessClock } | undefined;
  service: Service;
  /** The next pause takes so much longer. */
  slowMs: number;
  refuses: boolean;
}

const REFUSED: DecodeFileReply = { outcome: 'not_decodable', reason: 'nobody here knows it' };

export class Decoders {
  /** Objects of which one of them has said that nobody decodes them. */
  readonly refused = new Set<string>();
  readonly #options: DecodersOptions;
  readonly #places: Place[] = [];

  constructor(options: DecodersOptions) {
    this.#options = options;
    for (let n = 0; n < DECODERS; n += 1)
      this.#places.push({
        conditions: calm(),
        lives: 0,
        life: undefined,
        service: PROMPT,
        slowMs: 0,
        refuses: false,
      });
  }

  start(): void {
    for (const [n] of this.#places.entries()) this.#begin(n);
  }

  /** decoding-troubles.D1 */
  strike(trouble: DecodingTrouble): void {
    const place = this.#places[trouble.which]!;
    switch (trouble.how) {
      case 'dies': {
        const { step, phase, nth, backMs } = trouble;
        const sprung = (where: string): void => this.#kill(trouble.which, where, backMs);
        place.conditions.mine = { step, phase, left: nth, sprung };
        return;
      }
      case 'slow':
        place.slowMs = trouble.forMs;
        return;
      case 'late':
        place.service = { ...PROMPT, beforeMs: trouble.forMs };
        return;
      case 'silent':
        place.service = { ...PROMPT, fails: true };
        return;
      case 'refuses':
        place.refuses = true;
    }
  }

  #kill(n: number, where: string, backMs: number): void {
    const place = this.#places[n]!;
    this.#options.tell(`decoder-${n} dies: ${where}`);
    place.life?.bus.cut();
    place.life?.clock.end();
    place.life = undefined;
    this.#options.clock.setTimeout(() => this.#begin(n), backMs);
  }

  #begin(n: number): void {
    const { seed, clock: world, server, isSilent, wrapBus } = this.#options;
    const place = this.#places[n]!;
    place.lives += 1;
    const instance = `decoder-${n}-${place.lives}`;
    const clock = new ProcessClock(world, 0);
    const weather = processWeather({
      seed,
      instance,
      conditions: place.conditions,
      isHeard: () => !isSilent(),
    });
    const log = keptLog();
    const bus = new TwinBus({
      server,
      name: instance,
      outside: world,
      inside: clock,
      arrivals: clock.arrivals,
      pulled: clock.pulled,
      weather: { ...weather, service: (about) => this.#serviceOf(place, about) },
      log,
    });
    place.life = { bus, clock };
    const mission = filesMission();
    const seen = this.#refusing(place, bus);
    startFileDecoding({
      bus: wrapBus?.(seen, instance) ?? seen,
      clock: slowed(clock, place),
      log,
      missions: new TestMissions(load(mission.configuration, mission.revision)),
      count: decodedFiles(new Registry()),
    });
  }

  #serviceOf(place: Place, about: string): Service {
    if (about !== subject.fileDecode(about.split('.').at(-1) ?? '')) return PROMPT;
    const { service } = place;
    place.service = PROMPT;
    return service;
  }

  #refusing(place: Place, bus: Bus): Bus {
    return altered(bus, {
      serve: (about, answer, options) =>
        bus.serve(
          about,
          async (message) => {
            if (!place.refuses) return answer(message);
            place.refuses = false;
            this.refused.add(readDecodeFileCall(message.data)?.object ?? '');
            return Buffer.from(JSON.stringify(REFUSED));
          },
          options,
        ),
    });
  }
}

/** The clock of what decodes: one pause may take long. */
function slowed(clock: ProcessClock, place: Place): Clock {
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    setTimeout: (fire, ms) => {
      const { slowMs } = place;
      place.slowMs = 0;
      return clock.setTimeout(fire, ms + slowMs);
    },
    clearTimeout: (handle) => clock.clearTimeout(handle),
  };
}
