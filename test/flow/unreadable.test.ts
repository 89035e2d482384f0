/**
 * Every follower of every stream, given a message that cannot be read before one that can: it goes on, and says so
 * once.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventsOf } from '../../actors/alarm/alarm-event.ts';
import { createSend } from '../../actors/run/effects/send.ts';
import { readRemains } from '../../actors/run/run-log.ts';
import { ValueStream } from '../../actors/run/value-stream.ts';
import { readHistory } from '../../actors/telecommand/history.ts';
import { RecentValues } from '../../actors/telecommand/recent-values.ts';
import { historyBefore } from '../../actors/telecommand/taking-over.ts';
import { encodeBatch } from '../../contract/batch.ts';
import { type StreamDefinition, streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { refused } from '../../contract/result.ts';
import { findRecorded } from '../../http/inspect/finished.ts';
import { watchAlarms } from '../../http/routes/alarms.ts';
import { followRun } from '../../http/routes/runs.ts';
import { followTelecommand, watchTelecommands } from '../../http/routes/telecommands.ts';
import { readRun } from '../../http/run-record.ts';
import type { Bus, Stoppable } from '../../ports/bus.ts';
import { HeapClock, realClock } from '../../supervision/clock.ts';
import { createTelemetryOwner } from '../../telemetry/telemetry-owner.ts';
import { startValueFeeds } from '../../telemetry/value-feeds.ts';
import { demoMission, TestMissions } from '../support/missions.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import { ping } from '../support/run-program.ts';
import { type KeptLog, keptLog } from '../support/silent-log.ts';
import { until } from '../support/until.ts';

const mission = demoMission();
const platform = mission.targets.get('demosat')?.platform ?? [...mission.targets.values()][0]!.platform!;
const TARGET = [...mission.targets.values()].find((each) => each.platform === platform)!.name;
const clock = new HeapClock(1_700_000_000_000);
const at = '2026-03-01T12:00:00.000Z';

let nats: TestNats;
let bus: Bus;
let ids = 0;

beforeAll(async () => {
  nats = await startNats();
  bus = await nats.connected();
});
afterAll(() => nats.stop());

const nextId = (): string => {
  ids += 1;
  return `01J5ZK3M8QW7V9XH2C4T6R${String(ids).padStart(4, '0')}`;
};
const json = (body: unknown): Buffer => Buffer.from(JSON.stringify(body));

const UNREADABLE: readonly (readonly [string, Buffer])[] = [
  ['bytes that are nothing', Buffer.from([0xc1, 0xff, 0x00, 0x7b])],
  ['null', json(null)],
  ['an empty message', Buffer.alloc(0)],
  [
    'a message of a newer version',
    json({ version: 99, tc: 7, run: 7, seq: 'one', platform: 7, event: { kind: 'x' } }),
  ],
];

interface Started {
  /** What it has taken that can be read. */
  readonly taken: () => number | Promise<number>;
  readonly stop?: () => unknown;
}

interface Consumer {
  readonly name: string;
  readonly stream: StreamDefinition;
  readonly about: (id: string) => string;
  readonly good: (id: string) => Uint8Array;
  readonly start: (id: string, log: KeptLog) => Started | Promise<Started>;
  /** Says nothing: whoever asks is given by what it gives. */
  readonly isSilent?: true;
}

const tcEvent = (tc: string, state = 'REJECTED'): Buffer => json({ tc, state, at });
const finished = (run: string): Buffer => json({ run, seq: 1, at, event: 'finished', ok: true });
const values = (): Uint8Array =>
  encodeBatch({
    platform: platform.digest,
    link: 'main',
    reports: [],
    deferred: false,
    blocks: [
      {
        ordinals: Uint32Array.of(0),
        ground: Float64Array.of(clock.now()),
        onboard: Float64Array.of(Number.NaN),
        raw: Float64Array.of(1),
        value: Float64Array.of(1),
      },
    ],
  });

/** Opens a follow route and counts what it gives its client. */
async function followed(
  route: { open: (input: never, ports: never, writer: never) => unknown },
  input: object,
  log: KeptLog,
): Promise<Started> {
  const pushed: string[] = [];
  const writer = {
    push: (message: Uint8Array | string) => void pushed.push(Buffer.from(message as string).toString()),
    room: () => undefined,
    finish: () => undefined,
  };
  const missions = new TestMissions(mission);
  const none = refused({ code: 'archive::none', message: 'no archive' } as const);
  const history = { source: { events: async () => none, archives: () => [] } };
  const connectors = { live: true, all: () => [], wasRemoved: () => false };
  const ports = { bus, log, missions, clock: realClock, history, connectors };
  const opened = (await route.open(input as never, ports as never, writer as never)) as {
    readonly value: Stoppable;
  };
  return {
    taken: () => {
      for (const message of pushed) JSON.parse(message);
      return pushed.length;
    },
    stop: () => opened.value.stop(),
  };
}

const ofTelecommand = {
  stream: streams.telecommandEvents,
  about: (id: string) => subject.tcEvent(TARGET, id),
  good: (id: string) => tcEvent(id),
};
const ofRun = { stream: streams.runs, about: (id: string) => subject.runEvents(id), good: finished };
const ofValues = { stream: streams.values, about: () => subject.values(TARGET), good: values };
const alarm = (id: string) => ({ target: TARGET, component: 'c', alarm: id });

const CONSUMERS: readonly Consumer[] = [
  {
    name: 'the value stream of a verification',
    ...ofValues,
    start: async (_, log) => {
      const received: unknown[] = [];
      const recent = new RecentValues({ bus, clock, log, target: TARGET });
      const listen = () =>
        recent.listen(Number.MAX_SAFE_INTEGER, ({ batch }) => void (batch && received.push(batch)));
      await until(() => listen(), { what: 'the value stream' });
      return { taken: () => received.length, stop: () => recent.stop() };
    },
  },
  {
    name: 'the value stream of a judgement',
    ...ofValues,
    start: async (_, log) => {
      const rows: unknown[] = [];
      const [measure] = platform.measures;
      const end = new AbortController();
      const stream = new ValueStream({
        bus,
        clock,
        log,
        target: TARGET,
        position: undefined,
        from: Date.now(),
        signal: end.signal,
        watched: [{ ordinal: 0, measure: measure! }],
        platformOf: async () => platform,
        hear: (arrived) => void rows.push(...arrived),
      });
      await stream.caughtUp();
      return { taken: () => rows.length, stop: () => end.abort() };
    },
  },
  {
    name: 'the current values of a process',
    ...ofValues,
    start: async (_, log) => {
      const feeds = startValueFeeds({ bus, clock, log, missions: new TestMissions(mission) });
      let reported = 0;
      feeds.watch(TARGET, () => {
        reported += 1;
      });
      await feeds.ready;
      return { taken: () => reported, stop: () => feeds.stop() };
    },
  },
  {
    name: 'the owner of telemetry',
    stream: streams.decoded,
    about: () => subject.decoded(TARGET),
    good: values,
    start: async (_, log) => {
      const owner = createTelemetryOwner({
        bus,
        clock,
        log,
        target: TARGET,
        epoch: 1,
        missions: new TestMissions(mission),
      });
      await owner.start();
      const take = (message: Parameters<typeof owner.handle>[0]) => owner.handle(message);
      const follower = await bus.follow(streams.decoded, subject.decoded(TARGET), { from: 'now' }, take);
      return {
        taken: () => owner.counts.published,
        stop: async () => [await follower.stop(), await owner.stop()],
      };
    },
  },
  {
    name: 'a run that waits for the end of a telecommand',
    ...ofTelecommand,
    start: (id, log) => {
      const end = new AbortController();
      let ended = 0;
      const services = { bus, clock, log } as never;
      const effect = { tc: id, ticket: 1, path: 'p', answers: {}, statement: { ...ping(), target: TARGET } };
      const atHand = { run: id, program: { config: 'x' }, mission } as never;
      void Promise.resolve(createSend(services)(effect as never, atHand, end.signal)).then(
        (event) => {
          if (event !== undefined) ended += 1;
        },
        () => undefined,
      );
      return { taken: () => ended, stop: () => end.abort() };
    },
  },
  {
    name: 'GET /v1/tc/{target}/{id}/follow',
    ...ofTelecommand,
    start: async (id, log) => {
      await bus.append(streams.telecommandEvents, subject.tcEvent(TARGET, id), tcEvent(id, 'PENDING'));
      const opened = await followed(followTelecommand, { params: { target: TARGET, id } }, log);
      await until(() => opened.taken(), { what: 'the first event' });
      return { ...opened, taken: async () => (await opened.taken()) - 1 };
    },
  },
  {
    name: 'GET /v1/tc/watch',
    ...ofTelecommand,
    start: (_, log) => followed(watchTelecommands, { query: {} }, log),
  },
  {
    name: 'GET /v1/runs/{run}/follow',
    ...ofRun,
    start: (id, log) => followed(followRun, { params: { run: id } }, log),
  },
  {
    name: 'GET /v1/alarms/watch',
    stream: streams.alarms,
    about: (id) => subject.alarmEvent(alarm(id)),
    good: (id) =>
      json({ ...alarm(id), seq: 1, previous: 'NORMAL', state: 'ACTIVE_UNACK', at, cause: 'condition' }),
    start: (_, log) => followed(watchAlarms, { query: {} }, log),
  },
  {
    name: 'the history of a telecommand',
    ...ofTelecommand,
    isSilent: true,
    start: (id) => ({
      taken: async () => {
        const { recorded, unreadable } = await readHistory(bus, TARGET, id);
        expect(recorded.length === 0 || unreadable !== undefined).toBe(true);
        return recorded.length;
      },
    }),
  },
  {
    name: 'a lane that is taken over',
    ...ofTelecommand,
    isSilent: true,
    start: (id) => ({ taken: async () => ((await historyBefore(bus, TARGET, id)) === 'over' ? 1 : 0) }),
  },
  {
    name: 'finished telecommands in the inspector',
    ...ofTelecommand,
    isSilent: true,
    start: (id) => ({
      taken: async () => (await findRecorded(bus, { id: `${TARGET}.${id}`, limit: 10 })).entities.length,
    }),
  },
  {
    name: 'the log of a run that is ended',
    ...ofRun,
    isSilent: true,
    start: (id) => ({ taken: async () => (await readRemains(bus, id)).log.length }),
  },
  {
    name: 'GET /v1/runs/{run}',
    ...ofRun,
    isSilent: true,
    start: (id, log) => ({
      taken: async () =>
        (await readRun(id, { bus, log, runs: { of: () => undefined } } as never)) === undefined ? 0 : 1,
    }),
  },
  {
    name: 'the events of an alarm',
    stream: streams.alarms,
    about: (id) => subject.alarmEvent(alarm(id)),
    good: (id) =>
      json({ ...alarm(id), seq: 1, previous: 'NORMAL', state: 'ACTIVE_UNACK', at, cause: 'condition' }),
    isSilent: true,
    start: (id) => ({ taken: async () => (await eventsOf(bus, alarm(id))).length }),
  },
];

describe.each(CONSUMERS)('$name', ({ stream, about, good, start, isSilent }) => {
  it.each(UNREADABLE)('goes on behind %s, and says so once', async (_, bytes) => {
    const id = nextId();
    const log = keptLog();
    const started = await start(id, log);
    // What an earlier case left in the stream is said by who reads it from its beginning.
    log.said.length = 0;
    await bus.append(stream, about(id), bytes);
    await bus.append(stream, about(id), good(id));
    await until(async () => (await started.taken()) > 0, { what: 'the message behind it' });
    expect(log.said.map(({ message }) => message)).toHaveLength(isSilent ? 0 : 1);
    await started.stop?.();
  });
});
