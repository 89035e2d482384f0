/** Who is taken for dead, and who is not: on the twin of the bus, in simulated time. */

import { expect, it } from 'vitest';
import { buckets } from '../../../contract/bus/buckets.ts';
import {
  MEMBER_FORGOTTEN_TTLS,
  MEMBERS_FORGOTTEN_AT_ONCE,
  NAMESAKE_LOOK_MS,
  NAMESAKE_MS,
  PARTITION_MOVES,
} from '../../../contract/limits/membership.ts';
import { HeapClock } from '../../../supervision/clock.ts';
import type { Machine } from '../../../supervision/ownership/machine.ts';
import { Membership } from '../../../supervision/ownership/membership.ts';
import { Partitions } from '../../../supervision/ownership/partition.ts';
import { ProcessClock } from '../../simulation/process-clock.ts';
import { TwinServer } from '../../simulation/twin/server.ts';
import { TwinBus } from '../../simulation/twin/twin-bus.ts';
import { fairWeather } from '../../simulation/twin/weather.ts';
import { settled } from '../../support/manual-clock.ts';
import { keptLog } from '../../support/silent-log.ts';

const TTL_MS = 3_000;
/** Heartbeats in a time to live. */
const BEATS = 3;

function cell() {
  let lives = 0;
  const clock = new HeapClock(1_000_000);
  const server = new TwinServer({ now: () => clock.now(), choose: () => 0 });
  const run = async (ms: number): Promise<void> => {
    const end = clock.now() + ms;
    for (await settled(); (clock.next() ?? end) < end; await settled()) clock.step();
    clock.advanceTo(end);
  };
  const busOf = (name: string, inside: ProcessClock) => {
    const { arrivals, pulled } = inside;
    return new TwinBus({
      server,
      name,
      outside: clock,
      inside,
      arrivals,
      pulled,
      weather: fairWeather,
      log: keptLog(),
    });
  };
  const join = async (instance: string, machine?: Machine, ttlMs = TTL_MS) => {
    const inside = new ProcessClock(clock, 0);
    lives += 1;
    const bus = busOf(`${instance}-${lives}`, inside);
    let partitions: Partitions | undefined;
    const membership = new Membership({
      bus,
      clock: inside,
      log: keptLog(),
      instance,
      roles: ['work'],
      ttlMs,
      ...(machine !== undefined && { machine }),
      changed: () => partitions?.reconcile(),
    });
    const started = membership.start();
    await run(50);
    await started;
    const own = (start: (name: string) => Promise<void>) => {
      partitions = new Partitions({
        bus,
        clock: inside,
        log: keptLog(),
        instance,
        membership,
        random: { next: () => 0.5 },
        role: {
          role: 'work',
          prefix: 'work',
          start: async (name) => {
            await start(name);
            return { stop: async () => undefined };
          },
        },
        escalated: () => undefined,
      });
      return partitions;
    };
    return { membership, clock: inside, bus, own };
  };
  const members = (): number =>
    server
      .bucket(buckets.members)
      .lasts()
      .filter(({ subject, removal }) => subject.includes('.member.') && !removal).length;
  return { clock, server, run, join, members };
}

function machine(space: string, pid: number, running: ReadonlySet<number>): Machine {
  const isRunning: Machine['isRunning'] = (other) =>
    other.space === space ? running.has(other.pid) : undefined;
  return { host: 'same', self: { pid, space }, isRunning };
}

it('a clock that is set by any step takes nothing from the living, whoever has it set (membership.E1)', async () => {
  for (const step of [5_000, -5_000, 3_600_000, -3_600_000]) {
    const { run, join } = cell();
    const [a, b] = [await join('a'), await join('b')];
    await run(TTL_MS);
    for (const { clock } of [a, b]) {
      clock.step(step);
      await run(10);
      expect([a.membership.isAlive('b'), b.membership.isAlive('a')]).toEqual([true, true]);
      expect([a.membership.holds, b.membership.holds]).toEqual([true, true]);
      expect(await silentOf(a.membership, 'b', run)).toBe(false);
      await run(2 * TTL_MS);
    }
  }
});

async function silentOf(membership: Membership, other: string, run: (ms: number) => Promise<void>) {
  const asked = membership.isSilent(other);
  await run(50);
  return asked;
}

it('two containers with one host name and one pid leave each other alone (membership.E3)', async () => {
  const { run, join } = cell();
  const a = await join('a', machine('boot ns1', 1, new Set([1])));
  const b = await join('b', machine('boot ns2', 1, new Set([1])));
  await run(2 * TTL_MS);
  expect([a.membership.isAlive('b'), b.membership.isAlive('a')]).toEqual([true, true]);
  const c = await join('c', machine('boot ns2', 7, new Set([1])));
  c.clock.pause();
  await run(10);
  // In its own namespace it is known to be gone, in the other one only by its age.
  expect([a.membership.isAlive('c'), b.membership.isAlive('c')]).toEqual([true, false]);
  await run(TTL_MS);
  expect(a.membership.isAlive('c')).toBe(false);
});

it('whoever comes makes everybody look afresh at who is gone, however lately they looked (membership.E3)', async () => {
  const { run, join } = cell();
  const running = new Set([1, 2]);
  const a = await join('a', machine('boot ns', 1, running));
  await join('b', machine('boot ns', 2, running));
  // A quarter of the time until the next heartbeat, so that only the newcomer gives a reason to look.
  await run(TTL_MS / 4);
  expect(a.membership.isGone('b')).toBe(false);
  running.delete(2);
  const came = join('c', machine('boot ns', 3, new Set([3])));
  for (let steps = 0; steps < 20 && !a.membership.alive('work').includes('c'); steps += 1) await run(1);
  expect(a.membership.isGone('b')).toBe(true);
  await came;
});

it('a copy of a machine is judged by its age once it moved on after it was taken for gone (membership.E6)', async () => {
  const { run, join } = cell();
  const a = await join('a', machine('boot ns', 1, new Set([1])));
  await join('b', machine('boot ns', 2, new Set([2])));
  await run(10);
  expect(a.membership.isGone('b')).toBe(true);
  await run(TTL_MS);
  expect([a.membership.isGone('b'), a.membership.isAlive('b')]).toEqual([false, true]);
});

it('the dead are removed a few at a time, the living never, and count for nothing meanwhile (membership.E5)', async () => {
  const { clock, server, run, join, members } = cell();
  const dead = 4 * MEMBERS_FORGOTTEN_AT_ONCE;
  const outside = new TwinBus({
    server,
    name: 'past',
    outside: clock,
    inside: new ProcessClock(clock, 0),
    weather: fairWeather,
    log: keptLog(),
  });
  for (let n = 0; n < dead; n += 1) {
    const value = Buffer.from(JSON.stringify({ instance: `dead${n}`, roles: ['work'], host: 'x', pid: 1 }));
    void outside.bucket(buckets.members).overwrite(`member.dead${n}`, value);
  }
  await run(2 * TTL_MS);
  expect(members()).toBe(dead);
  const a = await join('a');
  const b = await join('b');
  expect(a.membership.alive('work')).toEqual(['a', 'b']);
  await run((MEMBER_FORGOTTEN_TTLS - 1) * TTL_MS);
  expect(members()).toBe(dead + 2);
  const least = [members()];
  for (let beat = 0; beat < 12; beat += 1) {
    await run(TTL_MS / 3);
    least.push(members());
  }
  const steps = least.slice(1).map((now, n) => least[n]! - now);
  expect(Math.max(...steps)).toBeLessThanOrEqual(2 * MEMBERS_FORGOTTEN_AT_ONCE);
  expect(members()).toBe(2);
  expect(b.membership.alive('work').sort()).toEqual(['a', 'b']);
});

it('two thousand partitions are taken a few at a time, and the heartbeat is not late (partition.Q5, membership.E7)', async () => {
  const { run, join } = cell();
  const { membership, own } = await join('a');
  let starting = 0;
  let most = 0;
  const waiting: (() => void)[] = [];
  const partitions = own(async () => {
    starting += 1;
    most = Math.max(most, starting);
    await new Promise<void>((resolve) => waiting.push(resolve));
    starting -= 1;
  });
  const watching = partitions.start();
  await run(50);
  await watching;
  partitions.want(Array.from({ length: 2_000 }, (_, n) => `t${n}`));
  for (let round = 0; round < 200 && !partitions.settled; round += 1) {
    await run(30);
    expect(membership.holds).toBe(true);
    for (const resume of waiting.splice(0)) resume();
  }
  expect(partitions.running).toHaveLength(2_000);
  expect(most).toBe(PARTITION_MOVES);
}, 60_000);

const beatOf = (instance: string): Uint8Array =>
  Buffer.from(JSON.stringify({ instance, roles: ['work'], host: 'x', pid: 1 }));

it('what one member finds lost is known to one that began behind the loss, also when the finder is gone (membership.E9)', async () => {
  const { clock, server, run, join } = cell();
  const a = await join('a');
  await run(2 * TTL_MS);
  const kept = clock.now();
  await run(2 * TTL_MS);
  const lostAt = clock.now();
  server.turn(false);
  server.rewind(() => kept);
  await run(1_000);
  server.turn(true);
  const fresh = await join('fresh');
  await run(500);
  const until = fresh.bus.lostUntil ?? 0;
  // Nothing that was stored while the finder was connected is later, and nothing of what follows is earlier.
  expect(until).toBeGreaterThanOrEqual(lostAt);
  expect(until).toBeLessThan(lostAt + 500);
  const [goodbye] = [a.membership.leave(), await run(50)];
  await goodbye;
  await run(2 * MEMBER_FORGOTTEN_TTLS * TTL_MS);
  expect((await join('heir')).bus.lostUntil).toBe(until);
});

it('a loss that is found is said before the next heartbeat is due, and repeated by each member once (membership.E9)', async () => {
  const { run, join } = cell();
  const members = [await join('a'), await join('b'), await join('c')];
  await run(TTL_MS);
  const beats: string[] = [];
  const watching = members[0]!.bus.bucket(buckets.members).watch('member.*', (key) => void beats.push(key));
  await run(TTL_MS / BEATS + 10);
  await watching;
  await run(TTL_MS / BEATS - 40);
  beats.length = 0;
  const value = Buffer.from(JSON.stringify({ ...JSON.parse(beatOf('z').toString()), lostUntil: 4_711 }));
  const written = members[0]!.bus.bucket(buckets.members).overwrite('member.z', value);
  await run(25);
  await written;
  expect(members.map(({ bus }) => bus.lostUntil)).toEqual([4_711, 4_711, 4_711]);
  expect(beats.sort()).toEqual(['member.a', 'member.b', 'member.c', 'member.z']);
});

it('a loss until what is no time is no loss, and nobody repeats it (membership.E9)', async () => {
  const { run, join } = cell();
  const members = [await join('a'), await join('b')];
  await run(TTL_MS);
  for (const lostUntil of [1e300, Number.MAX_SAFE_INTEGER, '2026-01-01T00:00:00Z', null]) {
    const value = Buffer.from(JSON.stringify({ ...JSON.parse(beatOf('z').toString()), lostUntil }));
    const written = members[0]!.bus.bucket(buckets.members).overwrite('member.z', value);
    await run(25);
    await written;
    expect(members.map(({ bus }) => bus.lostUntil)).toEqual([undefined, undefined]);
  }
});

it('who comes and finds others late takes nothing before they had the time to say what they know (membership.E10)', async () => {
  const { run, join } = cell();
  const first = await join('a');
  const taken = async (of: typeof first): Promise<string[]> => {
    const names: string[] = [];
    const partitions = of.own(async (name) => void names.push(name));
    const started = partitions.start();
    await run(20);
    await started;
    partitions.want(['p0', 'p1']);
    await run(20);
    return names;
  };
  // Alone, and where the others are in time, nobody waits.
  expect(await taken(first)).toEqual(['p0', 'p1']);
  const [goodbye] = [first.membership.leave(), await run(50)];
  await goodbye;
  await run(TTL_MS);
  const second = await join('b');
  expect(second.membership.mayTake).toBe(true);
  // Silent, on a machine that cannot be asked.
  const written = second.bus.bucket(buckets.members).overwrite('member.z', beatOf('z'));
  await run((TTL_MS * 2) / 3);
  await written;
  const third = await join('c');
  expect(third.membership.mayTake).toBe(false);
  await run((TTL_MS * 9) / 10);
  expect(third.membership.mayTake).toBe(false);
  await run(TTL_MS / 10);
  expect(third.membership.mayTake).toBe(true);
});

it('where members live long, whoever is alive when an election begins is so behind it (membership.E11)', async () => {
  for (const beforeElection of [0, 700, 1_400, 4_900]) {
    const { server, run, join } = cell();
    const { membership } = await join('a', undefined, 15_000);
    await run(15_000 + beforeElection);
    server.turn(false);
    for (let ms = 0; ms < 7_500; ms += 100) {
      await run(100);
      expect(membership.holds).toBe(true);
    }
    server.turn(true);
    for (let ms = 0; ms < 15_000; ms += 100) {
      await run(100);
      expect(membership.holds).toBe(true);
    }
  }
});

it('membership.E12 a name that a living process bears is refused to another one; one that is silent, has ended or has left gives it up', async () => {
  const elsewhere = machine('elsewhere', 7, new Set());
  const { run, join } = cell();
  const first = await join('a', machine('here', 5, new Set()));
  const refused = expect(join('a', elsewhere)).rejects.toThrow(
    'another running process is named a (process 5 on same): give each process its own MCS_INSTANCE',
  );
  await run(NAMESAKE_MS);
  await refused;
  expect(first.membership.holds).toBe(true);

  // One that stands still is not waited for longer than a living one needs.
  first.clock.end();
  const second = join('a', elsewhere);
  await run(NAMESAKE_MS + NAMESAKE_LOOK_MS);
  expect((await second).membership.holds).toBe(true);

  // One whose end is known, and one that has left, are not waited for at all.
  (await second).clock.end();
  const third = await join('a', machine('elsewhere', 8, new Set([8])));
  expect(third.membership.holds).toBe(true);
  const leaving = third.membership.leave();
  await run(100);
  await leaving;
  expect((await join('a', machine('here', 9, new Set()))).membership.holds).toBe(true);
});
