import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { identityOf } from '../../../bus/process-identity.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import {
  MEMBER_TTL_MS,
  PARTITION_PATIENCE_MS,
  PARTITION_TAKEN_MS,
  PARTITIONS_GIVEN,
} from '../../../contract/limits/membership.ts';
import type { Bucket, Bus } from '../../../ports/bus.ts';
import type { Clock } from '../../../ports/clock.ts';
import { seededRandom } from '../../../ports/seeded-random.ts';
import { realClock } from '../../../supervision/clock.ts';
import { Membership } from '../../../supervision/ownership/membership.ts';
import { type PartitionRole, Partitions } from '../../../supervision/ownership/partition.ts';
import { highestRanked } from '../../../supervision/ownership/ranking.ts';
import { startNats, type TestNats } from '../../support/nats.ts';
import { ownTime } from '../../support/own-time.ts';
import { partlyOther } from '../../support/partly-other.ts';
import { keptLog } from '../../support/silent-log.ts';
import { until } from '../../support/until.ts';

let nats: TestNats;
beforeAll(async () => {
  nats = await startNats();
});
afterAll(() => nats.stop());

/** Longer than a busy machine stands still: nobody loses anything by it. */
const TTL_MS = 20_000;
/** Of those who are to lose something by it. */
const SHORT_TTL_MS = 600;

interface Peer {
  readonly instance: string;
  readonly partitions: Partitions;
  readonly membership: Membership;
  readonly started: { name: string; epoch: number; failed: (error: unknown) => void }[];
  /** Names whose worker runs now. */
  readonly running: Set<string>;
  leave(): Promise<void>;
}

let round = 0;

/** A process of a cell that does nothing but own partitions `p0` … `p7`. */
async function peer(
  instance: string,
  prefix: string,
  wanted: string[],
  bus?: Bus,
  {
    ttlMs = TTL_MS,
    start,
    clock = realClock,
  }: { ttlMs?: number; start?: PartitionRole['start']; clock?: Clock } = {},
): Promise<Peer> {
  const started: Peer['started'] = [];
  const running = new Set<string>();
  const role: PartitionRole = {
    role: `worker-${prefix}`,
    prefix,
    start: async (name, context) => {
      if (start !== undefined) return start(name, context);
      const { epoch, failed } = context;
      started.push({ name, epoch, failed });
      running.add(name);
      return {
        stop: async () => void running.delete(name),
      };
    },
  };
  const log = keptLog();
  const connected = bus ?? (await nats.connected());
  let partitions: Partitions | undefined;
  const membership = new Membership({
    bus: connected,
    clock: realClock,
    log,
    instance,
    roles: [role.role],
    ttlMs,
    changed: () => partitions?.reconcile(),
  });
  await membership.start();
  partitions = new Partitions({
    bus: connected,
    clock,
    random: seededRandom(1),
    log,
    instance,
    membership,
    role,
    escalated: () => undefined,
  });
  await partitions.start();
  partitions.want(wanted);
  const leave = async (): Promise<void> => {
    await partitions.drain();
    await membership.leave();
  };
  return { instance, partitions, membership, started, running, leave };
}

const names = Array.from({ length: 8 }, (_, n) => `p${n}`);
const all = (...peers: Peer[]): string[] => peers.flatMap((each) => [...each.running]).sort();

describe('partitions', () => {
  it('gives each partition to one living member, and moves only what has to move (partition.Q1)', async () => {
    round += 1;
    const prefix = `share${round}`;
    const a = await peer(`a-${prefix}`, prefix, names);
    await until(() => a.running.size === 8);
    const b = await peer(`b-${prefix}`, prefix, names);
    const ranking = (one: Peer): string[] =>
      names.filter((name) => highestRanked(name, [a.instance, b.instance]) === one.instance);
    // One moves after the other.
    await until(
      () => [...b.running].sort().join() === ranking(b).join() && all(a, b).join() === names.join(),
    );
    expect([...a.running].sort()).toEqual(ranking(a));
    expect(a.started.map(({ name }) => name).sort()).toEqual(names);
    await b.leave();
    await until(() => a.running.size === 8);
    await a.leave();
  });

  it('partition.Q7 gives a few at a time to one that joins, and serves the rest until those are taken', async () => {
    round += 1;
    const prefix = `given${round}`;
    const many = Array.from({ length: 8 * PARTITIONS_GIVEN }, (_, n) => `p${n}`);
    const bus = await nats.connected();
    // Nobody is given up on here, however busy the machine is.
    const setTimeout: Clock['setTimeout'] = (fire, delayMs) =>
      realClock.setTimeout(fire, delayMs === PARTITION_TAKEN_MS ? 600_000 : delayMs);
    const a = await peer(`a-${prefix}`, prefix, many, undefined, { clock: { ...realClock, setTimeout } });
    await until(() => a.running.size === many.length);
    // It is there, and takes nothing yet.
    const joining = new Membership({
      bus,
      clock: realClock,
      log: keptLog(),
      instance: `b-${prefix}`,
      roles: [`worker-${prefix}`],
      ttlMs: TTL_MS,
      changed: () => undefined,
    });
    await joining.start();
    await until(() => a.running.size === many.length - PARTITIONS_GIVEN, { what: 'the first to be given' });
    const free = async (): Promise<number> => {
      const entries = await bus.bucket(buckets.members).list(`partition.${prefix}.*`);
      return entries.filter(({ value }) => JSON.parse(Buffer.from(value).toString()).owner === null).length;
    };
    await until(async () => (await free()) === PARTITIONS_GIVEN, { what: 'those to be free' });
    // However often it looks: what it would give now is given by the third answer of the bus behind it.
    for (let look = 0; look < 3; look += 1) {
      a.partitions.reconcile();
      expect([await free(), a.running.size]).toEqual([PARTITIONS_GIVEN, many.length - PARTITIONS_GIVEN]);
    }
    await joining.leave();
    const b = await peer(`b-${prefix}`, prefix, many);
    const ofB = many.filter((name) => highestRanked(name, [a.instance, b.instance]) === b.instance);
    expect(ofB.length).toBeGreaterThan(2 * PARTITIONS_GIVEN);
    await until(() => b.running.size === ofB.length && a.running.size === many.length - ofB.length);
    await b.leave();
    await a.leave();
  });

  it('partition.Q6 asks who owns what it waits for once it is given nothing more, and not before', async () => {
    round += 1;
    const prefix = `asked${round}`;
    const bus = await nats.connected();
    const [other, instance] = [`a-${prefix}`, `b-${prefix}`];
    const owner = new Membership({
      bus,
      clock: realClock,
      log: keptLog(),
      instance: other,
      roles: [`worker-${prefix}`],
      ttlMs: TTL_MS,
      changed: () => undefined,
    });
    await owner.start();
    const write = async (name: string, by: string | null, expected: number): Promise<number> => {
      const value = Buffer.from(JSON.stringify({ owner: by }));
      const key = `partition.${prefix}.${name}`;
      const written = await bus.bucket(buckets.members).put(key, value, expected);
      if (written.outcome === 'conflict') throw new Error(`${key} is not at ${expected}`);
      return written.revision;
    };
    const revisions = new Map<string, number>();
    const many = Array.from({ length: 24 }, (_, n) => `p${n}`);
    for (const name of many) revisions.set(name, await write(name, other, 0));
    const asked: string[] = [];
    const members = bus.bucket(buckets.members);
    const get: Bucket['get'] = (key, ...known) => {
      if (key.startsWith(`partition.${prefix}.`)) asked.push(key.slice(`partition.${prefix}.`.length));
      return members.get(key, ...known);
    };
    const noted = partlyOther(bus, { bucket: () => partlyOther(members, { get }) });
    let now = 0;
    const joining = await peer(instance, prefix, many, noted, {
      clock: { ...realClock, monotonic: () => now },
    });
    const waitedFor = many.filter((name) => highestRanked(name, [other, instance]) === instance);
    const [first, second, third, fourth, ...left] = waitedFor;
    expect(left.length).toBeGreaterThan(0);
    const give = async (name: string): Promise<void> => {
      await write(name, null, revisions.get(name)!);
      await until(() => joining.running.has(name), { what: `${name} to be taken` });
    };

    now += MEMBER_TTL_MS - 1;
    await give(first!);
    // What is left is waited for long enough; the first came a moment ago. It looks at all before it takes the second.
    now += 2;
    joining.partitions.reconcile();
    await give(second!);
    expect(asked).toEqual([]);
    now += MEMBER_TTL_MS + 1;
    joining.partitions.reconcile();
    await until(() => asked.length > left.length + 1, { what: 'the others to be asked for' });
    expect([...new Set(asked)].toSorted()).toEqual([third!, fourth!, ...left].toSorted());

    // Something is given all the time, and what is left never: it is asked for again that long behind the last time.
    now += PARTITION_PATIENCE_MS + 1;
    await give(third!);
    asked.length = 0;
    joining.partitions.reconcile();
    await until(() => asked.length > left.length, { what: 'what is waited for very long to be asked for' });
    expect([...new Set(asked)].toSorted()).toEqual([fourth!, ...left].toSorted());
    asked.length = 0;
    now += 1_000;
    joining.partitions.reconcile();
    await give(fourth!);
    expect(asked).toEqual([]);
    await joining.leave();
    await owner.leave();
  });

  it('rises the epoch with each owner (O1)', async () => {
    round += 1;
    const prefix = `epoch${round}`;
    const first = await peer(`a-${prefix}`, prefix, ['p0']);
    await until(() => first.running.size === 1);
    await first.leave();
    const second = await peer(`b-${prefix}`, prefix, ['p0']);
    await until(() => second.running.size === 1);
    expect(second.started[0]!.epoch).toBeGreaterThan(first.started[0]!.epoch);
    await second.leave();
  });

  it('takes over from a member whose heartbeat has stopped, not before (membership.E1, partition.Q2)', async () => {
    round += 1;
    const prefix = `dead${round}`;
    const bus = await nats.connected();
    // Its clock stands still: it beats once and then never again. Another host, so that only the heartbeat reports.
    const key = `member.gone-${prefix}`;
    const member = { instance: `gone-${prefix}`, roles: [`worker-${prefix}`], host: 'elsewhere', pid: 1 };
    await bus.bucket(buckets.members).overwrite(key, Buffer.from(JSON.stringify(member)));
    const ownership = Buffer.from(JSON.stringify({ owner: member.instance }));
    await bus.bucket(buckets.members).put(`partition.${prefix}.p0`, ownership, 0);
    const before = performance.now();
    const heir = await peer(`heir-${prefix}`, prefix, ['p0'], undefined, { ttlMs: SHORT_TTL_MS });
    await until(() => heir.running.size === 1);
    expect(performance.now() - before).toBeGreaterThan(SHORT_TTL_MS * 0.9);
    await heir.leave();
    // Whoever comes next would wait for it (membership.E10).
    const silent = await bus.bucket(buckets.members).get(key);
    if (silent !== undefined) await bus.bucket(buckets.members).remove(key, silent.revision);
  });

  it('takes over at once from a process of this machine that is gone (membership.E3)', async () => {
    round += 1;
    const prefix = `here${round}`;
    const bus = await nats.connected();
    // No process has this number: it is above the largest the kernel gives.
    const gone = { ...identityOf(process.pid), pid: 4_194_305 };
    const member = {
      instance: `gone-${prefix}`,
      roles: [`worker-${prefix}`],
      host: 'here',
      pid: gone.pid,
      process: gone,
    };
    await bus.bucket(buckets.members).overwrite(`member.gone-${prefix}`, Buffer.from(JSON.stringify(member)));
    const ownership = Buffer.from(JSON.stringify({ owner: member.instance }));
    await bus.bucket(buckets.members).put(`partition.${prefix}.p0`, ownership, 0);
    const heir = await peer(`heir-${prefix}`, prefix, ['p0']);
    const spent = ownTime();
    await until(() => heir.running.size === 1);
    expect(spent()).toBeLessThan(TTL_MS / 2);
    await heir.leave();
  });

  it('stops everything it owns before others may take it when its own heartbeat cannot be written (membership.E2, partition.Q3)', async () => {
    round += 1;
    const prefix = `mute${round}`;
    const real = await nats.connected();
    let mute = false;
    const bus: Bus = Object.create(real, {
      bucket: {
        value: (definition: typeof buckets.members) => {
          const bucket = real.bucket(definition);
          return Object.create(bucket, {
            overwrite: {
              value: (key: string, value: Uint8Array) =>
                mute ? Promise.reject(new Error('not written')) : bucket.overwrite(key, value),
            },
          });
        },
      },
    });
    const victim = await peer(`victim-${prefix}`, prefix, ['p0'], bus, { ttlMs: SHORT_TTL_MS });
    await until(() => victim.running.size === 1);
    mute = true;
    const silentFor = ownTime();
    await until(() => victim.running.size === 0);
    expect(silentFor()).toBeLessThan(SHORT_TTL_MS * 1.2);
    expect(victim.membership.holds).toBe(false);
    // Whoever comes next would wait for one that did not say goodbye (membership.E10).
    mute = false;
    await victim.leave();
  });

  it('starts a worker again that fails, under the same epoch (partition.Q4)', async () => {
    round += 1;
    const prefix = `fail${round}`;
    const one = await peer(`a-${prefix}`, prefix, ['p0']);
    await until(() => one.running.size === 1);
    one.started[0]!.failed(new Error('broken'));
    await until(() => one.started.length === 2);
    expect(one.started[1]!.epoch).toBe(one.started[0]!.epoch);
    expect(one.running.size).toBe(1);
    await one.leave();
  });

  it('gives up a partition that another member has claimed', async () => {
    round += 1;
    const prefix = `stolen${round}`;
    const bus = await nats.connected();
    const one = await peer(`a-${prefix}`, prefix, ['p0']);
    await until(() => one.running.size === 1);
    const entry = await bus.bucket(buckets.members).get(`partition.${prefix}.p0`);
    const value = Buffer.from(JSON.stringify({ owner: 'somebody' }));
    await bus.bucket(buckets.members).put(`partition.${prefix}.p0`, value, entry!.revision);
    await until(() => one.running.size === 0 || one.started.length === 2);
    expect(one.started[0]!.epoch).toBe(entry!.revision);
    await one.leave();
  });

  it('counts what several parts of a worker say of one failure once (partition.Q4)', async () => {
    round += 1;
    const prefix = `chorus${round}`;
    const one = await peer(`a-${prefix}`, prefix, ['p0']);
    await until(() => one.running.size === 1);
    for (let n = 0; n < 20; n += 1) one.started[0]!.failed(new Error('broken'));
    await until(() => one.started.length === 2);
    one.started[0]!.failed(new Error('the former worker, late'));
    expect(one.partitions.trouble()['p0']?.quarantined).toBe(false);
    expect(one.running.size).toBe(1);
    await one.leave();
  });

  it('never runs a partition twice, also when it is wanted again while its worker is being stopped (holding.H3)', async () => {
    round += 1;
    const prefix = `twice${round}`;
    let running = 0;
    let most = 0;
    let started = 0;
    let stopped = (): void => undefined;
    const slow = async () => {
      running += 1;
      started += 1;
      most = Math.max(most, running);
      const stop = new Promise<void>((resolve) => {
        stopped = resolve;
      });
      const ended = (): void => {
        running -= 1;
      };
      return { stop: () => stop.then(ended) };
    };
    const one = await peer(`a-${prefix}`, prefix, ['p0'], undefined, { start: slow });
    await until(() => started === 1);
    one.partitions.want([]);
    for (let n = 0; n < 3; n += 1) {
      one.partitions.want(['p0']);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await until(() => one.membership.holds);
    expect(started).toBe(1);
    stopped();
    await until(() => started === 2);
    expect(most).toBe(1);
    stopped();
    await one.leave();
  });

  it('stops what the mission no longer has', async () => {
    round += 1;
    const prefix = `less${round}`;
    const one = await peer(`a-${prefix}`, prefix, ['p0', 'p1']);
    await until(() => one.running.size === 2);
    one.partitions.want(['p1']);
    await until(() => one.running.size === 1);
    expect([...one.running]).toEqual(['p1']);
    await one.leave();
  });
});

describe('highestRanked', () => {
  it('spreads names over members and keeps a name with its member when another leaves', () => {
    const members = ['a', 'b', 'c'];
    const many = Array.from({ length: 300 }, (_, n) => `p${n}`);
    const counts = members.map(
      (member) => many.filter((name) => highestRanked(name, members) === member).length,
    );
    for (const count of counts) expect(count).toBeGreaterThan(60);
    for (const name of many) {
      const before = highestRanked(name, members);
      if (before !== 'c') expect(highestRanked(name, ['a', 'b'])).toBe(before);
    }
    expect(highestRanked('p', [])).toBeUndefined();
  });
});
