/** The WebSockets of the bench, on real sockets over a scripted bench. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeFeed, FEEDS, type FeedMessage } from '../../../contract/bench/feed.ts';
import { BenchFrame } from '../../../contract/bench/frame.ts';
import {
  BENCH_FRAMES_KEPT,
  TRANSMIT_FEED_MESSAGE_BYTES,
  TRANSMIT_FEED_UNANSWERED,
  TRANSMIT_FEED_WAITING,
} from '../../../contract/limits/bench.ts';
import { benchFollows } from '../../../http/bench/front-end.ts';
import { exampleOf } from '../../../http/schema-components.ts';
import { checkMessage } from '../../support/conformance.ts';
import { until } from '../../support/until.ts';
import { rawConnection } from '../fixture.ts';
import { benchCoverage, type ServedBench, seenWithIdentity, serveBench, watch } from './fixture.ts';
import { fault, type ScriptedBench, scriptedBench } from './scripted.ts';

const frame = exampleOf(BenchFrame) as BenchFrame;
let script: ScriptedBench;
let served: ServedBench;

beforeEach(async () => {
  script = scriptedBench();
  served = await serveBench(script.bench);
});
afterEach(() => served.close());

const picture = (seq: number, floats = new Float32Array(4)): FeedMessage => ({
  seq,
  dropped: 0,
  uptimeMs: 1_000,
  floats,
  description: { kind: 'spectrum', source: 'stub', center_hz: 2.4e9, span_hz: 4e6 },
});

/** Upgrades and reads nothing more. */
async function stuckWatcher(path: string) {
  const connection = await rawConnection(served.port);
  connection.send(
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${served.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n',
  );
  await until(() => connection.received().includes('101'));
  connection.socket.pause();
  return connection;
}

describe('/ws/frames', () => {
  it('RB-LOG-008 sends one FrameDRO a message, as they come', async () => {
    const url = `${served.url}/ws/frames`;
    const watcher = await watch(url);
    for (const reported of script.frameWatchers)
      for (const crc_ok of [true, false]) reported({ ...frame, crc_ok });
    await until(() => watcher.messages.length === 2);
    expect(watcher.texts()).toEqual([
      { ...frame, crc_ok: true },
      { ...frame, crc_ok: false },
    ]);
    expect(watcher.messages.some(({ isBinary }) => isBinary)).toBe(false);
    for (const message of watcher.texts()) checkMessage(url, message);
    watcher.socket.terminate();
    await until(() => script.frameWatchers.size === 0);
  });

  it('frame-feed.B1 writes a capture of many blocks without a gap', async () => {
    const watcher = await watch(`${served.url}/ws/frames`);
    const payload_hex = 'ab'.repeat(4096);
    const [told] = script.frameWatchers;
    for (let index = 0; index < BENCH_FRAMES_KEPT; index += 1)
      told!({ ...frame, profile: `${index}`, payload_hex });
    await until(() => watcher.messages.length === BENCH_FRAMES_KEPT);
    expect(watcher.texts().map((each) => (each as BenchFrame).profile)).toEqual(
      Array.from({ length: BENCH_FRAMES_KEPT }, (_none, index) => `${index}`),
    );
  });

  it('frame-feed.B1 ends a watcher who takes nothing instead of leaving a gap', async () => {
    const connection = await stuckWatcher('/ws/frames');
    const payload_hex = 'ab'.repeat(4096);
    const [told] = script.frameWatchers;
    for (let index = 0; index < 4 * BENCH_FRAMES_KEPT; index += 1) told!({ ...frame, payload_hex });
    await until(() => script.frameWatchers.size === 0);
    connection.destroy();
  });
});

describe.each(FEEDS)('/ws/%s', (feed) => {
  it('RB-LOG-008 sends the bytes of each message as the bench made them', async () => {
    const watcher = await watch(`${served.url}/ws/${feed}`);
    expect(script.asked).toEqual([{ what: 'feeds.watch', args: [feed, expect.any(Function)] }]);
    const [told] = script.feedWatchers;
    const message = encodeFeed(picture(1));
    told!(message);
    await until(() => watcher.messages.length === 1);
    expect(watcher.messages[0]).toEqual({ data: Buffer.from(message), isBinary: true });
    watcher.socket.terminate();
    await until(() => script.feedWatchers.size === 0);
  });
});

describe('pictures for a slow watcher', () => {
  it('http/follow.F6 are the newest alone, marked with how many it has missed', async () => {
    const watcher = await watch(`${served.url}/ws/spectrum`);
    const [told] = script.feedWatchers;
    // In one turn: nothing leaves before the turn ends.
    for (let seq = 0; seq < 5; seq += 1) told!(encodeFeed(picture(seq)));
    await until(() => watcher.messages.length === 1);
    told!(encodeFeed(picture(5)));
    await until(() => watcher.messages.length === 2);
    const heads = watcher.messages.map(({ data }) => [data.readUInt32LE(4), data.readUInt32LE(8)]);
    expect(heads).toEqual([
      [4, 4],
      [5, 4],
    ]);
  });

  it('http/follow.F6 do not pile up, and the socket stays open', async () => {
    const connection = await stuckWatcher('/ws/spectrum');
    const [told] = script.feedWatchers;
    const floats = new Float32Array(64 * 1024);
    for (let seq = 0; seq < 400; seq += 1) {
      told!(encodeFeed(picture(seq, floats)));
      await new Promise((resolve) => setImmediate(resolve));
    }
    const counts = await (await fetch(`${served.url}/metrics`)).text();
    // What is not left out is what the buffers of the kernel take, some megabytes of a hundred.
    expect(Number(/bench_http_conflated_total (\d+)/.exec(counts)![1])).toBeGreaterThan(200);
    let bytes = 0;
    connection.socket.on('data', (data: Buffer) => {
      bytes += data.length;
    });
    connection.socket.resume();
    // The last one comes, whatever was left out.
    await until(() => bytes > 256 * 1024);
    expect(connection.closed()).toBe(false);
    expect(script.feedWatchers.size).toBe(1);
    connection.destroy();
  });
});

describe('/ws/transmit', () => {
  const url = (query = '') => `${served.url}/ws/transmit${query}`;

  it('RB-LOG-008 RB-TX-002 takes packets as JSON and as bytes, and answers each in order', async () => {
    const feed = await watch(url('?framing=slot&slot_len=256'));
    feed.socket.send('{"protocol":"csp","header":{"src":1,"dst":2,"dport":3,"sport":4},"payload_hex":"00"}');
    feed.socket.send(Uint8Array.of(0xde, 0xad));
    feed.socket.send('{"protocol":"raw","payload_hex":"abc"}');
    feed.socket.send('{');
    feed.socket.send(Uint8Array.of());
    await until(() => feed.messages.length === 5);
    expect(feed.texts()).toMatchObject([
      { seq: 1, accepted: true, pending_bytes: 7 },
      { seq: 2, accepted: true, pending_bytes: 7 },
      { seq: 3, accepted: false, error: { code: 'validation_failed' } },
      {
        seq: 4,
        accepted: false,
        error: { code: 'validation_failed', message: expect.stringContaining('not JSON') },
      },
      { seq: 5, accepted: true },
    ]);
    for (const answer of feed.texts()) checkMessage(url(), answer);
    const framing = { mode: 'slot', slot_len: 256 };
    expect(script.asked.map(({ args }) => args)).toEqual([
      [expect.objectContaining({ protocol: 'csp' }), framing],
      [{ protocol: 'raw', payload_hex: 'dead' }, framing],
      [{ protocol: 'raw', payload_hex: '' }, framing],
    ]);
  });

  it('frames as a stream where nothing is said', async () => {
    const feed = await watch(url());
    feed.socket.send(Uint8Array.of(1));
    await until(() => feed.messages.length === 1);
    expect(script.asked[0]!.args[1]).toEqual({ mode: 'stream' });
  });

  it('passes the refusal of the bench on and goes on', async () => {
    const feed = await watch(url());
    script.refusal = { ...fault('not_found'), help: 'attach a board' };
    feed.socket.send(Uint8Array.of(1));
    await until(() => feed.messages.length === 1);
    script.refusal = undefined;
    feed.socket.send(Uint8Array.of(1));
    await until(() => feed.messages.length === 2);
    expect(feed.texts()).toEqual([
      {
        seq: 1,
        accepted: false,
        error: { code: 'not_found', message: 'scripted: not_found', help: 'attach a board' },
      },
      { seq: 2, accepted: true, pending_bytes: 7 },
    ]);
  });

  it('transmit-feed.X2 refuses in turn what is more than may wait for a slow board', async () => {
    const feed = await watch(url());
    let open = (): void => undefined;
    script.gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const sent = TRANSMIT_FEED_WAITING + 3;
    for (let index = 0; index < sent; index += 1) feed.socket.send(Uint8Array.of(index));
    await pinged(feed.socket);
    expect(script.asked).toHaveLength(1);
    expect(feed.messages).toHaveLength(0);
    open();
    await until(() => feed.messages.length === sent);
    const answers = feed.texts() as { seq: number; accepted: boolean; error?: { code: string } }[];
    expect(answers.map(({ seq }) => seq)).toEqual(Array.from({ length: sent }, (_none, index) => index + 1));
    expect(answers.filter(({ accepted }) => accepted)).toHaveLength(TRANSMIT_FEED_WAITING);
    expect(answers.at(-1)).toMatchObject({ accepted: false, error: { code: 'conflict' } });
    expect(script.asked).toHaveLength(TRANSMIT_FEED_WAITING);
  });

  it('transmit-feed.X2 http/follow.F7 closes a client that never waits for an answer with 4429', async () => {
    const feed = await watch(url());
    script.gate = new Promise(() => undefined);
    for (let index = 0; index <= TRANSMIT_FEED_UNANSWERED; index += 1) feed.socket.send(Uint8Array.of(1));
    await until(() => feed.closed !== undefined);
    expect(feed.closed).toMatchObject({ code: 4429 });
    expect(script.asked).toHaveLength(1);
  });

  it('ends a socket whose message is larger than any packet', async () => {
    const feed = await watch(url());
    feed.socket.send(Buffer.alloc(TRANSMIT_FEED_MESSAGE_BYTES + 1));
    await until(() => feed.closed !== undefined);
    expect(script.asked).toEqual([]);
  });

  it('a defect ends it with 1011 and stands in the log', async () => {
    const feed = await watch(url());
    script.defect = new Error('broken');
    feed.socket.send(Uint8Array.of(1));
    await until(() => feed.closed !== undefined);
    expect(feed.closed).toMatchObject({ code: 1011 });
    expect(served.log.lines).toMatchObject([{ level: 'error', fields: { err: script.defect } }]);
  });

  it('asks the board nothing more once its client has gone', async () => {
    const feed = await watch(url());
    let open = (): void => undefined;
    script.gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    for (let index = 0; index < 5; index += 1) feed.socket.send(Uint8Array.of(index));
    await pinged(feed.socket);
    feed.socket.terminate();
    await until(async () =>
      /bench_http_followers 0/.test(await (await fetch(`${served.url}/metrics`)).text()),
    );
    open();
    await script.gate;
    expect(script.asked.filter(({ what }) => what === 'datapath.feed')).toHaveLength(1);
  });

  it.each([
    ['?framing=slot', 'slot_len'],
    ['?slot_len=256', 'framing=slot'],
    ['?framing=slot&slot_len=0', 'slot_len'],
    ['?framing=slot&slot_len=4097', 'slot_len'],
    ['?framing=packets', 'stream, slot'],
  ])('RB-ERR-002 %s is refused before the upgrade', async (query, mentioned) => {
    const coverage = benchCoverage();
    const { refused } = await coverage.follow(url(query));
    expect(refused).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    expect(refused!.body.message + refused!.body.help).toContain(mentioned);
  });
});

/** Resolves when the server has seen everything sent before. */
function pinged(socket: import('ws').WebSocket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('pong', () => resolve());
    socket.ping();
  });
}

describe('every feed', () => {
  it.each(benchFollows.map(({ path }) => path))(
    '%s opens, and refuses what it does not know',
    async (path) => {
      const coverage = benchCoverage();
      const url = `${served.url}${path}`;
      expect((await coverage.follow(`${url}?nonsense=1`)).refused).toMatchObject({ status: 400 });
      expect((await coverage.follow(url, { origin: 'http://elsewhere.example' })).refused).toMatchObject({
        status: 403,
        body: { code: 'foreign_origin' },
      });
      expect((await coverage.call(url)).status).toBe(404);
      (await coverage.open(url)).close();
      const { operationId } = benchFollows.find((each) => each.path === path)!;
      const missing = coverage.missing().filter((item) => !seenWithIdentity(item));
      expect(missing.filter((item) => item.startsWith(`${operationId} `))).toEqual([]);
    },
  );
});
