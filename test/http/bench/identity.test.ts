/**
 * Who may call a bench that can be reached from elsewhere: every route and every feed, with the tokens of mission
 * control. RF Bench Service, section 5.
 */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { benchFollows, benchRoutes } from '../../../http/bench/front-end.ts';
import { MissionTokens } from '../../../identity/mission-tokens.ts';
import type { AuthSettings, Mission } from '../../../mission/mission.ts';
import type { MissionSource } from '../../../ports/mission-source.ts';
import { signer } from '../../identity/signer.ts';
import { until } from '../../support/until.ts';
import { call, memoryLog, realClock } from '../fixture.ts';
import { benchCoverage, type ServedBench, serveBench, watch } from './fixture.ts';
import { scriptedBench } from './scripted.ts';

const ISSUER = 'https://id.example/realms/mission';
const coverage = benchCoverage();

/** A configuration with these settings of identity; undefined: none is published. */
class Missions implements MissionSource {
  known = true;
  current: Mission | undefined;
  #listener: (mission: Mission) => void = () => undefined;

  configure(auth: AuthSettings): void {
    this.current = { settings: { auth } } as Mission;
    this.#listener(this.current);
  }

  async at(): Promise<undefined> {
    return undefined;
  }

  onChange(listener: (mission: Mission) => void): () => void {
    this.#listener = listener;
    return () => undefined;
  }
}

const missions = new Missions();
let folder: string;
let provider: AuthSettings;
let tokens: MissionTokens;
let served: ServedBench;
let local: ServedBench;
let bearer: (claims?: Record<string, unknown>) => Promise<string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcs-bench-identity-'));
  const es256 = await signer('ES256');
  const jwks_file = join(folder, 'keys.json');
  await writeFile(jwks_file, JSON.stringify({ keys: [es256.jwk] }));
  provider = { issuer: ISSUER, audience: 'mission-control', jwks_file };
  tokens = new MissionTokens({ missions, clock: realClock, log: memoryLog(), fetch });
  const now = Math.floor(Date.now() / 1_000);
  bearer = (claims = {}) => es256.token({ iat: now, exp: now + 600, ...claims });
  served = await serveBench(scriptedBench().bench, { missions, tokens });
  local = await serveBench(scriptedBench().bench);
});
afterAll(async () => {
  tokens.stop();
  await Promise.all([served.close(), local.close()]);
  await rm(folder, { recursive: true });
});

const pathOf = (path: string): string => path.replace(/:\w+/g, 'qpsk');
const closed = benchRoutes.filter(({ identity }) => identity === 'caller');
const open = benchRoutes.filter(({ identity }) => identity === 'open');

async function asked(base: ServedBench, { method, path }: (typeof benchRoutes)[number], token?: string) {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return coverage.call(`${base.url}${pathOf(path)}`, { method, headers });
}

describe('RB-GEN-009 a bench that can be reached from elsewhere', () => {
  it.each(closed)('$method $path takes no request without a good token', async (route) => {
    missions.configure({ ...provider, required: true });
    for (const token of [undefined, 'x', await bearer({ aud: 'somebody-else' })]) {
      const { status, body } = await asked(served, route, token);
      expect([status, body.code]).toEqual([401, 'unauthorized']);
    }
    expect([401, 403]).not.toContain((await asked(served, route, await bearer())).status);
    expect([401, 403]).not.toContain((await asked(local, route)).status);
  });

  it.each(closed)('$method $path takes nobody in before the configuration is known', async (route) => {
    missions.known = false;
    try {
      const { status, body } = await asked(served, route, await bearer());
      expect([status, body.code]).toEqual([503, 'unavailable']);
    } finally {
      missions.known = true;
    }
  });

  it.each(benchFollows)('$path opens with a token in its query alone', async ({ path }) => {
    missions.configure({ ...provider, required: true });
    const url = `${served.url}${path}`;
    for (const query of ['', '?token=x']) {
      const { refused } = await coverage.follow(`${url}${query}`);
      expect([refused?.status, refused?.body.code]).toEqual([401, 'unauthorized']);
    }
    (await coverage.open(`${url}?token=${await bearer()}`)).close();
    (await coverage.open(`${local.url}${path}`)).close();
    missions.known = false;
    const { refused } = await coverage.follow(`${url}?token=${await bearer()}`);
    missions.known = true;
    expect(refused?.status).toBe(503);
  });

  it('closes a feed with 4401 when its token has expired', async () => {
    missions.configure({ ...provider, required: true });
    // Within the difference of clocks that is forgiven.
    const token = await bearer({ exp: Math.floor(Date.now() / 1_000) + 1 });
    const watcher = await watch(`${served.url}/ws/metrics?token=${token}`);
    await until(() => watcher.closed !== undefined);
    expect(watcher.closed?.code).toBe(4401);
  });

  it.each(open)('$method $path asks nobody, for probes', async (route) => {
    missions.configure({ ...provider, required: true });
    expect((await asked(served, route)).status).toBe(200);
  });

  it('takes anybody where the configuration does not require a token, and refuses a bad one all the same', async () => {
    missions.configure(provider);
    expect((await call(`${served.api}/radio/state`)).status).toBe(200);
    const bad = await call(`${served.api}/radio/state`, { headers: { authorization: 'Bearer x' } });
    expect([bad.status, bad.body.code]).toEqual([401, 'unauthorized']);
    const named = await call(`${served.api}/radio/state`, { headers: { 'x-mcs-user': 'alarm x' } });
    expect([named.status, named.body.code]).toEqual([400, 'validation_failed']);
  });
});

it('sees the refusals of identity on every route and feed', () => {
  const missing = coverage.missing().filter((item) => / (unauthorized|unavailable)$/.test(item));
  expect(missing).toEqual([]);
});
