/**
 * What an effect of a run finds: a bus in memory, current values that follow it, a mission of two spacecraft, time by
 * hand.
 */

import { readFileSync } from 'node:fs';
import type { Handler, RunAtHand, RunServices } from '../../../../actors/run/services.ts';
import { encodeBatch, type FileSample, type ValueBatch } from '../../../../contract/batch.ts';
import { header } from '../../../../contract/bus/headers.ts';
import { streams } from '../../../../contract/bus/streams.ts';
import { subject } from '../../../../contract/bus/subjects.ts';
import type { Program } from '../../../../contract/program.ts';
import type { RunChartEvent, RunEffect } from '../../../../machines/run/protocol.ts';
import { HandOvers } from '../../../../messaging/hand-overs.ts';
import { compile } from '../../../../mission/compile.ts';
import { load } from '../../../../mission/load.ts';
import type { Mission } from '../../../../mission/mission.ts';
import type { Platform } from '../../../../mission/platform.ts';
import type { MissionSource } from '../../../../ports/mission-source.ts';
import { fileDirectory } from '../../../../telemetry/file-directory.ts';
import { KnownPlatforms } from '../../../../telemetry/reading/known-platforms.ts';
import { targetValues } from '../../../../telemetry/target-values.ts';
import { startValueFeeds } from '../../../../telemetry/value-feeds.ts';
import { TwinServer } from '../../../simulation/twin/server.ts';
import { TwinBus } from '../../../simulation/twin/twin-bus.ts';
import { fairWeather } from '../../../simulation/twin/weather.ts';
import { ManualClock, settled } from '../../../support/manual-clock.ts';
import { noPasses } from '../../../support/passes.ts';
import { keptLog } from '../../../support/silent-log.ts';
import { batch, block } from '../../telecommand/platform.ts';

export const START = Date.parse('2026-03-01T12:00:00Z');
export const RUN = '01J5ZK3M8QW7V9XH2C4T6R8YAC';

const TOPOLOGY = `
topology: effects
environments:
  bench: { identity: declared, human_orchestration: false }
gateways:
  sim-1: { simulated: true, model: cubesat-6u }
drivers:
  pus: { protocol: pus-c }
targets:
  sat1:
    platform: cubesat-6u@1.0.0
    environments: [bench]
    modes: [nominal, safe]
    links:
      uhf: { default: true, driver: pus, transport: { kind: space-packet, apid: 0x73 }, gateway: sim-1 }
  sat2:
    platform: cubesat-6u@1.0.0
    environments: [bench]
    links:
      uhf: { default: true, driver: pus, transport: { kind: space-packet, apid: 0x74 }, gateway: sim-1 }
  probe:
    platform: probe@1.0.0
    environments: [bench]
    links:
      uhf: { default: true, driver: pus, transport: { kind: space-packet, apid: 0x75 }, gateway: sim-1 }
`;

const PROBE = `
platform: probe
version: 1.0.0
components:
  unit:
    measures:
      label: { type: string }
      key: { type: bytes }
      big: { type: u64 }
      ratio: { type: f32 }
      level: { type: f64, unit: dBm }
`;

function missionOf(edit: (text: string) => string = (text) => text): Mission {
  const demo = new URL('../../../../missions/demo/cubesat-6u.yaml', import.meta.url);
  // Its reaction is a procedure of a library that is not flown here.
  const text = readFileSync(demo, 'utf8').replace(', on_raise: run "shed_load"', '');
  const compiled = compile([
    { file: 'cubesat-6u.yaml', text: edit(text) },
    { file: 'probe.yaml', text: PROBE },
    { file: 'topology.yaml', text: TOPOLOGY },
  ]);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.faults, undefined, 1));
  return load(compiled.value.configuration, compiled.value.revision);
}

export const MISSION = missionOf();
/** Its files go by CFDP. */
export const CFDP_MISSION = missionOf((text) =>
  text.replace(/transfer: \{.*\}/, 'transfer: { list: list, checksum: crc32, protocol: cfdp }'),
);
/** Nothing says which generation of a file is written. */
export const NO_GENERATION_MISSION = missionOf((text) =>
  text
    .replace(/ +generation: \{ type: u16, default: 0, description: The writing .*\n/, '')
    .replace('{ type: u16, from: $generation }', '{ type: u16, value: 0 }'),
);
/** Another catalogue: a measure more in front, and voltages in another unit. */
export const LATER_MISSION = missionOf((text) =>
  text
    .replace('  obc:\n', '  aaa:\n    measures:\n      first: { type: u8 }\n  obc:\n')
    .replace('unit: A, raw: i16', 'unit: mA, raw: i16')
    .replace('voltage * current', 'voltage * 1 A'),
);

export const PROGRAM: Program = {
  format: 1,
  config: MISSION.revision,
  procedure: 'check_out',
  library: 'ops@1.0.0',
  environment: 'bench',
  targets: { sat: 'sat1', other: 'sat2' },
  inputs: {},
  policy: { identity: 'declared', humanOrchestration: false, hazardousConfirmation: [] },
  leases: [],
  faults: [],
  sends: false,
  hazardous: false,
  maxDurationMs: 0,
  steps: [],
};

type Row = readonly [atMs: number, ...values: (number | string | null)[]];

export type EffectWorld = Awaited<ReturnType<typeof effectWorld>>;

export async function effectWorld() {
  const clock = new ManualClock(START);
  const server = new TwinServer({ now: () => clock.now(), choose: () => 0 });
  const log = keptLog();
  const open = (name: string): TwinBus =>
    new TwinBus({ server, name, settleMs: 0, outside: clock, inside: clock, weather: fairWeather, log });
  const bus = open('executor');
  /** Lets everything happen that needs no time. */
  const settle = async (): Promise<void> => {
    for (let round = 0; round < 12; round += 1) {
      clock.advance(0);
      await settled();
    }
  };
  const passes = async (ms: number, stepMs = Math.ceil(ms / 20)): Promise<void> => {
    for (let left = ms; left > 0; left -= stepMs) {
      clock.advance(Math.min(left, stepMs));
      await settle();
    }
  };
  const known = new Map([MISSION, LATER_MISSION].map((mission) => [mission.revision, mission]));
  const missions: MissionSource = {
    current: MISSION,
    at: async (revision) => known.get(revision),
    onChange: (listener) => {
      listener(MISSION);
      return () => undefined;
    },
  };
  const feeds = startValueFeeds({ bus, missions, clock, log });
  await settle();
  await feeds.ready;
  const services: RunServices = {
    bus,
    clock,
    handOvers: new HandOvers(clock),
    log,
    missions,
    passes: noPasses,
    platforms: new KnownPlatforms(missions, clock),
    values: targetValues(feeds),
    files: fileDirectory(feeds),
    instance: 'executor-1',
  };
  const at: RunAtHand = { run: RUN, program: PROGRAM, mission: MISSION, by: 'ana', holds: () => true };

  const append = async (target: string, stored: ValueBatch, revision = MISSION.revision): Promise<void> => {
    const headers = { [header.config]: revision };
    void bus.append(streams.values, subject.values(target), encodeBatch(stored), { headers });
    await settle();
  };
  /** Stores samples of one target; times are of now on. */
  const samples = (target: string, keys: readonly string[], ...rows: Row[]): Promise<void> => {
    const platform = MISSION.targets.get(target)!.platform!;
    return append(target, batch(platform, [block(platform, keys, rows)]));
  };
  /** Carries an effect out: what it answered so far, and how to end it. */
  const begin = <Type extends RunEffect['type']>(
    handler: Handler<Type>,
    effect: Extract<RunEffect, { type: Type }>,
    given: Partial<RunAtHand> = {},
  ) => {
    const abort = new AbortController();
    const seen: { event?: RunChartEvent | undefined; over: boolean; error?: unknown } = { over: false };
    handler(effect, { ...at, ...given }, abort.signal).then(
      (event) => Object.assign(seen, { event, over: true }),
      (error) => Object.assign(seen, { error, over: true }),
    );
    return { seen, abort };
  };
  /** The last listing of these files. */
  const list = (target: string, ...listed: Omit<FileSample, 'ground' | 'onboard'>[]): Promise<void> => {
    const platform = MISSION.targets.get(target)!.platform!;
    const times = { ground: clock.now(), onboard: Number.NaN };
    return append(target, { ...batch(platform, []), files: listed.map((each) => ({ ...each, ...times })) });
  };
  return { clock, server, bus, open, settle, passes, services, at, feeds, append, samples, list, begin, log };
}

/** Samples in the columns of another catalogue. */
export function batchIn(
  platform: Platform,
  keys: readonly string[],
  rows: Row[],
  deferred = false,
): ValueBatch {
  return batch(platform, [block(platform, keys, rows)], [], deferred);
}
