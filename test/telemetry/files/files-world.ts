/**
 * A target with an on-board directory on a bus in memory: its owner, processes that follow its values, and everybody
 * who reads them, by the very functions that serve them.
 */

import { createJudge } from '../../../actors/run/effects/judge.ts';
import { createWrite } from '../../../actors/run/effects/write.ts';
import type { RunAtHand, RunServices } from '../../../actors/run/services.ts';
import { unmetRequirements } from '../../../actors/telecommand/requirement.ts';
import { Verifier } from '../../../actors/telecommand/verification.ts';
import {
  type DecodedBatch,
  decodeBatch,
  encodeBatch,
  type FileSample,
  type ValueBatch,
} from '../../../contract/batch.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import { header } from '../../../contract/bus/headers.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import type { OnboardDirectory } from '../../../contract/onboard-file.ts';
import type { Program } from '../../../contract/program.ts';
import type { CurrentValues } from '../../../contract/value.ts';
import type { RoutePorts } from '../../../http/ports.ts';
import { readFiles } from '../../../http/routes/files.ts';
import { readValues, watchValues } from '../../../http/routes/values.ts';
import { HandOvers } from '../../../messaging/hand-overs.ts';
import type { Mission } from '../../../mission/mission.ts';
import type { Follower, StreamMessage } from '../../../ports/bus.ts';
import { decodeCheckpoint } from '../../../telemetry/checkpoint.ts';
import { fileDirectory } from '../../../telemetry/file-directory.ts';
import { KnownPlatforms } from '../../../telemetry/reading/known-platforms.ts';
import { targetValues } from '../../../telemetry/target-values.ts';
import { createTelemetryOwner, type TelemetryOwner } from '../../../telemetry/telemetry-owner.ts';
import { startValueFeeds } from '../../../telemetry/value-feeds.ts';
import { loaded, platform, topology } from '../../mission/documents.ts';
import { TwinServer } from '../../simulation/twin/server.ts';
import { TwinBus } from '../../simulation/twin/twin-bus.ts';
import { fairWeather } from '../../simulation/twin/weather.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';
import { TestMissions } from '../../support/missions.ts';
import { noPasses } from '../../support/passes.ts';
import { keptLog } from '../../support/silent-log.ts';
import { until } from '../../support/until.ts';

export const START = Date.parse('2026-03-01T12:00:00Z');
const MINUTE_MS = 60_000;

const COMPONENTS = {
  apples: { measures: { count: { type: 'u8' } } },
  zebras: { measures: { size: { type: 'u32' } } },
};
const read = (that: string, expect: string, fail?: string) => ({
  instance: 'file',
  requires: [{ that, max_age: '1 min' }],
  verify: { expect, ...(fail !== undefined && { fail }), within: '1 min' },
});
const FILES = {
  types: { 1: { name: 'image' } },
  telecommands: {
    read: read('generation >= 1', 'transfer == "VERIFIED"', 'files[9].size > 0 B'),
    keep: { requires: [{ that: 'files[7].transfer == "VERIFIED"' }] },
  },
};

export const MISSION: Mission = loaded([platform({ components: COMPONENTS, files: FILES }), topology()]);
/** Another catalogue: a measure more in front, and the directory under another name. */
export const LATER: Mission = loaded([
  platform({
    components: { aardvarks: { measures: { count: { type: 'u8' } } }, ...COMPONENTS },
    files: { ...FILES, component: 'memory', telecommands: {} },
  }),
  topology(),
]);
/** A catalogue without a directory. */
export const BARE: Mission = loaded([platform({ components: COMPONENTS }), topology()]);

export const platformOf = (mission: Mission) => mission.targets.get('sat')!.platform!;

/** What a listing says of a file. */
export type Listed = Partial<Omit<FileSample, 'ground' | 'onboard'>> & { readonly file: string };

export type FilesWorld = Awaited<ReturnType<typeof filesWorld>>;
export type Process = Awaited<ReturnType<FilesWorld['process']>>;

export async function filesWorld(mission: Mission = MISSION) {
  const clock = new ManualClock(START);
  const server = new TwinServer({ now: () => clock.now(), choose: () => 0 });
  const log = keptLog();
  const missions = new TestMissions(mission);
  const open = (name: string): TwinBus =>
    new TwinBus({ server, name, settleMs: 0, outside: clock, inside: clock, weather: fairWeather, log });
  const bus = open('outside');
  const settle = async (): Promise<void> => {
    for (let round = 0; round < 16; round += 1) {
      clock.advance(0);
      await settled();
    }
  };
  const passes = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await settle();
  };
  const done = async <Value>(promise: Promise<Value>): Promise<Value> => {
    let over = false;
    void promise
      .finally(() => {
        over = true;
      })
      .catch(() => undefined);
    for (let round = 0; round < 2_000 && !over; round += 1) await settle();
    return promise;
  };

  let owner: { readonly owner: TelemetryOwner; readonly follower: Follower } | undefined;
  let epoch = 0;
  const startOwner = async (): Promise<void> => {
    epoch += 1;
    const own = open(`owner-${epoch}`);
    const created = createTelemetryOwner({ bus: own, missions, target: 'sat', epoch, log, clock });
    const from = await done(created.start());
    const handle = (message: StreamMessage) => created.handle(message);
    owner = {
      owner: created,
      follower: await done(own.follow(streams.decoded, subject.decoded('sat'), from, handle)),
    };
    await settle();
  };
  const stopOwner = async (): Promise<void> => {
    if (owner === undefined) return;
    await done(owner.follower.stop());
    await done(owner.owner.stop());
    owner = undefined;
  };

  const decoded = async (
    batch: Partial<DecodedBatch>,
    of: Mission = mission,
    headers = {},
  ): Promise<void> => {
    const base = { platform: platformOf(of).digest, link: 'uhf', blocks: [], reports: [] };
    const stored = bus.append(streams.decoded, subject.decoded('sat'), encodeBatch({ ...base, ...batch }), {
      headers: { [header.config]: of.revision, ...headers },
    });
    await done(stored);
    await settle();
  };
  /** A listing received now, or at a time; `onboard` is when it was made. */
  const listed = (
    files: readonly Listed[],
    at: { ground?: number; onboard?: number } = {},
  ): Promise<void> => {
    const { ground = clock.now(), onboard = Number.NaN } = at;
    return decoded({ files: files.map((file) => ({ ...file, ground, onboard })) });
  };
  /** Time passes until the checkpoint covers everything published: it is compressed by another thread. */
  const kept = async (): Promise<void> => {
    await until(async () => {
      await passes(1_100);
      const entry = await done(bus.bucket(buckets.values).get('sat'));
      const checkpoint = entry && (await decodeCheckpoint(entry.value));
      return checkpoint?.positions.values === server.stream(streams.values).lastSeq;
    });
  };
  /** What was stored behind the moment is gone: the store was put back. */
  const putBack = async (kept: number): Promise<void> => {
    server.turn(false);
    server.rewind(() => kept);
    await passes(1_000);
    server.turn(true);
    for (let round = 0; round < 20; round += 1) await passes(500);
  };
  const published = (): ValueBatch[] =>
    server.stream(streams.values).messages.map(({ data }) => decodeBatch<ValueBatch>(data));
  const process = async (name: string) => processOf({ bus: open(name), missions, clock, log, settle, done });
  await startOwner();
  return {
    clock,
    server,
    bus,
    log,
    missions,
    settle,
    passes,
    done,
    decoded,
    listed,
    published,
    process,
    startOwner,
    stopOwner,
    kept,
    putBack,
    counts: () => owner!.owner.counts,
  };
}

interface ProcessOptions extends Pick<RunServices, 'clock' | 'log'> {
  readonly bus: TwinBus;
  readonly missions: TestMissions;
  readonly settle: () => Promise<void>;
  readonly done: <Value>(promise: Promise<Value>) => Promise<Value>;
}

/** A process that follows the values, and everybody in it who reads them. */
async function processOf({ bus, missions, clock, log, settle, done }: ProcessOptions) {
  const feeds = startValueFeeds({ bus, missions, clock, log });
  await done(feeds.ready);
  const values = targetValues(feeds);
  const services: RunServices = {
    bus,
    clock,
    handOvers: new HandOvers(clock),
    log,
    missions,
    passes: noPasses,
    files: fileDirectory(feeds),
    platforms: new KnownPlatforms(missions, clock),
    values,
    instance: 'one',
  };
  const ports = { bus, missions, values: feeds, valuesLoaded: () => true } as unknown as RoutePorts;
  const request = { params: { target: 'sat' }, query: {} } as never;
  const mission = (): Mission => missions.current!;
  const at = (): RunAtHand => ({
    run: '01J5ZK3M8QW7V9XH2C4T6R8YAC',
    program: PROGRAM,
    mission: mission(),
    by: 'ana',
    holds: () => true,
  });

  const body = async (reply: unknown): Promise<unknown> => {
    const handled = (await reply) as { ok: true; value: { bytes: Uint8Array } };
    return handled.ok ? JSON.parse(Buffer.from(handled.value.bytes).toString()) : handled;
  };
  const current = async (): Promise<CurrentValues['values']> =>
    ((await body(readValues.handle(request, ports))) as CurrentValues).values;
  const files = async (): Promise<OnboardDirectory> =>
    (await body(readFiles.handle(request, ports))) as OnboardDirectory;
  /** What a watcher with these selectors gets: what is known first, then what comes. */
  const watch = async (measures: string) => {
    const got: { key: string; value: unknown }[] = [];
    const push = (json: Uint8Array): void => {
      const { component, instance, measure, sample } = JSON.parse(Buffer.from(json).toString());
      const of = instance === undefined ? component : `${component}[${instance}]`;
      got.push({ key: `${of}.${measure}`, value: sample.value });
    };
    const followed = { params: { target: 'sat' }, query: { measures } } as never;
    const opened = await watchValues.open(followed, ports, { push } as never);
    if (!opened.ok) throw new Error('refused');
    return { got, stop: () => opened.value.stop() };
  };

  const judge = (statement: object, since = clock.now()) => {
    const full = {
      targets: { sat: 'sat' },
      inputs: { image: '7' },
      answers: {},
      inputTypes: { image: { type: 'file_id' } },
    };
    const effect = {
      type: 'effect.judge',
      ticket: 1,
      path: 'p',
      since,
      answers: {},
      statement: { ...full, ...statement },
    };
    const seen: { event?: { ok?: boolean; reason?: string; samples?: unknown[] } } = {};
    const abort = new AbortController();
    void createJudge(services)(effect as never, at(), abort.signal).then((event) =>
      Object.assign(seen, { event }),
    );
    return { seen, abort };
  };
  const check = async (condition: string, maxAgeMs = 60 * MINUTE_MS) => {
    const { seen } = judge({ kind: 'check', condition, maxAgeMs });
    // What is decompressed on another thread takes longer where the machine is busy.
    for (let round = 0; round < 2_000 && seen.event === undefined; round += 1) await settle();
    return seen.event;
  };
  /** The part of a text that shows a measure of file 7, or of the file that `$image` names. */
  const text = async (measure: string, component = 'files'): Promise<string> => {
    const part = { target: 'sat', component, instance: { value: '7' }, measure };
    const effect = { type: 'effect.write', ticket: 1, answers: {}, parts: [part] };
    const event = await done(
      Promise.resolve(createWrite(services)(effect as never, at(), new AbortController().signal)),
    );
    return (event as unknown as { text: string }).text;
  };
  /** Why the telecommand may not leave for file 7; undefined: it may. */
  const unmet = (telecommand: string, args = {}): string | undefined => {
    const owned = platformOf(MISSION);
    const { requires } = owned.components.get('files')!.telecommands.get(telecommand)!;
    const sample = (measure: Parameters<typeof values.sample>[1]) => values.sample('sat', measure);
    return unmetRequirements(requires, { platform: owned, instance: '7', args, sample, now: clock.now() });
  };
  /** The verdict on the telecommand `read` for file 7, sent now. */
  const verify = (sentAt = clock.now()) => {
    const own = platformOf(MISSION);
    const verifier = new Verifier({
      bus,
      clock,
      log,
      target: 'sat',
      platformOf: (digest) => services.platforms.get(digest),
      sample: (measure) => values.sample('sat', measure),
      position: () => values.position('sat'),
    });
    const { verify: wanted } = own.components.get('files')!.telecommands.get('read')!;
    const seen: { verdict?: string; detail?: string } = {};
    const call = { verify: wanted!, platform: own, instance: '7', args: {}, sentAt, reference: undefined };
    void verifier.verify(call, new AbortController().signal).then((verdict) => {
      if (verdict !== undefined)
        Object.assign(seen, {
          verdict: verdict.type,
          detail: 'detail' in verdict ? verdict.detail : undefined,
        });
    });
    return { seen, stop: () => verifier.stop() };
  };
  return {
    feeds,
    values,
    current,
    files,
    watch,
    judge,
    check,
    text,
    unmet,
    verify,
    stop: () => done(feeds.stop()),
  };
}

const PROGRAM: Program = {
  format: 1,
  config: MISSION.revision,
  procedure: 'p',
  library: 'ops@1.0.0',
  environment: 'bench',
  targets: { sat: 'sat' },
  inputs: {},
  policy: { identity: 'declared', humanOrchestration: false, hazardousConfirmation: [] },
  leases: [],
  faults: [],
  sends: false,
  hazardous: false,
  maxDurationMs: 0,
  steps: [],
};
