/** The routes of the past over an archive of this process: what HTTP costs on top of it. */

import { Agent, request } from 'node:http';
import { Registry } from 'prom-client';
import type { Archive } from '../archive/archive.ts';
import { followerCredentials } from '../bus/follower-credentials.ts';
import type { ArchiveState } from '../contract/archive-wire.ts';
import { accepted } from '../contract/result.ts';
import type { History } from '../http/ports.ts';
import { eventRoutes } from '../http/routes/events.ts';
import { historyRoutes } from '../http/routes/history.ts';
import { serveRoutes } from '../http/serve.ts';
import { MissionTokens } from '../identity/mission-tokens.ts';
import { openBooks } from '../messaging/books.ts';
import { realClock } from '../supervision/clock.ts';
import { startValueFeeds } from '../telemetry/value-feeds.ts';
import { demoMission, sourceOf } from './demo-mission.ts';
import { silentLog as log } from './silent-log.ts';
import { StubBus } from './stub-bus.ts';

export interface HistoryServer {
  /** Asks and reads the whole answer; how many bytes it had. */
  readonly get: (query: Readonly<Record<string, string>>, path?: string) => Promise<number>;
  readonly close: () => Promise<void>;
}

const STATE: ArchiveState = {
  archive: 'bench',
  instance: 'bench',
  epoch: 1,
  stream: 'bench',
  position: 0,
  read: 0,
  pending: 0,
  segments: 0,
  samples: 0,
  bytes: 0,
  waiting: 0,
};

export async function historyServer(archive: Archive): Promise<HistoryServer> {
  const missions = sourceOf(await demoMission());
  const [bus, clock] = [new StubBus(), realClock];
  const values = startValueFeeds({ bus, missions, clock, log });
  await values.ready;
  const historySource: History['source'] = {
    archives: () => [],
    samples: async (query, { limit }, signal) =>
      accepted({ value: await archive.samples(query, { limit }, signal), archive: STATE }),
    events: async (query, { before, limit }, signal) => {
      const page = before === undefined ? { limit } : { before, limit };
      return accepted({ value: await archive.events(query, page, signal), archive: STATE });
    },
    buckets: async (query, points, signal) =>
      accepted({ value: await archive.buckets(query, points, signal), archive: STATE }),
  };
  const known = { bus, missions, values, clock, log, historySource };
  const tokens = new MissionTokens({ missions, clock, log, fetch });
  const callers = { tokens, followers: followerCredentials(undefined) };
  const ports = { ...openBooks({ bus, clock, log }), ...known, ...callers, registry: new Registry() };
  const served = { ...ports, roles: () => ({}) };
  const server = await serveRoutes({
    host: '127.0.0.1',
    port: 0,
    ports: served,
    routes: [...historyRoutes, ...eventRoutes],
    follows: [],
  });
  const agent = new Agent({ keepAlive: true });
  return {
    get: (query, path = '/v1/targets/sat1/values/history') =>
      read(agent, `${server.url}${path}?${new URLSearchParams(query)}`),
    close: async () => {
      agent.destroy();
      await server.close();
      await values.stop();
    },
  };
}

function read(agent: Agent, url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { agent }, (answer) => {
      let bytes = 0;
      answer.on('data', (data: Buffer) => {
        bytes += data.length;
      });
      answer.on('end', () =>
        answer.statusCode === 200 ? resolve(bytes) : reject(new Error(`answered ${answer.statusCode}`)),
      );
      answer.on('error', reject);
    });
    asked.on('error', reject);
    asked.end();
  });
}
