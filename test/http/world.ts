/**
 * The real front end on a real bus, with a mission that has a way into every refusal: one target with three links, one
 * engaged in two environments, one whose catalogue is missing.
 */

import { Registry } from 'prom-client';
import { followerCredentials, unitCredentials } from '../../bus/follower-credentials.ts';
import type { NatsBus } from '../../bus/nats-bus.ts';
import { encodeBatch, type ValueBatch } from '../../contract/batch.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { TargetHolds } from '../../contract/target-holds.ts';
import type { TcEvent } from '../../contract/telecommand.ts';
import { startFrontEnd } from '../../http/front-end.ts';
import type { FrontEnd } from '../../http/serve.ts';
import { MissionTokens } from '../../identity/mission-tokens.ts';
import { type Books, openBooks } from '../../messaging/books.ts';
import { compile } from '../../mission/compile.ts';
import { load } from '../../mission/load.ts';
import type { AuthSettings, Mission } from '../../mission/mission.ts';
import type { Clock } from '../../ports/clock.ts';
import type { MissionSource } from '../../ports/mission-source.ts';
import { type RunningValueFeeds, startValueFeeds } from '../../telemetry/value-feeds.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import { until } from '../support/until.ts';
import { memoryLog, realClock } from './fixture.ts';

const PLATFORM = `
platform: box
version: 1.0.0
enums:
  Mode: { SAFE: 1, NOMINAL: 2 }
components:
  obc:
    measures:
      counter: { type: u16 }
      mode: { type: Mode, raw: u8 }
      temperature: { type: f64, unit: degC, raw: i16, calibration: { polynomial: [0, 0.01] } }
    telecommands:
      ping: { changes_state: false }
      reset: {}
      set_rate:
        args:
          period: { type: u16, unit: s, range: [10 s, 600 s], default: 60 s }
          level: { type: f64, unit: V }
          mode: { type: Mode, default: SAFE }
  battery:
    instances: ["1", "2"]
    measures:
      voltage: { type: f64, unit: V }
    telecommands:
      reset: {}
      heat: { args: { on: { type: bool, default: true } } }
  camera:
    measures:
      images: { type: u16 }
    telecommands:
      shoot: {}
`;

const TOPOLOGY = `
topology: test
environments:
  bench: { identity: declared, human_orchestration: false }
  flight: { identity: declared, human_orchestration: false }
gateways:
  gw-1: { simulated: true }
  gw-2: { simulated: true }
  gw-out: {}
drivers:
  enc-1: { protocol: space-packet }
targets:
  sat1:
    platform: box@1.0.0
    environments: [bench]
    links:
      uhf: { default: true, driver: enc-1, gateway: gw-1 }
      sband: { driver: enc-1, gateway: gw-1, components: [camera] }
      bare: { gateway: gw-1 }
  sat2:
    platform: box@1.0.0
    environments: [bench, flight]
    links:
      uhf: { default: true, driver: enc-1, environments: { bench: { gateway: gw-1 }, flight: { gateway: gw-2 } } }
  ghost:
    platform: nowhere@1.0.0
    environments: [bench]
    links:
      uhf: { default: true, driver: enc-1, gateway: gw-1 }
`;

export function testMission(platform: string = PLATFORM): Mission {
  const compiled = compile([
    { file: 'platform.yaml', text: platform },
    { file: 'topology.yaml', text: TOPOLOGY },
  ]);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.faults, null, 2));
  return load(compiled.value.configuration, compiled.value.revision);
}

/** Settings of an identity provider that is never asked: a malformed token is refused before. */
export const PROVIDER: AuthSettings = { issuer: 'https://id.example', audience: 'mission' };

/** A mission source the test publishes to. */
export function missionSource(): Omit<MissionSource, 'known'> & {
  known: boolean;
  publish(mission: Mission | undefined): void;
} {
  const listeners = new Set<(mission: Mission) => void>();
  const known = new Map<string, Mission>();
  let current: Mission | undefined;
  return {
    known: true,
    get current() {
      return current;
    },
    at: async (revision) => known.get(revision),
    onChange(listener) {
      listeners.add(listener);
      if (current !== undefined) listener(current);
      return () => listeners.delete(listener);
    },
    publish(mission) {
      current = mission;
      if (mission === undefined) return;
      known.set(mission.revision, mission);
      for (const listener of listeners) listener(mission);
    },
  };
}

export interface World {
  readonly nats: TestNats;
  readonly bus: NatsBus;
  readonly missions: ReturnType<typeof missionSource>;
  readonly mission: Mission;
  readonly passes: Books['passes'];
  readonly books: Books;
  readonly values: RunningValueFeeds;
  readonly frontEnd: FrontEnd;
  readonly url: string;
  readonly log: ReturnType<typeof memoryLog>;
  /** Another instance of the service on the same cell; of what it waits for `clock` says how long that takes. */
  another(clock?: Clock): Promise<FrontEnd>;
  hold(target: string, holders: TargetHolds['holders']): Promise<void>;
  event(target: string, event: TcEvent): Promise<void>;
  /** Values of `obc.counter` and battery voltages on the value stream. */
  sample(
    target: string,
    key: string,
    value: number,
    groundMs: number,
    options?: Partial<ValueBatch>,
  ): Promise<void>;
  stop(): Promise<void>;
}

/** Of what its front end waits for `clock` says how long that takes. */
export async function startWorld(clock = realClock): Promise<World> {
  const nats = await startNats();
  const bus = await nats.connected();
  await bus.ensureAssets({ deadlineMs: 20_000 });
  const missions = missionSource();
  const mission = testMission();
  missions.publish(mission);
  const log = memoryLog();
  const tokens = new MissionTokens({ missions, clock: realClock, log, fetch });
  const started: { close(): Promise<void> }[] = [];
  const start = async (clock: Clock): Promise<Pick<World, 'frontEnd' | 'values' | 'books'>> => {
    const values = startValueFeeds({ bus, missions, clock, log });
    await values.ready;
    const books = openBooks({ bus, clock, log });
    const { passes, schedules, rules, transfers, alarms } = books;
    await passes.ready;
    const frontEnd = await startFrontEnd({
      bus,
      missions,
      values,
      passes,
      schedules,
      rules,
      transfers,
      alarms,
      log,
      clock,
      registry: new Registry(),
      tokens,
      followers: followerCredentials(nats.followerSigner),
      units: unitCredentials(nats.unitSigner),
      roles: () => ({ api: 'running' }),
    });
    started.push({
      close: async () => {
        await frontEnd.close();
        await values.stop();
        await books.stop();
      },
    });
    return { frontEnd, values, books };
  };
  const { frontEnd, values, books } = await start(clock);
  return {
    nats,
    bus,
    missions,
    mission,
    values,
    books,
    passes: books.passes,
    frontEnd,
    url: frontEnd.url,
    log,
    another: async (clock = realClock) => (await start(clock)).frontEnd,
    async hold(target, holders) {
      await bus.bucket(buckets.leases).overwrite(target, Buffer.from(JSON.stringify({ holders })));
    },
    async event(target, event) {
      const id = `${event.tc}-${event.state}-${event.at}`;
      const data = Buffer.from(JSON.stringify(event));
      await bus.append(streams.telecommandEvents, subject.tcEvent(target, event.tc), data, { id });
    },
    async sample(target, key, value, groundMs, options = {}) {
      const platform = missions.current!.targets.get(target)!.platform!;
      const block = {
        ordinals: Uint32Array.of(platform.ordinal(key)!),
        ground: Float64Array.of(groundMs),
        onboard: Float64Array.of(Number.NaN),
        raw: Float64Array.of(value),
        value: Float64Array.of(value),
      };
      const base = { platform: platform.digest, link: 'uhf', deferred: false, blocks: [block], reports: [] };
      const batch: ValueBatch = { ...base, ...options };
      await bus.append(streams.values, subject.values(target), encodeBatch(batch));
    },
    async stop() {
      await until(() => bus.connected, { what: 'the bus before the end' });
      for (const each of started) await each.close();
      tokens.stop();
      await nats.stop();
    },
  };
}
