/** A front end on real sockets with a real archive behind it, in threads, which a test fills. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Archive } from '../../archive/archive.ts';
import { platformColumns } from '../../archive/platform-columns.ts';
import { TablesInThread } from '../../archive/tables-in-thread.ts';
import { workInThreads } from '../../archive/workshop.ts';
import type { ArchiveState, HistoryFault } from '../../contract/archive-wire.ts';
import type { ValueBatch, WideValue } from '../../contract/batch.ts';
import { accepted, refused } from '../../contract/result.ts';
import type { FollowRoute } from '../../http/follow.ts';
import type { History } from '../../http/ports.ts';
import type { Route } from '../../http/route.ts';
import { historyRoutes } from '../../http/routes/history.ts';
import type { FrontEnd } from '../../http/serve.ts';
import { MissionTokens } from '../../identity/mission-tokens.ts';
import type { Bus, Entry } from '../../ports/bus.ts';
import { absentBus, layerPorts, realClock, serveLayer } from './fixture.ts';
import { missionSource, testMission } from './world.ts';

/** 2026-01-02T03:00:00Z */
export const HOUR = Date.UTC(2026, 0, 2, 3);

const STATE: ArchiveState = {
  archive: 'a1',
  instance: 'test',
  epoch: 1,
  stream: 'S1',
  position: 0,
  read: 0,
  pending: 0,
  segments: 0,
  samples: 0,
  bytes: 0,
  waiting: 0,
};

/** What an archive registers with, or a connector with a reader of that name. */
export function connectorDocument(name: string, consumer = 'archive-events') {
  return {
    kind: 'connector',
    name,
    instance: 'p1',
    software: { name: 'archive', version: '1' },
    heartbeat_period_ms: 10_000,
    connector: {
      data: [
        { kind: 'values', consumer: 'archive-values', by: 'position' },
        { kind: 'events', consumer, by: 'position' },
      ],
    },
  };
}

/** The record of an archive that registered. */
export function connectorEntry(name: string): Entry {
  const at = '2026-01-02T03:04:05.000Z';
  const document = connectorDocument(name);
  const registered = { document, at, alive: true, health: { state: 'ok' }, last_heard: at };
  return { key: name, value: Buffer.from(JSON.stringify({ registered })), revision: 1, at: 0 };
}

const DAMAGED = [{ segment: { first: 1, last: 60, level: 'part' as const }, reason: 'it is torn' }];

export interface Taken {
  readonly key: string;
  readonly value: number | WideValue;
  readonly time: number;
  readonly ground?: number;
  readonly deferred?: boolean;
}

export interface HistoryWorld {
  readonly url: string;
  readonly frontEnd: FrontEnd;
  readonly archive: Archive;
  readonly missions: ReturnType<typeof missionSource>;
  readonly log: ReturnType<typeof layerPorts>['log'];
  /** What pages say is damaged, from this one on. */
  damagedFrom(page: number): void;
  /** What the next questions are refused with. */
  refuseWith(fault: HistoryFault | undefined): void;
  /** Whether the bus is there. */
  connect(connected: boolean): void;
  /** Before each page. */
  beforePage(step: ((asked: number, signal: AbortSignal | undefined) => Promise<void>) | undefined): void;
  /** A message with samples of one measure each; `position` may leave some out. */
  take(samples: readonly Taken[], position?: number, target?: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startHistoryWorld(
  routes: readonly Route[] = historyRoutes,
  follows: readonly FollowRoute[] = [],
  /** What is left on the bus; default: nothing of telecommands any more. */
  left: Partial<Bus> = {},
): Promise<HistoryWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'mcs-history-'));
  const archive = await Archive.open(workInThreads(folder), { stream: 'S1', clock: realClock });
  const missions = missionSource();
  missions.publish(testMission());
  let fault: HistoryFault | undefined;
  let connected = true;
  let before: Parameters<HistoryWorld['beforePage']>[0];
  let pages = 0;
  let damagedFrom = Number.POSITIVE_INFINITY;
  const source: History['source'] = {
    archives: () => (fault?.code === 'archive::none' ? [] : [{ ...STATE, alive: true }]),
    async samples(query, page, signal) {
      pages += 1;
      await before?.(pages, signal);
      if (fault !== undefined) return refused(fault);
      const value = await archive.samples(query, given(page), signal);
      const damaged = pages < damagedFrom ? value.damaged : DAMAGED;
      return accepted({ value: { ...value, damaged }, archive: STATE });
    },
    async events(query, { before, limit }, signal) {
      if (fault !== undefined) return refused(fault);
      const page = before === undefined ? { limit } : { before, limit };
      return accepted({ value: await archive.events(query, page, signal), archive: STATE });
    },
    async buckets(query, points, signal) {
      if (fault !== undefined) return refused(fault);
      return accepted({ value: await archive.buckets(query, points, signal), archive: STATE });
    },
  };
  const layer = layerPorts();
  const bus = Object.assign({}, absentBus, {
    last: async () => undefined,
    follow: async () => ({ caughtUp: Promise.resolve(0), stop: async () => undefined }),
    ...left,
  });
  Object.defineProperty(bus, 'connected', { get: () => connected });
  const tables = new TablesInThread();
  const tokens = new MissionTokens({ missions, log: layer.log, clock: realClock, fetch });
  const ports = { ...layer, bus, missions, tokens, historySource: source, historyTables: tables };
  const frontEnd = await serveLayer(routes, follows, ports);
  let last = 0;
  return {
    url: frontEnd.url,
    frontEnd,
    archive,
    missions,
    log: layer.log,
    refuseWith: (next) => {
      fault = next;
    },
    damagedFrom: (page) => {
      damagedFrom = page;
    },
    connect: (is) => {
      connected = is;
    },
    beforePage: (step) => {
      before = step;
      pages = 0;
    },
    async take(samples, position = last + 1, target = 'sat1') {
      last = position;
      const platform = missions.current!.targets.get(target)!.platform!;
      const blocks = samples.map(({ key, value, time, ground = time, deferred }) => ({
        ordinals: Uint32Array.of(platform.ordinal(key)!),
        ground: Float64Array.of(ground),
        onboard: Float64Array.of(time),
        raw: Float64Array.of(typeof value === 'number' ? value : Number.NaN),
        value: Float64Array.of(typeof value === 'number' ? value : Number.NaN),
        ...(typeof value !== 'number' && { wide: [[0, value]] as const }),
        ...(deferred === true && { deferred }),
      }));
      const batch: ValueBatch = {
        platform: platform.digest,
        link: 'uhf',
        deferred: false,
        blocks,
        reports: [],
      };
      const storedMs = samples[0]?.ground ?? samples[0]?.time ?? HOUR;
      await archive.append({ target, position, storedMs, batch }, platformColumns(platform));
    },
    async stop() {
      await frontEnd.close();
      await tables.stop();
      await archive.close();
      tokens.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Page = Parameters<Archive['samples']>[1];

function given({ cursor, limit }: { cursor?: Page['cursor'] | undefined; limit: number }): Page {
  return cursor === undefined ? { limit } : { cursor, limit };
}
