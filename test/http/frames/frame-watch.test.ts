/** Which gateways a watcher of the links of a target follows while their passes come and go. */

import { beforeEach, expect, it } from 'vitest';
import { encodeBatch } from '../../../contract/batch.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import { PASS_CHECK_MS } from '../../../contract/limits/pass.ts';
import { Outage } from '../../../contract/outage.ts';
import { type WatchedGateway, watchFrames } from '../../../http/frames/frame-watch.ts';
import type { RoutePorts } from '../../../http/ports.ts';
import type { Gateway, Target } from '../../../mission/mission.ts';
import type { Stoppable } from '../../../ports/bus.ts';
import { LogBus } from '../../actors/telecommand/log-bus.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';
import { keptLog } from '../../support/silent-log.ts';

let bus: LogBus;
let clock: ManualClock;
let serving: string[];
let received: string[];
let watch: Stoppable;

beforeEach(async () => {
  bus = new LogBus();
  clock = new ManualClock(0);
  serving = [];
  received = [];
  const missions = { current: undefined, onChange: () => () => undefined };
  watch = await watchFrames({
    target: { name: 'sat1' } as Target,
    gateways: () => serving.map((name): WatchedGateway => ({ gateway: { name } as Gateway, links: [] })),
    raw: true,
    ports: { bus, clock, log: keptLog(), missions } as unknown as RoutePorts,
    writer: {
      push: (text: string) => {
        const event = JSON.parse(text) as { kind: string; gateway: string; frame?: string };
        if (event.kind === 'received') received.push(`${event.gateway} ${event.frame}`);
      },
      room: () => undefined,
      finish: () => undefined,
    } as never,
  });
});

/** A frame of each gateway, received now. */
async function frame(byte: number): Promise<void> {
  for (const gateway of ['gw-1', 'gw-2']) {
    const batch = encodeBatch({ at: [clock.now()], frames: [Buffer.of(byte)] });
    await bus.append(streams.frames, subject.frames(gateway), batch);
  }
  await settled();
  await clock.run(1_000, 100);
}

it('frame-watch.W3 follows a gateway from the look behind the beginning of its pass to the one behind its end', async () => {
  await frame(1);
  serving = ['gw-1'];
  await frame(2);
  await clock.run(PASS_CHECK_MS, 1_000);
  await frame(3);
  serving = ['gw-2'];
  await clock.run(PASS_CHECK_MS, 1_000);
  await frame(4);
  serving = [];
  await clock.run(PASS_CHECK_MS, 1_000);
  await frame(5);
  expect(received).toEqual(['gw-1 03', 'gw-2 04']);
  await watch.stop();
});

it('frame-watch.W3 looks again behind a look during which the bus was away', async () => {
  serving = ['gw-1'];
  bus.followsToFail = 1;
  await clock.run(PASS_CHECK_MS, 1_000);
  await frame(1);
  await clock.run(PASS_CHECK_MS, 1_000);
  await frame(2);
  expect(received).toEqual(['gw-1 02']);
  await watch.stop();
});

it('follows nothing and waits for nothing once it is stopped', async () => {
  serving = ['gw-1'];
  await clock.run(PASS_CHECK_MS, 1_000);
  expect(bus.listening).toBeGreaterThan(0);
  await watch.stop();
  expect([bus.listening, clock.waiting]).toEqual([0, 0]);
});

it('is not begun again by a look that ends behind its stop', async () => {
  serving = ['gw-1'];
  bus.answer = () => {
    throw new Outage('bus.no-responder', 'gw-1');
  };
  clock.advance(PASS_CHECK_MS);
  const stopped = watch.stop();
  await settled();
  await stopped;
  expect([bus.listening, clock.waiting]).toEqual([0, 0]);
});
