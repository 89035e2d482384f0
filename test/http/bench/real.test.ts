/**
 * The front end over the real radio with the model of the board; its runs are scripted. What it answers conforms
 * (fixture).
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BLOCK_BYTES } from '../../../contract/bench/datapath.ts';
import { BENCH_ERRORS } from '../../../contract/bench/errors.ts';
import { type BenchWorld, startBenchWorld } from '../../actors/sdr/bench-world.ts';
import { until } from '../../support/until.ts';
import { type Answer, call } from '../fixture.ts';
import { type ServedBench, serveBench, watch } from './fixture.ts';
import { scriptedBench } from './scripted.ts';

let world: BenchWorld;
let served: ServedBench;

beforeAll(async () => {
  world = await startBenchWorld({ wired: 'pl-loopback' });
  const { scenarios, campaigns } = scriptedBench().bench;
  served = await serveBench({ ...world.bench, scenarios, campaigns });
});
afterAll(async () => {
  await served.close();
  await world.stop();
  // No route answered with a code it does not declare.
  expect(served.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
});

const get = (path: string) => call(`${served.api}${path}`);
const send = (method: string, path: string, body?: unknown) =>
  call(`${served.api}${path}`, {
    method,
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });

function expectRefused({ status, body }: Answer, code: keyof typeof BENCH_ERRORS, words = ''): void {
  expect({ status, code: body.code }).toEqual({ status: BENCH_ERRORS[code].status, code });
  expect(`${body.message} ${body.help}`).toContain(words);
}

describe('without a profile', () => {
  it('RB-DP-002 gives a capture up that nobody waits for any more: the board is free again', async () => {
    const capture = (client: AbortController) =>
      fetch(`${served.api}/datapath/capture`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ blocks: 4096, timeout_ms: 86_400_000 }),
        signal: client.signal,
      }).catch(() => 'gone');
    const [client, second] = [new AbortController(), new AbortController()];
    await send('POST', '/datapath/enable');
    const first = capture(client);
    // Nothing comes: the egress is closed. What captures waits behind it, and nothing else does.
    await until(() => world.context().running[0]?.route === 'POST /api/v1/datapath/capture');
    const queued = capture(second);
    await until(() => world.context().waiting.length === 1);
    // One that has not begun is withdrawn, and the log has no word of a refusal that nobody reads.
    second.abort();
    expect(await queued).toBe('gone');
    await until(() => world.context().waiting.length === 0);
    expect((await send('POST', '/radio/gain', { rx_gain_db: 31 })).status).toBe(200);
    expect(world.context().running).toHaveLength(1);
    client.abort();
    expect(await first).toBe('gone');
    await until(() => world.context().running.length === 0);
    await send('POST', '/datapath/disable');
  });

  it('RB-RAD-008 RB-CAP-001 RB-CAP-005 RB-CAP-006 RB-CAP-008 reads what the board is and can', async () => {
    for (const path of [
      '/radio/state',
      '/capabilities',
      '/radio/aux',
      '/radio/clocks',
      '/chain',
      '/datapath',
    ])
      expect((await get(path)).status).toBe(200);
    expect((await get('/capabilities')).body.mock).toBe(true);
  });

  it('RB-ERR-004 RB-CHAIN-015 refuses to condition the chain 409', async () => {
    expectRefused(await send('POST', '/chain/condition', { target: 'pl-loopback' }), 'conflict', 'profile');
  });

  it('RB-RAD-008 RB-RAD-015 answers every radio command with the status, and refuses what is out of reach 400', async () => {
    for (const [path, body] of [
      ['/radio/frequency', { center_frequency_hz: 2_245_000_000, channel: 'rx' }],
      ['/radio/gain', { rx_gain_db: 30 }],
      ['/radio/loopback', { enabled: false }],
      ['/radio/reset', { scope: 'rx' }],
    ] as const)
      expect((await send('POST', path, body)).body).toMatchObject({ rx_gain_db: expect.any(Number) });
    for (const center_frequency_hz of [0, 1_000_000, 60_000_000_000])
      expectRefused(await send('POST', '/radio/frequency', { center_frequency_hz }), 'validation_failed');
    expectRefused(await send('POST', '/radio/gain', { tx_gain_db: 20 }), 'validation_failed');
  });
});

describe('profiles', () => {
  it('RB-PROF-006 RB-PROF-008 registers YAML and JSON, and says what it replaced', async () => {
    const { body: fast } = await get('/profiles/fast');
    const again = { ...fast, name: 'mine' };
    expect((await send('PUT', '/profiles/mine', again)).body).toMatchObject({ replaced: false });
    const yaml =
      'name: mine\nmodulation: bpsk\nsymbol_rate_baud: 1e6\ncenter_frequency_hz: 2245000000\nrx: {gain_db: 20}\ntx: {gain_db: -20}\n';
    expect((await send('PUT', '/profiles/mine', yaml)).body).toMatchObject({
      replaced: true,
      persisted: false,
    });
  });

  it('RB-GEN-011 RB-PROF-014 RB-PROF-015 refuses a reserved or another name, and what is no profile', async () => {
    const { body: fast } = await get('/profiles/fast');
    for (const name of ['active', 'validate'])
      expectRefused(await send('PUT', `/profiles/${name}`, { ...fast, name }), 'validation_failed', name);
    expectRefused(await send('PUT', '/profiles/one', { ...fast, name: 'two' }), 'validation_failed', 'two');
    expectRefused(await send('PUT', '/profiles/one', 'name: [one'), 'validation_failed');
    expectRefused(
      await send('PUT', '/profiles/one', '{"name":"one","modulation":"fm"}'),
      'validation_failed',
      'fm',
    );
  });

  it('RB-ERR-003 RB-PROF-016 does not find what is not there', async () => {
    expectRefused(await get('/profiles/none'), 'not_found', '/api/v1/profiles');
    expectRefused(await get('/profiles/none/revisions'), 'not_found');
    expectRefused(await send('POST', '/profiles/none/apply'), 'not_found');
    expect((await get('/profiles/other/revisions')).body).toEqual([]);
  });

  it('RB-PROF-010 RB-PROF-003 applies one, and a manual change makes it dirty', async () => {
    expect((await send('POST', '/profiles/fast/apply')).body).toMatchObject({ profile_name: 'fast' });
    expect((await get('/profiles/active')).body).toEqual({ name: 'fast', dirty: false });
    await send('POST', '/radio/gain', { rx_gain_db: 39 });
    expect((await get('/profiles/active')).body).toMatchObject({ dirty: true });
    await send('POST', '/profiles/fast/apply');
  });
});

describe('packets and blocks', () => {
  const packets = [{ protocol: 'raw', payload_hex: 'deadbeef' }];
  const framing = { mode: 'slot', slot_len: 256 };

  it('RB-ERR-004 refuses to transmit 409 with the first missing step while the chain cannot carry it', async () => {
    const answer = await send('POST', '/datapath/transmit', { packets, framing });
    expectRefused(answer, 'conflict');
    expect(answer.body).toMatchObject({ next: { command: expect.any(String) }, state: { ready: false } });
  });

  it('RB-DP-015 conditions, transmits, flushes and measures', async () => {
    expect((await send('POST', '/chain/condition', { target: 'pl-loopback' })).body.state.ready).toBe(true);
    expect((await send('POST', '/datapath/transmit', { packets, framing })).body.boundaries_preserved).toBe(
      true,
    );
    expect((await send('POST', '/datapath/flush', { blocks: 2 })).body.useful_bytes).toBeGreaterThan(0);
    const payload = Buffer.alloc(2 * BLOCK_BYTES, 'not the same in each place, ').toString('latin1');
    expect((await send('POST', '/datapath/measure?blocks=4&warmup=4', payload)).body).toMatchObject({
      warmup: 4,
    });
  });

  it('RB-ERR-006 RB-DP-003 refuses a capture that no block comes for with 504', async () => {
    // More than the ring may still hold of the measurement before.
    expectRefused(await send('POST', '/datapath/capture', { blocks: 80, timeout_ms: 200 }), 'timeout', '80');
  });

  it('RB-LIM-002 RB-GEN-002 captures blocks of 4096 bytes, which are frames', async () => {
    const frames = await watch(`${served.url}/ws/frames`);
    const body = Buffer.alloc(BLOCK_BYTES, 'again and again, ');
    const answer = await fetch(`${served.api}/datapath/loopback?blocks=3`, { method: 'POST', body });
    expect((await answer.arrayBuffer()).byteLength).toBe(3 * 4096);
    await until(() => frames.messages.length >= 3);
    const page = await get('/frames?limit=2');
    expect(page.body.frames).toHaveLength(2);
    const [{ id, timestamp }] = page.body.frames;
    expect(Date.parse(timestamp)).toBeLessThan(3_600_000);
    expect((await get(`/frames/${id}`)).body.id).toBe(id);
    expect((await get('/frames?since=1971-01-01T00:00:00Z')).body.frames).toEqual([]);
    const { body: purged } = await send('DELETE', '/frames');
    expect(purged.purged).toBeGreaterThanOrEqual(3);
    expectRefused(await get(`/frames/${id}`), 'not_found');
    frames.socket.terminate();
  });

  it('RB-LOG-008 feeds packets of a socket, and refuses one that does not fit its slot', async () => {
    const feed = await watch(`${served.url}/ws/transmit?framing=slot&slot_len=256`);
    feed.socket.send(Uint8Array.of(1, 2, 3));
    feed.socket.send(Buffer.alloc(257));
    await until(() => feed.messages.length === 2);
    expect(feed.texts()).toMatchObject([
      { seq: 1, accepted: true, pending_bytes: expect.any(Number) },
      { seq: 2, accepted: false, error: { code: 'validation_failed' } },
    ]);
    feed.socket.terminate();
  });

  it('RB-LOG-008 shows the spectrum', async () => {
    const feed = await watch(`${served.url}/ws/spectrum`);
    await until(() => feed.messages.length > 0);
    expect([...feed.messages[0]!.data.subarray(0, 2)]).toEqual([1, 1]);
    feed.socket.terminate();
  });
});

describe('events', () => {
  it('RB-LOG-003 RB-LOG-004 RB-LIM-004 are listed, filtered and purged', async () => {
    const { body: events } = await get('/events?kind=profile.applied');
    expect(events.length).toBeGreaterThan(0);
    expect((await get('/events/latest?n=1')).body).toHaveLength(1);
    expect((await get('/logs?level=error&limit=0')).body).toEqual([]);
    expect((await send('DELETE', '/events', { older_than_hours: 1 })).body).toEqual({ purged: 0 });
    expect((await send('DELETE', '/events', { older_than_hours: 0 })).body.purged).toBeGreaterThan(0);
    expect((await get('/events?kind=profile.applied')).body).toEqual([]);
  });
});

describe('without a board', () => {
  beforeAll(async () => {
    world.away = true;
    world.board().lose('the plug is out');
    await until(async () => (await get('/radio/state')).status === 503, { what: 'the loss of the board' });
  });

  it('RB-ERR-005 RB-DP-005 RB-DP-020 answers 503 where blocks are to come', async () => {
    expectRefused(await send('POST', '/datapath/capture', { blocks: 1 }), 'unavailable');
    expectRefused(await send('POST', '/datapath/loopback', 'bytes'), 'unavailable');
    expectRefused(await send('POST', '/datapath/measure', 'bytes'), 'unavailable');
    expectRefused(await send('POST', '/chain/recover'), 'unavailable');
  });

  it('RB-ERR-003 RB-DP-008 RB-TX-012 answers 404 where packets are to go', async () => {
    expectRefused(await send('POST', '/datapath/flush'), 'not_found');
    const packets = [{ protocol: 'raw', payload_hex: '00' }];
    expectRefused(await send('POST', '/datapath/transmit', { packets }), 'not_found');
  });
});
