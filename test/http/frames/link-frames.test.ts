/** The frames of a target on a real bus, as a watcher sees them. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeBatch } from '../../../contract/batch.ts';
import { header } from '../../../contract/bus/headers.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import { FRAME_DECODED_MS, FRAME_HEAD_BYTES } from '../../../contract/limits/link.ts';
import type { GatewayReport, SentMessage } from '../../../contract/link.ts';
import type { Clock } from '../../../ports/clock.ts';
import { until } from '../../support/until.ts';
import { type Followed, follow, realClock } from '../fixture.ts';
import { startWorld, testMission, type World } from '../world.ts';

const TC = '01J00000000000000000000001';
let world: World;
let watch: Followed;
/** How long the front end waits for the samples of a frame. */
let decodedWithinMs = FRAME_DECODED_MS;
const clock: Clock = {
  ...realClock,
  setTimeout: (fire, delayMs) =>
    realClock.setTimeout(fire, delayMs === FRAME_DECODED_MS ? decodedWithinMs : delayMs),
};

beforeAll(async () => {
  world = await startWorld(clock);
});
afterAll(() => world.stop());

async function open(query = ''): Promise<Followed> {
  const opened = await follow(`${world.url}/v1/links/sat1/frames${query}`);
  expect(opened.opened, JSON.stringify(opened.refused)).toBe(true);
  return opened;
}

const of = (kind: string) => watch.messages.filter((event) => event.kind === kind);

/** Frames as a gateway would store them; their position. */
async function store(frames: readonly Buffer[], at: readonly number[]): Promise<number> {
  const stored = await world.bus.append(streams.frames, subject.frames('gw-1'), encodeBatch({ at, frames }));
  return stored.outcome === 'conflict' ? 0 : stored.seq;
}

async function decode(source: number, samples: Record<string, number>, ground: number, link = 'uhf') {
  const platform = world.mission.targets.get('sat1')!.platform!;
  const ordinals = Uint32Array.from(Object.keys(samples), (key) => platform.ordinal(key)!);
  const one = (value: number) => Float64Array.of(value);
  const block = {
    ordinals,
    ground: one(ground),
    onboard: one(Number.NaN),
    raw: Float64Array.from(Object.values(samples)),
  };
  const reports = [{ reference: 'r1', stage: 'acceptance', ok: false, code: 2, at: ground } as const];
  const batch = encodeBatch({ platform: platform.digest, link, blocks: [block], reports });
  const headers = { [header.source]: String(source) };
  await world.bus.append(streams.decoded, subject.decoded('sat1'), batch, { headers });
}

describe('a watcher', () => {
  beforeAll(async () => {
    watch = await open();
  });
  afterAll(() => watch.close());

  it('is reported that nobody runs the gateway, and of each change of its link once', async () => {
    await until(() => of('state').length === 1);
    expect(of('state')[0]).toMatchObject({
      gateway: 'gw-1',
      state: 'down',
      reason: 'no process runs this gateway',
    });
    const link = { state: 'up', since: new Date().toISOString() } as const;
    const report = (more: object) => {
      const message: Partial<GatewayReport> = { gateway: 'gw-1', link, ...more };
      world.bus.publish(subject.metrics, Buffer.from(JSON.stringify(message)));
    };
    report({});
    report({});
    report({ gateway: 'gw-2', link: { ...link, state: 'down' } });
    // As a gateway of a version before says it.
    const since = Date.UTC(2026, 0, 2) as unknown as string;
    report({ link: { state: 'silent', since, reason: 'nothing heard' } });
    await until(() => of('state').length === 3);
    expect(of('state').map(({ state }) => state)).toEqual(['down', 'up', 'silent']);
    expect(of('state').map((each) => each.since)).toEqual([
      undefined,
      link.since,
      '2026-01-02T00:00:00.000Z',
    ]);
  });

  it('sees received frames in order, with samples in units and reports', async () => {
    const now = Date.now();
    // However long the bus takes for what is decoded; the other links decode nothing of these.
    decodedWithinMs = 60_000;
    const source = await store([Buffer.from('aa', 'hex'), Buffer.alloc(40, 7)], [now, now + 0.5]);
    await decode(source, { 'obc.temperature': 2_150, 'obc.mode': 2 }, now + 0.5);
    for (const link of ['sband', 'bare']) await decode(source, { 'obc.counter': 1 }, now + 0.75, link);
    await until(() => of('received').length === 2);
    decodedWithinMs = FRAME_DECODED_MS;
    const [first, second] = of('received');
    expect(first).toMatchObject({ gateway: 'gw-1', size: 1, frame: 'aa', samples: [] });
    expect(first).not.toHaveProperty('link');
    expect(second).toMatchObject({
      gateway: 'gw-1',
      link: 'uhf',
      size: 40,
      frame: '07'.repeat(FRAME_HEAD_BYTES),
    });
    expect(second.samples).toMatchObject([
      { component: 'obc', measure: 'temperature', raw: 2_150, value: 21.5, unit: 'degC' },
      { component: 'obc', measure: 'mode', value: 'NOMINAL' },
    ]);
    expect(second.reports).toEqual([{ reference: 'r1', stage: 'acceptance', ok: false, code: 2 }]);
  });

  it('sees a frame that nobody decodes all the same', async () => {
    const before = of('received').length;
    await store([Buffer.from('ffff', 'hex')], [Date.now()]);
    await until(() => of('received').length > before);
    expect(of('received').at(-1)).toMatchObject({ frame: 'ffff', samples: [] });
  });

  it('sees sent frames of its target with their telecommand, whatever became of them', async () => {
    const at = new Date().toISOString();
    await world.event('sat1', {
      tc: TC,
      state: 'PENDING',
      at,
      target: 'sat1',
      telecommand: { component: 'battery', instance: '2', telecommand: 'heat' },
    });
    const sent = (more: Partial<SentMessage>) => {
      const key = `telecommand:sat1.${TC}:3:1`;
      const message: SentMessage = {
        target: 'sat1',
        key,
        frame: 'c0ffee',
        outcome: 'sent',
        at,
        ...more,
      };
      world.bus.publish(subject.sent('gw-1'), Buffer.from(JSON.stringify(message)));
    };
    sent({});
    // A gateway of a version before.
    sent({ at: Date.parse(at) as never });
    sent({ target: 'sat2' });
    sent({ outcome: 'refused', detail: 'no', key: 'procedure:x:1:1' });
    await until(() => of('sent').length === 3);
    expect(of('sent')).toMatchObject([
      { at, frame: 'c0ffee', size: 3, outcome: 'sent', tc: TC, telecommand: 'battery[2].heat' },
      { at, frame: 'c0ffee', outcome: 'sent', tc: TC },
      { outcome: 'refused', detail: 'no' },
    ]);
    expect(of('sent')[2]).not.toHaveProperty('tc');
  });

  it('passes over what is no message of ours', async () => {
    const before = watch.messages.length;
    world.bus.publish(subject.sent('gw-1'), Buffer.from('{'));
    const wrong = { target: 'sat1', key: 'k', frame: 7, outcome: 'sent', at: 1 };
    world.bus.publish(subject.sent('gw-1'), Buffer.from(JSON.stringify(wrong)));
    world.bus.publish(subject.metrics, Buffer.from('{"gateway":"gw-1","link":null}'));
    await store([Buffer.alloc(1)], [Number.NaN]);
    await world.bus.append(streams.decoded, subject.decoded('sat1'), Buffer.from('noise'));
    world.bus.publish(subject.metrics, Buffer.from('null'));
    await world.bus.append(streams.frames, subject.frames('gw-1'), Buffer.from('noise'));
    await store([Buffer.from('0f', 'hex')], [Date.now()]);
    await until(() => watch.messages.length > before);
    expect(watch.messages.at(-1)).toMatchObject({ kind: 'received', frame: '0f' });
  });

  it('frame-watch.W2 is closed when the configuration changes, to open again', async () => {
    const before = world.missions.current!;
    world.missions.publish(testMission('platform: box\nversion: 1.0.0\ncomponents: { camera: {} }\n'));
    await until(() => watch.closed);
    expect(watch.closed).toMatchObject({ code: 1001 });
    world.missions.publish(before);
  });
});

it('shows whole frames when asked to, and only gateways of the link asked for', async () => {
  watch = await open('?link=sband&raw=true');
  await store([Buffer.alloc(100, 3)], [Date.now()]);
  await until(() => of('received').length === 1);
  expect(of('received')[0]).toMatchObject({ size: 100, frame: '03'.repeat(100) });
  watch.close();
});

it('http/follow.F4 frame-watch.W1 a watcher that is behind keeps its socket, and is reported how many frames it did not see', {
  timeout: 120_000,
}, async () => {
  watch = await open('?raw=true');
  await until(() => of('state').length === 1);
  watch.socket.pause();
  const [messages, perMessage] = [60, 30];
  const at = Array.from({ length: perMessage }, (_, index) => Date.now() + index / 1024);
  for (let n = 0; n < messages; n += 1)
    await store(
      at.map(() => Buffer.alloc(12_000, n)),
      at,
    );
  const frames = messages * perMessage;
  // The last frame is seen or counted once the watcher has caught up.
  watch.socket.resume();
  const skipped = () => of('skipped').reduce((sum, event) => sum + event.frames, 0);
  await until(() => of('received').length + skipped() === frames, {
    timeoutMs: 90_000,
    what: 'every frame seen or counted',
  });
  expect(skipped()).toBeGreaterThan(0);
  expect(watch.closed).toBeUndefined();
  await store([Buffer.from('e0', 'hex')], [Date.now()]);
  await until(() => of('received').at(-1)?.frame === 'e0');
  watch.close();
});
