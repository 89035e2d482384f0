/**
 * The instruments of the rigs: what they measure is drawn, and stands in the stream of decoded samples as a driver
 * would have put it there. Mission Control Service, sections 2.2 and 4.4 (evaluation).
 *
 * I1. Every measurement is data, so that a failing run is made small by leaving some out.
 * I2. Limits are crossed up and down; samples come late, twice for one moment, without a value, and deferred. Some are
 *     dated on board, as another clock has it.
 * I3. Once nothing goes wrong any more each rig measures a last time, so that everything is known at the end.
 * I4. Stragglers are samples of the spacecraft itself that were taken long before they are received.
 * I5. The level of a rig may be dated by a clock of its own that is wrong, and is set while things go wrong: by more
 *     than a step (decision 6) or by less, forward or back. The last measurement is dated by the later of both errors,
 *     so that it counts (I3).
 */

import { type DecodedBatch, encodeBatch, type SampleBlock } from '../../contract/batch.ts';
import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { load } from '../../mission/load.ts';
import type { Platform } from '../../mission/platform.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Chance } from './chance.ts';
import { type Published, RIG_INSTANCES, TARGETS } from './mission.ts';
import type { TwinServer } from './twin/server.ts';

/** One message of a target. */
export interface Measurement {
  readonly at: number;
  readonly target: string;
  readonly deferred: boolean;
  readonly blocks: readonly MeasuredBlock[];
}

interface MeasuredBlock {
  /** `rig[instance].measure` */
  readonly measures: readonly string[];
  readonly rows: readonly MeasuredRow[];
}

interface MeasuredRow {
  /** How old it is when it is stored. */
  readonly ageMs: number;
  /** The same by its time on board; default: it has none. */
  readonly onboardAgeMs?: number;
  readonly raw: readonly number[];
}

/** Raw values on all sides of the limits; flow is not calibrated outside 0 to 100. */
const LEVELS = [5, 5, 5, 5, 6.5, 6.5, 7.5, 8.3, 8.3, 8.7, 9.5, 1.7, 1.7, 1.2, 0.5, Number.NaN] as const;
const FLOWS = [30, 30, 40, 55, 55, 70, 0.5, 200, Number.NaN] as const;
const COLUMNS: readonly [Names, ...Names[]] = [['level'], ['level', 'flow'], ['flow', 'level'], ['flow']];
const NOMINAL = { level: 5, flow: 30 } as const;

/** Of clocks on board: two of them differ by more than a step, or by less. */
const CLOCK_ERRORS_MS = [
  0, 1_000, -40_000, 300_000, -300_000, 480_000, -420_000, 1_200_000, -900_000,
] as const;

/** Of a scenario. */
const LONG_MS = 60_000;

type Names = readonly ('level' | 'flow')[];

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Everything that is measured while things go wrong. */
export function measurementsOf(chance: Chance, { from, to }: Span): Measurement[] {
  // What is long is about what is forgotten meanwhile, not about how much happens.
  const paceMs = chance.whole(400, 1_200) * (to - from > LONG_MS ? 4 : 1);
  const count = Math.ceil((to - from) / paceMs) * TARGETS.length;
  return Array.from({ length: count }, () => measurementOf(chance, chance.whole(from, to)));
}

/** The clock that dates the level of a rig (I5). */
interface RigClock {
  readonly target: string;
  readonly level: string;
  readonly setAt: number;
  /** How far it is ahead, before and behind that. */
  readonly aheadMs: readonly [number, number];
}

/** Clocks of some rigs. */
export function clocksOf(chance: Chance, { from, to }: Span): RigClock[] {
  return TARGETS.flatMap((target) =>
    RIG_INSTANCES.flatMap((rig) => {
      if (!chance.happens(0.5)) return [];
      const aheadMs = [chance.one(CLOCK_ERRORS_MS), chance.one(CLOCK_ERRORS_MS)] as const;
      return [{ target, level: `rig[${rig}].level`, aheadMs, setAt: chance.whole(from, to) }];
    }),
  );
}

/** The measurements as their clocks date them; the last ones are those that shall count. */
export function datedBy(
  clocks: readonly RigClock[],
  measurements: readonly Measurement[],
  { areLast = false } = {},
): Measurement[] {
  return measurements.map((measurement) => {
    const blocks = measurement.blocks.map((block) => {
      const clock = clocks.find(
        ({ target, level }) => target === measurement.target && block.measures.includes(level),
      );
      if (clock === undefined) return block;
      const [before, behind] = clock.aheadMs;
      const aheadMs = areLast ? Math.max(before, behind) : measurement.at < clock.setAt ? before : behind;
      const rows = block.rows.map((row) => ({ ...row, onboardAgeMs: row.ageMs - aheadMs }));
      return { ...block, rows };
    });
    return { ...measurement, blocks };
  });
}

/** The last ones (I3), in an order by chance: what is outside of its limits then stays active. */
export function lastMeasurementsOf(chance: Chance, at: number): Measurement[] {
  return TARGETS.map((target) => {
    const calm = chance.happens(0.5);
    const blocks = RIG_INSTANCES.map((rig) => {
      const level = calm ? NOMINAL.level : chance.one([5, 8.3, 8.7, 9.5, 1.7, 1.2, 0.5]);
      const flow = calm ? NOMINAL.flow : chance.one([30, 55, 70, 0.5]);
      return blockOf(rig, ['level', 'flow'], [{ ageMs: 0, raw: [level, flow] }]);
    });
    return { at: at + chance.whole(0, 400), target, deferred: false, blocks };
  });
}

function measurementOf(chance: Chance, at: number): Measurement {
  const target = chance.one(TARGETS);
  const deferred = chance.happens(0.1);
  const blocks = Array.from({ length: chance.happens(0.25) ? 2 : 1 }, () => measuredBlock(chance));
  return { at, target, deferred, blocks };
}

/** What the computers of the spacecraft said a while ago, on its way since then (I4). */
export function stragglersOf(chance: Chance, { from, to }: Span): Measurement[] {
  const count = Math.ceil((to - from) / chance.whole(1_500, 6_000));
  return Array.from({ length: count }, () => {
    const ageMs = chance.whole(5_000, 120_000);
    const raw = [chance.whole(0, 2), chance.whole(0, 500), chance.whole(10, 600)];
    const row = { ageMs: chance.happens(0.5) ? 0 : ageMs, onboardAgeMs: ageMs, raw };
    const measures = ['obc.mode', 'obc.counter', 'obc.watchdog'];
    const at = chance.whole(from, to);
    return { at, target: chance.one(TARGETS), deferred: false, blocks: [{ measures, rows: [row] }] };
  });
}

function measuredBlock(chance: Chance): MeasuredBlock {
  const rig = chance.one(RIG_INSTANCES);
  const names = chance.one(COLUMNS);
  const rows = Array.from({ length: chance.happens(0.3) ? chance.whole(2, 4) : 1 }, () => ({
    ageMs: ageOf(chance),
    ...(chance.happens(0.2) && { onboardAgeMs: ageOf(chance) }),
    raw: names.map((name) => (name === 'level' ? chance.one(LEVELS) : chance.one(FLOWS))),
  }));
  return blockOf(rig, names, rows);
}

/** Mostly fresh, often of a moment that another sample is of too, at times late. */
function ageOf(chance: Chance): number {
  const kind = chance.next();
  const late = chance.whole(200, 4_000);
  if (kind < 0.5) return 0;
  return kind < 0.85 ? 20 * Math.floor(late / 1_000) : late;
}

function blockOf(rig: string, names: Names, rows: readonly MeasuredRow[]): MeasuredBlock {
  return { measures: names.map((name) => `rig[${rig}].${name}`), rows };
}

// In the stream -------------------------------------------------------------------------------------------------------

/** Who has stored what is measured here. */
export const INSTRUMENTS = 'instruments';
/** While the server is away an instrument waits. */
const AGAIN_MS = 100;

interface InstrumentsOptions {
  readonly clock: Clock;
  readonly server: TwinServer;
  readonly mission: Published;
}

/** Stores every measurement at its time. */
export function measure(measurements: readonly Measurement[], options: InstrumentsOptions): void {
  const { clock, server, mission } = options;
  const flown = { platform: platformOf(mission), revision: mission.revision };
  for (const [n, measurement] of measurements.entries()) {
    const store = (): void => {
      if (server.up) publish(server, measurement, n, flown);
      else clock.setTimeout(store, AGAIN_MS);
    };
    clock.setTimeout(store, measurement.at);
  }
}

interface Flown {
  readonly platform: Platform;
  readonly revision: string;
}

function publish(
  server: TwinServer,
  { target, deferred, blocks }: Measurement,
  n: number,
  { platform, revision }: Flown,
): void {
  const batch: DecodedBatch = {
    platform: platform.digest,
    link: 'uhf',
    blocks: blocks.map((block) => sampled(block, server.now, platform)),
    reports: [],
  };
  server.publish(server.stream(streams.decoded), {
    subject: subject.decoded(target),
    data: encodeBatch(batch),
    headers: {
      [header.config]: revision,
      ...(deferred && { [header.delivery]: 'deferred' }),
    },
    id: `${INSTRUMENTS}-${n}`,
    expect: undefined,
    writer: `${INSTRUMENTS}.${n}`,
    by: INSTRUMENTS,
    removal: false,
  });
}

function platformOf({ configuration, revision }: Published): Platform {
  const found = load(configuration, revision).targets.get(TARGETS[0])?.platform;
  if (found === undefined) throw new Error('what is measured has no platform');
  return found;
}

function sampled({ measures, rows }: MeasuredBlock, now: number, platform: Platform): SampleBlock {
  return {
    ordinals: Uint32Array.from(measures, (key) => platform.ordinal(key) ?? Number.NaN),
    ground: Float64Array.from(rows, ({ ageMs }) => now - ageMs),
    onboard: Float64Array.from(rows, ({ onboardAgeMs = Number.NaN }) => now - onboardAgeMs),
    raw: Float64Array.from(rows.flatMap(({ raw }) => raw)),
  };
}
