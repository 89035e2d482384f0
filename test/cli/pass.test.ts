/** `mcs pass list|show|put|feed|predict --feed` against the real front end: what is printed, written, and refused. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { pass } from '../../cli/pass.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { PASS_LISTS_READ } from '../../contract/limits/pass.ts';
import type { PassView } from '../../contract/pass.ts';
import { call } from '../http/fixture.ts';
import { startWorld, type World } from '../http/world.ts';
import { until } from '../support/until.ts';

const ELEMENTS = fileURLToPath(new URL('../data/orbits/elements.tle', import.meta.url));
const HOUR = 3_600_000;
const START = Math.floor(Date.now() / HOUR) * HOUR + 24 * HOUR;

let world: World;
let folder: string;
let printed: { out: string; err: string };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcs-pass-'));
  world = await startWorld();
  const { mission } = world;
  const feeders = { dynamics: 'fds', network: 'provider' };
  world.missions.publish({ ...mission, settings: { ...mission.settings, feeders } });
});
afterAll(async () => {
  await world.stop();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  printed = { out: '', err: '' };
  vi.spyOn(process.stdout, 'write').mockImplementation(keep('out'));
  vi.spyOn(process.stderr, 'write').mockImplementation(keep('err'));
});
afterEach(async () => {
  vi.restoreAllMocks();
  const passes = world.bus.bucket(buckets.passes);
  for (const { key, revision } of await passes.list('>')) await passes.remove(key, revision);
  await until(async () => (await stored('?all=true')).length === 0);
});

function keep(stream: 'out' | 'err') {
  return (text: string | Uint8Array): boolean => {
    printed[stream] += String(text);
    return true;
  };
}

/** As `user`, and what it printed. */
async function mcs(user: string, ...args: string[]) {
  printed.out = '';
  printed.err = '';
  const code = await pass([...args, '--api', world.url, '--user', user]);
  return { code, out: printed.out, err: printed.err, lines: printed.out.trimEnd().split('\n') };
}

const stored = async (query = ''): Promise<PassView[]> =>
  (await call(`${world.url}/v1/passes${query}`)).body.passes;
const at = (minute: number): string => new Date(START + minute * 60_000).toISOString();
const clock = (minute: number): string => `${at(minute).slice(11, 19)}Z`;

function aPass(id: string, from: number, more: object = {}): object {
  const place = { target: 'sat1', station: 'kiruna', max_elevation: '47.3 deg' };
  return { id, aos: at(from), los: at(from + 10), source: 'fds', status: 'predicted', ...place, ...more };
}
const booking = (id: string, from: number, more: object = {}): object =>
  aPass(id, from, { source: 'provider', status: 'booked', ...more });

async function file(name: string, content: unknown): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}
const put = async (user: string, ...passes: object[]) => mcs(user, 'put', await file('put.json', passes));

describe('mcs pass list', () => {
  it('pass-columns.C1 shows a booked, a predicted and a cancelled pass by AOS, each in words', async () => {
    await put('dynamics', aPass('p1', 0), aPass('p3', 40, { max_elevation: '0.5 rad' }));
    await put('network', booking('b2', 20, { status: 'cancelled' }), booking('b3', 41, { uplink: false }));
    const check = (text: object) => Buffer.from(JSON.stringify({ checked_at: at(-10), ...text }));
    const gateways = world.bus.bucket(buckets.passGateways);
    await gateways.overwrite('sat1.p1', check({ gateway: 'gw-1' }));
    await gateways.overwrite('sat1.p3', check({ reason: 'no gateway\u001b is attached to kiruna' }));
    await until(async () => (await stored()).filter(({ gateway }) => gateway !== undefined).length === 2);
    const { code, lines, err } = await mcs('ada', 'list');
    const day = (minute: number): string => at(minute).slice(0, 10);
    expect([code, err, lines]).toEqual([
      0,
      '',
      [
        'DAY         AOS        LOS        LASTS  TARGET  STATION    MAX  STATUS     UPLINK   PASS  GATEWAY',
        `${day(0)}  ${clock(0)}  ${clock(10)}  10:00  sat1    kiruna   47.3°  predicted  uplink   p1    gw-1`,
        `${day(20)}  ${clock(20)}  ${clock(30)}  10:00  sat1    kiruna   47.3°  CANCELLED  uplink   b2    -`,
        `${day(41)}  ${clock(41)}  ${clock(51)}  10:00  sat1    kiruna   47.3°  booked     RX only  p3    NONE: no gateway. is attached to kiruna`,
      ],
    ]);
    for (const key of ['sat1.p1', 'sat1.p3']) await gateways.remove(key, (await gateways.get(key))!.revision);
  });

  it('MC-PASS-015 MC-PASS-017 lists those of a target, of a time, and with --all those that are over', async () => {
    const over = { aos: '2026-01-02T03:04:05Z', los: '2026-01-02T03:14:05Z' };
    await put('dynamics', aPass('p1', 0), aPass('p2', 60, { target: 'sat2' }), aPass('old', 0, over));
    const ids = async (...args: string[]) =>
      (JSON.parse((await mcs('ada', 'list', '--json', ...args)).out) as PassView[]).map(
        (each) => each.pass.id,
      );
    expect(await ids()).toEqual(['p1', 'p2']);
    expect(await ids('--all')).toEqual(['old', 'p1', 'p2']);
    expect(await ids('--target', 'sat2')).toEqual(['p2']);
    expect(await ids('--from', at(30))).toEqual(['p2']);
    expect(await ids('--all', '--from', '2026-01-02', '--to', '2026-01-03')).toEqual(['old']);
    expect((await mcs('ada', 'list', '--target', 'ghost')).err).toMatch(
      /^no passes that are not over \(--all/,
    );
  });

  it('goes on where a list of the service ends, and says where it stops', async () => {
    let endless = false;
    const asked: string[] = [];
    // Lists of one: those of the real front end end after 5,000.
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      const next = endless || asked.length === 1 ? { next: '17.sat1.p1' } : {};
      response.end(JSON.stringify({ passes: [{ pass: aPass(`p${asked.length}`, 0) }], ...next }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await pass(['list', '--target', 'sat1', '--api', api])).toBe(0);
    expect([asked, printed.out.split('\n').length, printed.err]).toEqual([
      ['/v1/passes?target=sat1', '/v1/passes?target=sat1&after=17.sat1.p1'],
      4,
      '',
    ]);
    endless = true;
    asked.length = 0;
    expect(await pass(['list', '--api', api])).toBe(0);
    expect([asked.length, printed.err]).toEqual([
      PASS_LISTS_READ,
      `more passes match than ${PASS_LISTS_READ}; narrow them with --target, --from, --to\n`,
    ]);
    server.close();
    server.closeAllConnections();
  });

  it.each([
    [['list', '--target', 'sat9'], 1, /^api::unknown-target: /],
    [['list', '--from', 'today'], 1, /^api::invalid-body: .*from/],
    [['list', '--utc', '--local'], 2, /^mcs pass list/],
    [['list', 'sat1'], 2, /^mcs pass list/],
    [['show', 'sat1', 'p9'], 1, /^pass::unknown: no pass p9 of target sat1 \(/],
    [['show', 'sat1'], 2, /^mcs pass show TARGET PASS/],
    [['put'], 2, /^mcs pass put/],
    [['feed', 'f', '--source', 'fds'], 2, /^mcs pass feed/],
    [['watch', 'sat1'], 2, /^mcs pass watch/],
    [['fly'], 2, /mcs pass list(.|\n)*mcs pass predict(.|\n)*--token/],
  ] as const)('%j: exit code %i', async (args, expected, error) => {
    expect(await mcs('ada', ...args)).toMatchObject({
      code: expected,
      out: '',
      err: expect.stringMatching(error),
    });
  });
});

describe('mcs pass show', () => {
  it('MC-PASS-019 MC-PASS-032 shows a merged pass and what each source wrote of it', async () => {
    await put('dynamics', aPass('p1', 0, { rates: { downlink: '9600 bit/s' }, protocol: 'ax25' }));
    await put('network', booking('b1', 1, { uplink: false }));
    const { code, out } = await mcs('ada', 'show', 'sat1', 'b1');
    expect(code).toBe(0);
    const [merged, fds, provider] = out.split('\n\n');
    expect(merged).toMatch(/^sat1 {2}p1\n {2}status +booked\n/);
    for (const line of [
      /AOS +\S+ \S+Z {2}\(AOS in .*\)/,
      /uplink +RX only/,
      /rates +downlink 9600 bit\/s/,
      /gateway +not checked/,
    ])
      expect(merged).toMatch(line);
    expect(fds).toMatch(
      /^as fds wrote it {2}p1\n {2}status +predicted(.|\n)*protocol +ax25(.|\n)*by dynamics at/,
    );
    expect(provider).toMatch(/^as provider wrote it {2}b1\n {2}status +booked(.|\n)*by network at/);
    const view = JSON.parse((await mcs('ada', 'show', 'sat1', 'p1', '--json')).out) as PassView;
    expect(Object.keys(view.pass.contributions ?? {})).toEqual(['fds', 'provider']);
  });
});

describe('mcs pass put', () => {
  it('writes a pass of YAML, and answers it as it is stored', async () => {
    const yaml = `id: p1\ntarget: sat1\nstation: kiruna\naos: ${at(0)}\nlos: ${at(10)}\nmax_elevation: 47.3 deg\nsource: fds\nstatus: predicted\n`;
    const { code, out, err } = await mcs('dynamics', 'put', await file('p.yaml', yaml));
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(
      /^\d{4}-\d\d-\d\d {2}\S+Z {2}\S+Z {2}10:00 {2}sat1 {2}kiruna {2}47.3° {2}predicted {2}uplink {2}- {2}p1\n$/,
    );
    expect((await stored()).map((each) => each.pass.id)).toEqual(['p1']);
    const json = await mcs('network', 'put', await file('b.json', booking('b1', 0)), '--json');
    expect(JSON.parse(json.out)).toMatchObject({ pass: { id: 'p1', status: 'booked' } });
  });

  it('post-all.U1 stops at the first that is refused, names it, and reports how many are written', async () => {
    const bad = aPass('p2', 20, { max_elevation: '95 deg' });
    const { code, err, lines } = await put('dynamics', aPass('p1', 0), bad, aPass('p3', 40));
    expect([code, lines.length]).toEqual([1, 1]);
    expect(err).toMatch(
      /^pass p2: pass::invalid: .*95 deg.*\n1 of 3 passes are written; this one and 1 behind it are not\n$/,
    );
    expect((await stored()).map((each) => each.pass.id)).toEqual(['p1']);
    expect((await put('eve', aPass('p9', 0))).err).toMatch(/^pass p9: pass::not-a-feeder: eve /);
  });

  it.each([
    ['', /is empty/],
    ['a: [1, 2', /bad\.yaml:1:\d+: /],
    ['[]', /has no passes/],
    ['- 3', /entry 1 of .* is not a pass/],
    ['{ passes: [] }', /holds snapshots, .*mcs pass feed/],
    ['a: 1\n---\nb: 1', /holds several documents/],
    ['- { passes: [] }\n- { id: p1 }', /has both passes and snapshots/],
  ])('of %j sends nothing', async (text, error) => {
    await expect(mcs('dynamics', 'put', await file('bad.yaml', text))).rejects.toThrow(error);
    expect(await stored('?all=true')).toEqual([]);
  });
});

describe('mcs pass feed', () => {
  const WINDOW = ['--source', 'fds', '--target', 'sat1', '--from', at(0), '--to', at(100)];

  it('MC-PASS-027 a list with its interval replaces what the source said there', async () => {
    await put('dynamics', aPass('p1', 0), aPass('p2', 20), aPass('later', 200));
    const { code, out } = await mcs('dynamics', 'feed', await file('l.json', [aPass('p2', 20)]), ...WINDOW);
    expect([code, out]).toEqual([0, 'sat1  1 pass upserted, 1 cancelled\n']);
    expect((await stored()).map(({ pass: { id, status } }) => [id, status])).toEqual([
      ['p1', 'cancelled'],
      ['p2', 'predicted'],
      ['later', 'predicted'],
    ]);
    const none = await mcs('dynamics', 'feed', await file('l.json', []), ...WINDOW, '--json');
    expect(JSON.parse(none.out)).toEqual({ target: 'sat1', source: 'fds', upserted: [], cancelled: ['p2'] });
  });

  it('pass-feed.N1 takes several snapshots; one that is refused keeps no other back', async () => {
    const snapshot = (target: string) => ({ source: 'fds', target, from: at(0), to: at(100), passes: [] });
    const path = await file('s.json', ['sat1', 'sat9', 'sat2'].map(snapshot));
    const some = await mcs('dynamics', 'feed', path);
    expect([some.code, some.out]).toEqual([
      1,
      'sat1  0 passes upserted, 0 cancelled\nsat2  0 passes upserted, 0 cancelled\n',
    ]);
    expect(some.err).toMatch(/^sat9: pass::unknown-target: .*\n$/);
    const none = await mcs('eve', 'feed', path);
    expect([none.code, none.out]).toEqual([1, '']);
    expect(none.err).toMatch(/^sat1: pass::not-a-feeder: .*\nsnapshots behind it, not sent: 2\n$/);
  });

  it('does not guess what a file means', async () => {
    const feed = async (content: unknown, ...more: string[]) =>
      mcs('dynamics', 'feed', await file('f.json', content), ...more);
    await expect(feed([])).rejects.toThrow(/has no snapshot: nothing is changed/);
    await expect(feed([aPass('p1', 0)])).rejects.toThrow(/passes without an interval/);
    await expect(feed({ passes: [] }, ...WINDOW)).rejects.toThrow(/names source, target and interval itself/);
  });
});

describe('mcs pass predict --feed', () => {
  const KIRUNA = ['--station', 'kiruna=67.8571,20.9643,402 m,5 deg', '--from', '2024-06-25', '--days', '1'];
  const PREDICT = ['predict', '--elements', ELEMENTS, '--target', 'sat1=43013', ...KIRUNA];

  it('feeds what it predicts as source fds, and cancels what is predicted no more', async () => {
    const gone = { aos: '2024-06-25T00:10:00Z', los: '2024-06-25T00:20:00Z' };
    await put('dynamics', aPass('gone', 0, gone));
    const { code, out } = await mcs('dynamics', ...PREDICT, '--feed');
    expect([code, out]).toEqual([0, 'sat1  11 passes upserted, 1 cancelled\n']);
    const printedOnes = JSON.parse((await mcs('ada', ...PREDICT, '--json')).out) as {
      passes: { id: string }[];
    }[];
    const there = await stored('?all=true');
    expect(there.filter(({ pass }) => pass.status === 'predicted').map(({ pass }) => pass.id)).toEqual(
      printedOnes[0]!.passes.map(({ id }) => id),
    );
    const again = await mcs('dynamics', 'feed', await file('w.json', printedOnes));
    expect(again.out).toBe('sat1  11 passes upserted, 0 cancelled\n');
  });

  it('pass-predict-feed.P1 cancels nothing of a target that it cannot predict', async () => {
    // A perigee below the ground from its first second on.
    const { feedPrediction } = await import('../../cli/pass-predict-feed.ts');
    await put('dynamics', aPass('p1', 0));
    const service = { api: world.url, user: 'dynamics', roles: undefined, token: undefined };
    const known = { target: 'sat2', fromMs: START, toMs: START + HOUR, passes: [] };
    const unknown = { target: 'sat1', fromMs: START, toMs: START, passes: [] };
    printed.err = '';
    expect(await feedPrediction({ targets: [unknown, known], warnings: [] }, { service, json: false })).toBe(
      true,
    );
    expect(printed.err).toBe('sat1: no prediction: its passes stay as they are\n');
    expect((await stored()).map(({ pass: { status } }) => status)).toEqual(['predicted']);
    expect(await feedPrediction({ targets: [unknown], warnings: [] }, { service, json: false })).toBe(false);
  });

  it.each([
    [['--every', '1h'], 2, /^mcs pass predict/],
    [['--feed', '--every', '1h', '--from', '2024-06-25'], 2, /^mcs pass predict/],
  ])('%j is refused', async (more, expected, error) => {
    const words = PREDICT.filter((_, index) => index < PREDICT.indexOf('--from'));
    const { code, err } = await mcs('dynamics', ...words, ...more);
    expect([code, err]).toEqual([expected, expect.stringMatching(error)]);
  });

  it.each([
    ['5 s', '7'],
    ['2 d', '1'],
    ['often', '1'],
  ])('--every %s with --days %s is refused', async (every, days) => {
    const words = [
      ...PREDICT.slice(0, PREDICT.indexOf('--from')),
      '--days',
      days,
      '--feed',
      '--every',
      every,
    ];
    await expect(mcs('dynamics', ...words)).rejects.toThrow(/--every/);
  });
});
