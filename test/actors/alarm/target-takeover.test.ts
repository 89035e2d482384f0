/** How the alarms of a target are taken up, followed and left: where reading begins, and what ends with its owner. */

import { describe, expect, it } from 'vitest';
import { streams } from '../../../contract/bus/streams.ts';
import { ALARM_EDGES_WAITING } from '../../../contract/limits/alarm.ts';
import { Outage } from '../../../contract/outage.ts';
import type { KnownSample } from '../../../ports/alarm-watch.ts';
import { settled } from '../../support/manual-clock.ts';
import { follow, HOLD_MS, markOf, record, world } from './hold-world.ts';

const HOUR = 3_600_000;
const NOTHING = { position: 0, at: 0 };

function later<Value>(): { readonly promise: Promise<Value>; readonly resolve: (value: Value) => void } {
  let resolve: (value: Value) => void = () => undefined;
  const promise = new Promise<Value>((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve };
}

describe('where reading begins', () => {
  it('a target that nobody has evaluated is judged by where its values end, however long ago that was', async () => {
    const at = world();
    await at.says('hot');
    await at.clock.run(HOUR, HOUR);
    const { told, start } = await follow(at, 1);
    await start();
    expect(told).toMatchObject([{ severity: 'critical', at: 105_000 }]);
  });

  it('messaging/low-water-mark.F3 the low-water mark keeps the last message recorded, and none where there was none', async () => {
    const at = world();
    const { log, start } = await follow(at, 1);
    await start();
    await at.clock.run(1_100, 100);
    expect(markOf(at.bus)).not.toHaveProperty('known');
    expect(log.said).toEqual([]);
    const stored = at.clock.now();
    const last = await at.says('other');
    await at.clock.run(1_100, 100);
    expect(markOf(at.bus)).toMatchObject({ known: { [streams.values.name]: { seq: last, at: stored } } });
  });

  it('target-alarms.T9 where the stream went back it is at its end, also where that is past the low-water mark again', async () => {
    const at = world();
    const first = await follow(at, 1);
    await first.start();
    for (let n = 0; n < 3; n += 1) await at.says('other');
    await at.clock.run(1_100, 100);
    await first.alarms.stop();
    at.bus.messages(streams.values).splice(0);
    await at.clock.run(5_000, 1_000);
    for (let n = 0; n < 3; n += 1) await at.says('other');
    await at.says('cool');
    await at.says('other');
    await at.clock.run(5_000, 1_000);
    const second = await follow(at, 2);
    second.stands.set('sat1.obc._.hot', record('ACTIVE_ACK', NOTHING));
    await second.start();
    expect(second.told).toMatchObject([{ severity: null, at: at.clock.now() }]);
  });

  it('target-alarms.T9 a record that names a position the stream does not have is behind what happens now', async () => {
    const at = world();
    const { told, stands, start } = await follow(at, 1);
    await start();
    stands.set('sat1.obc._.hot', record('ACTIVE_ACK', { position: 50, at: 7 }));
    await at.says('cool');
    expect(told).toMatchObject([{ severity: null, evaluated: { position: 50, at: 100_000 } }]);
  });

  it('target-alarms.T2 an owner that ends before the head leaves the low-water mark where it was', async () => {
    const at = world();
    const first = await follow(at, 1);
    await first.start();
    await at.says('other');
    await at.says('hot');
    await at.clock.run(HOLD_MS + 1_100, 100);
    await first.alarms.stop();
    const before = markOf(at.bus) as object;
    expect(before).toMatchObject({ position: 2, at: 105_000 });
    at.bus.headAfter = later<void>().promise;
    const second = await follow(at, 2);
    await second.start();
    await second.alarms.stop();
    expect(markOf(at.bus)).toEqual({ ...before, epoch: 2 });
  });
});

describe('what it asks of the bus', () => {
  it('target-alarms.T4 time passes once what stood behind the last message was another target’s', async () => {
    const at = world();
    const { told, start } = await follow(at, 1);
    await start();
    at.bus.behind = 1;
    await at.says('hot');
    await at.clock.run(HOLD_MS + 1, 100);
    expect(told).toEqual([]);
    const [following] = at.bus.following(streams.values);
    expect(following).toMatchObject({ together: true });
    following!.atHead!();
    await at.clock.run(1);
    expect(told).toMatchObject([{ severity: 'critical', at: 105_000 }]);
  });

  it('target-alarms.T9 a stream that goes back is an outage to whoever follows it', async () => {
    const at = world();
    const { failures, start } = await follow(at, 1);
    await start();
    at.bus.following(streams.values)[0]!.wentBack!();
    expect(failures).toEqual([expect.any(Outage)]);
  });

  it('a target with nothing to evaluate by is read, and nothing is said of its alarms', async () => {
    const at = world();
    const { told, failures, stands, start } = await follow(at, 1, { evaluated: false, catalogue: false });
    stands.set('sat1.obc._.hot', record('ACTIVE_ACK', NOTHING));
    await start();
    await at.says('cool');
    const last = await at.says('other');
    await at.clock.run(1_100, 100);
    expect([told, failures]).toEqual([[], []]);
    expect(markOf(at.bus)).toMatchObject({ position: last });
  });

  it('target-alarms.T3 while too many changes wait time does not pass either; it does once there is room', async () => {
    const at = world();
    const { alarms, told, recorded, start } = await follow(at, 1);
    await start();
    const storm = later<void>();
    recorded.wait = storm.promise;
    await at.says('flood');
    await at.clock.run(HOLD_MS + 1_000, 500);
    expect([alarms.waiting, told.length]).toEqual([ALARM_EDGES_WAITING, 0]);
    storm.resolve();
    for (let n = 0; n < ALARM_EDGES_WAITING && alarms.waiting > 0; n += 1) await settled();
    await at.clock.run(1);
    expect(told.at(-1)).toMatchObject({ severity: 'critical', at: 105_000 });
  });
});

describe('what ends with its owner', () => {
  it('one that is stopped before it knows the current values follows nothing and writes no more', async () => {
    const at = world();
    const values = later<readonly KnownSample[]>();
    const { alarms, start } = await follow(at, 1, { values: values.promise });
    const starting = start();
    await settled();
    await alarms.stop();
    values.resolve([]);
    await starting;
    expect([at.bus.following(streams.values), at.clock.waiting]).toEqual([[], 0]);
  });

  it('one that is stopped while it begins to follow follows nothing and writes no more', async () => {
    const at = world();
    const { alarms, start } = await follow(at, 1);
    const reached = later<void>();
    const bus = at.bus.follow.bind(at.bus);
    at.bus.follow = async (...given) => {
      await reached.promise;
      return bus(...given);
    };
    const starting = start();
    await settled();
    await alarms.stop();
    reached.resolve();
    await starting;
    expect([at.bus.following(streams.values), at.clock.waiting]).toEqual([[], 0]);
  });

  it('one that is stopped follows no more, and has ended once what was being recorded is', async () => {
    const at = world();
    const { alarms, told, stands, recorded, start } = await follow(at, 1);
    await start();
    stands.set('sat1.obc._.hot', record('ACTIVE_UNACK', NOTHING));
    const writing = later<void>();
    recorded.wait = writing.promise;
    await at.says('cool');
    let isOver = false;
    const stopping = alarms.stop().then(() => {
      isOver = true;
    });
    await settled();
    expect([at.bus.following(streams.values), isOver, told]).toEqual([[], false, []]);
    writing.resolve();
    await stopping;
    expect(told).toHaveLength(1);
  });

  it.each([
    ['a failure of one that is at work', false],
    ['none of one that is stopped', true],
  ])('the end of its follower before it has caught up is %s', async (_what, isStopped) => {
    const at = world();
    let end: (outage: Outage) => void = () => undefined;
    at.bus.headAfter = new Promise((_, reject) => {
      end = reject;
    });
    const { alarms, failures, start } = await follow(at, 1);
    await start();
    if (isStopped) await alarms.stop();
    const outage = new Outage('bus.unavailable', 'the follower was stopped');
    end(outage);
    await settled();
    expect(failures).toEqual(isStopped ? [] : [outage]);
  });

  it('one that is stopped waits for nothing when the bus says what it has learned meanwhile', async () => {
    const at = world();
    const head = later<void>();
    at.bus.headAfter = head.promise;
    await at.says('hot');
    const { alarms, told, failures, start } = await follow(at, 1);
    await start();
    const [following] = at.bus.following(streams.values);
    await alarms.stop();
    head.resolve();
    await settled();
    following!.atHead!();
    expect(at.clock.waiting).toBe(0);
    await at.clock.run(HOLD_MS + 1, 100);
    expect([told, failures, alarms.waiting]).toEqual([[], [], 0]);
  });
});
