/** Who leads a role of which there is one: in simulated time on the twin of the bus, and on a real server. */

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buckets } from '../../../contract/bus/buckets.ts';
import { Outage } from '../../../contract/outage.ts';
import type { Bus } from '../../../ports/bus.ts';
import type { Clock } from '../../../ports/clock.ts';
import { seededRandom } from '../../../ports/seeded-random.ts';
import { HeapClock, realClock } from '../../../supervision/clock.ts';
import { Leadership } from '../../../supervision/ownership/leader.ts';
import type { WorkerContext } from '../../../supervision/ownership/owned-worker.ts';
import { ProcessClock } from '../../simulation/process-clock.ts';
import { TwinServer } from '../../simulation/twin/server.ts';
import { TwinBus } from '../../simulation/twin/twin-bus.ts';
import { fairWeather } from '../../simulation/twin/weather.ts';
import { settled } from '../../support/manual-clock.ts';
import { startNats, type TestNats } from '../../support/nats.ts';
import { keptLog } from '../../support/silent-log.ts';
import { until } from '../../support/until.ts';

const TTL_MS = 3_000;

/** A process that does nothing but stand for the lead. */
function standing(bus: Bus, clock: Clock, instance: string, gone = new Set<string>(), name = 'alarms') {
  const contexts: WorkerContext[] = [];
  const state = { running: false, failing: undefined as unknown, stopping: Promise.resolve() };
  const log = keptLog();
  const leadership = new Leadership({
    bus,
    clock,
    instance,
    random: seededRandom(1),
    log,
    isGone: (other) => gone.has(other),
    work: {
      name,
      start: async (context) => {
        contexts.push(context);
        if (state.failing !== undefined) throw state.failing;
        state.running = true;
        return {
          stop: async () => {
            await state.stopping;
            state.running = false;
          },
        };
      },
    },
    escalated: () => undefined,
  });
  return { leadership, log, contexts, state, newest: () => contexts.at(-1)! };
}

/** A bus that reports no change of a key. */
function deaf(bus: Bus): Bus {
  const bucket: Bus['bucket'] = (definition) => {
    const of = bus.bucket(definition);
    const watch = async () => ({ ready: Promise.resolve(), stop: async () => undefined });
    return new Proxy(of, {
      get: (on, name) => {
        const value = name === 'watch' ? watch : (Reflect.get(on, name) as unknown);
        return typeof value === 'function' ? value.bind(on) : value;
      },
    });
  };
  return { bucket } as Bus;
}

// In simulated time -------------------------------------------------------------------------------------------------

function cell() {
  const clock = new HeapClock(1_000_000);
  const server = new TwinServer({ now: () => clock.now(), choose: () => 0 });
  const gone = new Set<string>();
  let received = true;
  let busyMs = 0;
  const run = async (ms: number): Promise<void> => {
    const end = clock.now() + ms;
    for (await settled(); (clock.next() ?? end) < end; await settled()) clock.step();
    clock.advanceTo(end);
    await settled();
  };
  const join = async (
    instance: string,
    ttlMs = TTL_MS,
    skewMs = 0,
    latencyMs = 0,
    on = (bus: Bus): Bus => bus,
  ) => {
    const inside = new ProcessClock(clock, skewMs);
    const weather = { ...fairWeather, isHeard: () => received, latencyMs: () => latencyMs + busyMs };
    const clocks = { outside: clock, inside, arrivals: inside.arrivals, pulled: inside.pulled };
    const bus = new TwinBus({ server, name: instance, ...clocks, weather, log: keptLog() });
    const peer = standing(on(bus), inside, instance, gone);
    const started = peer.leadership.start();
    await run(50);
    await started;
    peer.leadership.want(ttlMs);
    await run(50);
    const kill = (): void => {
      bus.cut();
      inside.end();
    };
    return { ...peer, clock: inside, kill };
  };
  /** Another process writes the lease over what stands there, as it must not. */
  const write = async (lease: Uint8Array): Promise<void> => {
    const inside = new ProcessClock(clock, 0);
    const clocks = { outside: clock, inside, arrivals: inside.arrivals, pulled: inside.pulled };
    const bus = new TwinBus({ server, name: 'usurper', ...clocks, weather: fairWeather, log: keptLog() });
    const bucket = bus.bucket(buckets.leaders);
    const written = bucket.get('alarms').then((entry) => bucket.put('alarms', lease, entry!.revision));
    await run(20);
    expect((await written).outcome).toBe('written');
  };
  const usurp = (): Promise<void> =>
    write(Buffer.from(JSON.stringify({ owner: 'usurper', ttlMs: 100 * TTL_MS })));
  const silence = (silent: boolean): void => {
    received = !silent;
  };
  /** Each question and each answer is under way for longer by that. */
  const busy = (ms: number): void => {
    busyMs = ms;
  };
  /** Runs until it holds, and says how long that took. */
  const elapsed = async (check: () => boolean): Promise<number> => {
    const from = clock.now();
    while (!check() && clock.now() - from < 20 * TTL_MS) await run(10);
    return clock.now() - from;
  };
  const written = () =>
    server.bucket(buckets.leaders).messages.map(({ data }) => JSON.parse(String(Buffer.from(data))));
  return { run, join, write, usurp, silence, busy, elapsed, written, gone };
}

describe('the lead', () => {
  it('has one of those who stand for it, for as long as it lives', async () => {
    const { run, join } = cell();
    const peers = [await join('a'), await join('b'), await join('c')];
    await run(10 * TTL_MS);
    expect(peers.map(({ state }) => state.running)).toEqual([true, false, false]);
    expect(peers.map(({ contexts }) => contexts.length)).toEqual([1, 0, 0]);
    expect(peers.map(({ leadership }) => leadership.settled)).toEqual([true, true, true]);
  });

  it('MC-ALM-056 passes to a standby within the time to live of a leader that was killed', async () => {
    const { run, join, elapsed } = cell();
    const leader = await join('a');
    const standby = await join('b', TTL_MS, 500_000);
    // At every moment between two renewals.
    await run(TTL_MS + 7);
    const before = leader.newest().epoch;
    leader.kill();
    const tookMs = await elapsed(() => standby.state.running);
    expect(tookMs).toBeLessThanOrEqual(TTL_MS);
    expect(tookMs).toBeGreaterThan(TTL_MS / 2);
    expect(standby.newest().epoch).toBeGreaterThan(before);
  });

  it('MC-ALM-056 passes within the time to live at whatever moment between two renewals the leader dies', async () => {
    for (let atMs = 0; atMs < TTL_MS / 3; atMs += 170) {
      const { run, join, elapsed } = cell();
      const leader = await join('a');
      const standby = await join('b');
      await run(TTL_MS + atMs);
      leader.kill();
      expect(await elapsed(() => standby.state.running)).toBeLessThanOrEqual(TTL_MS);
    }
  });

  it.each([
    { owner: 'a', ttlMs: TTL_MS, after: 'many' },
    { owner: 'a', ttlMs: TTL_MS, after: 1e300 },
    { owner: 'a', ttlMs: TTL_MS, after: -1 },
    { owner: 'a', ttlMs: TTL_MS, after: null },
    { owner: 'gone', ttlMs: 'long' },
    { owner: 'gone', ttlMs: null },
    { owner: 'gone', ttlMs: 1e300 },
    { owner: 7, ttlMs: 100 * TTL_MS },
    { owner: 'no name', ttlMs: 100 * TTL_MS },
    ['gone'],
    null,
  ])('is free where its entry cannot be read, and is held from then on (lease.A3): %j', async (claim) => {
    const { run, join, write } = cell();
    const first = await join('a');
    await run(TTL_MS);
    const before = first.newest().epoch;
    await write(Buffer.from(JSON.stringify(claim)));
    const peers = [first, await join('b')];
    await run(10 * TTL_MS);
    expect(peers.map(({ state }) => state.running).sort()).toEqual([false, true]);
    const epochs = peers.flatMap(({ contexts }) => contexts.map(({ epoch }) => epoch));
    expect(epochs).toHaveLength(2);
    expect(Math.max(...epochs)).toBeGreaterThan(before);
    expect(epochs.every(Number.isSafeInteger)).toBe(true);
    const said = peers.flatMap(({ log }) => log.said.map(({ message }) => message));
    expect(said).toContain('malformed claim of ownership: treated as free');
  });

  it('passes at once from a leader that is known to be gone from this machine (leader.D3)', async () => {
    const { run, join, elapsed, gone } = cell();
    const leader = await join('a');
    const standby = await join('b');
    await run(TTL_MS);
    leader.kill();
    gone.add('a');
    standby.leadership.reconcile();
    expect(await elapsed(() => standby.state.running)).toBeLessThan(100);
  });

  it('passes at once from a leader that stops in order, when its worker writes no more (leader.D3)', async () => {
    const { run, join, elapsed } = cell();
    const leader = await join('a');
    const standby = await join('b');
    await run(TTL_MS);
    const drained = leader.leadership.drain();
    expect(await elapsed(() => standby.state.running)).toBeLessThan(100);
    await drained;
    expect(leader.state.running).toBe(false);
    expect(standby.newest().epoch).toBeGreaterThan(leader.newest().epoch);
  });

  it('is given back by a leader that stops in order on a bus that is busy (leader.D3)', async () => {
    const { run, join, busy, elapsed, written } = cell();
    const leader = await join('a');
    await run(TTL_MS);
    busy(TTL_MS / 6);
    let drained = false;
    void leader.leadership.drain().then(() => {
      drained = true;
    });
    await elapsed(() => drained);
    expect(leader.log.said).toEqual([]);
    expect(written().at(-1)).toMatchObject({ owner: null });
  });

  it('MC-ALM-056 a leader that slept writes nothing: it holds no lead from the moment it wakes', async () => {
    const { run, join, written } = cell();
    const sleeper = await join('a');
    const standby = await join('b');
    await run(TTL_MS);
    sleeper.clock.pause();
    await run(2 * TTL_MS);
    expect(standby.state.running).toBe(true);
    expect(sleeper.newest().holds()).toBe(false);
    const before = written().length;
    sleeper.clock.resume({ arrivalsFirst: false, pullsExpired: true });
    await run(TTL_MS / 2);
    expect(sleeper.state.running).toBe(false);
    await run(2 * TTL_MS);
    const since = written().slice(before);
    expect(new Set(since.map(({ owner }) => owner))).toEqual(new Set(['b']));
    expect(standby.state.running).toBe(true);
    expect(standby.contexts).toHaveLength(1);
  });

  it('a leader that slept over the answer to a renewal counts from before its sending (leader.D2)', async () => {
    const { run, join, written } = cell();
    const sleeper = await join('a', TTL_MS, 0, 20);
    const standby = await join('b');
    await run(TTL_MS);
    const before = written().length;
    while (written().length === before) await run(1);
    sleeper.clock.pause();
    await run(2 * TTL_MS);
    expect(standby.state.running).toBe(true);
    sleeper.clock.resume({ arrivalsFirst: true, pullsExpired: true });
    for (let step = 0; step < 100; step += 1) {
      await run(1);
      expect(sleeper.newest().holds()).toBe(false);
    }
    expect(sleeper.state.running).toBe(false);
  });

  it('is not taken by a standby that slept and received no renewal meanwhile', async () => {
    const { run, join } = cell();
    const leader = await join('a');
    const sleeper = await join('b');
    await run(TTL_MS);
    sleeper.clock.pause();
    await run(3 * TTL_MS);
    sleeper.clock.resume({ arrivalsFirst: false, pullsExpired: true });
    await run(3 * TTL_MS);
    expect([leader.state.running, sleeper.state.running]).toEqual([true, false]);
    expect(leader.contexts).toHaveLength(1);
  });

  it('is given up before anybody may take it while the bus is away, and taken again when it is back (leader.D2)', async () => {
    const { run, join, silence, elapsed } = cell();
    const leader = await join('a');
    await run(TTL_MS);
    silence(true);
    expect(await elapsed(() => !leader.state.running)).toBeLessThanOrEqual(0.7 * TTL_MS + 10);
    expect(leader.newest().holds()).toBe(false);
    await run(3 * TTL_MS);
    expect(leader.state.running).toBe(false);
    silence(false);
    expect(await elapsed(() => leader.state.running)).toBeLessThan(2 * TTL_MS);
    expect(leader.contexts[1]!.epoch).toBeGreaterThan(leader.contexts[0]!.epoch);
  });

  it('is given up when a renewal is refused, by a leader that receives nothing else of it', async () => {
    const { run, join, usurp } = cell();
    const leader = await join('a', TTL_MS, 0, 0, deaf);
    await run(TTL_MS + 7);
    await usurp();
    await run(TTL_MS / 3 + 100);
    expect([leader.state.running, leader.newest().holds()]).toEqual([false, false]);
    await run(5 * TTL_MS);
    expect(leader.contexts).toHaveLength(1);
  });

  it('is given up as soon as somebody else is received to have it, before the next renewal', async () => {
    const { run, join, usurp } = cell();
    const leader = await join('a');
    await run(TTL_MS + 7);
    await usurp();
    await run(50);
    expect([leader.state.running, leader.newest().holds()]).toEqual([false, false]);
  });

  it('is not taken again before the former worker here has stopped (holding.H3)', async () => {
    const { run, join, silence } = cell();
    const { leadership, state, contexts } = await join('a');
    await run(TTL_MS);
    let stopped: () => void = () => undefined;
    state.stopping = new Promise((resolve) => {
      stopped = resolve;
    });
    silence(true);
    await run(TTL_MS);
    silence(false);
    // As at each heartbeat of the members.
    leadership.reconcile();
    await run(3 * TTL_MS);
    expect(contexts).toHaveLength(1);
    stopped();
    await run(100);
    expect(contexts).toHaveLength(2);
    expect(contexts[1]!.epoch).toBeGreaterThan(contexts[0]!.epoch);
  });

  it('never has two, however often the bus goes and comes', async () => {
    const { run, join, silence } = cell();
    const peers = [await join('a'), await join('b')];
    for (let round = 0; round < 40; round += 1) {
      silence(round % 3 !== 0);
      for (let part = 0; part < 10; part += 1) {
        await run((60 + 37 * round) % 450);
        expect(peers.filter(({ state }) => state.running).length).toBeLessThan(2);
      }
    }
    silence(false);
    await run(2 * TTL_MS);
    expect(peers.filter(({ state }) => state.running)).toHaveLength(1);
  });

  it('takes the time to live of a new configuration, and a standby that does not know it yet waits for what is written', async () => {
    const { run, join, elapsed } = cell();
    const leader = await join('a');
    const standby = await join('b', 100);
    leader.leadership.want(4 * TTL_MS);
    await run(8 * TTL_MS);
    expect([leader.state.running, standby.state.running]).toEqual([true, false]);
    leader.kill();
    const tookMs = await elapsed(() => standby.state.running);
    expect(tookMs).toBeGreaterThan(2 * TTL_MS);
    expect(tookMs).toBeLessThanOrEqual(4 * TTL_MS);
  });

  it('is kept over a worker that fails, which is started again under the same epoch, and shown in quarantine', async () => {
    const { run, join } = cell();
    const { leadership, contexts, state, newest } = await join('a');
    newest().failed(new Error('a defect'));
    await run(1_000);
    expect(contexts.map(({ epoch }) => epoch)).toEqual([contexts[0]!.epoch, contexts[0]!.epoch]);
    expect(leadership.owned()).toMatchObject([{ name: 'alarms', state: 'running', crashes: 1 }]);
    state.failing = new Error('for good');
    newest().failed(new Error('again'));
    await run(30_000);
    expect(leadership.owned()).toMatchObject([{ state: 'quarantined', reason: 'for good' }]);
    state.failing = undefined;
    expect(leadership.resume('alarms')).toBe(true);
    await run(100);
    expect(leadership.owned()).toMatchObject([{ state: 'running' }]);
  });

  it('a worker that could not start for an outage is started again without having failed', async () => {
    const { run, join } = cell();
    const { leadership, state, newest } = await join('a');
    state.failing = new Outage('bus.unavailable', 'away');
    newest().failed(state.failing);
    await run(5_000);
    expect(leadership.owned()).toMatchObject([{ state: 'starting', crashes: 0 }]);
    state.failing = undefined;
    await run(500);
    expect(leadership.owned()).toMatchObject([{ state: 'running', crashes: 0 }]);
  });

  it('given back by reset, it is taken again', async () => {
    const { run, join } = cell();
    const { leadership, contexts, state, newest } = await join('a');
    state.failing = new Error('broken');
    newest().failed(state.failing);
    await run(30_000);
    state.failing = undefined;
    expect(leadership.reset('alarms')).toBe(true);
    await run(500);
    expect(leadership.owned()).toMatchObject([{ state: 'running', crashes: 0 }]);
    expect(newest().epoch).toBeGreaterThan(contexts[0]!.epoch);
  });
});

// On a real server ----------------------------------------------------------------------------------------------------

describe('the lead on a real bus', () => {
  let nats: TestNats;
  let round = 0;
  const left: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    nats = await startNats();
  });
  afterAll(() => nats.stop());
  afterEach(async () => {
    for (const leave of left.splice(0)) await leave();
  });

  async function join(instance: string, name: string) {
    const peer = standing(await nats.connected(), realClock, instance, undefined, name);
    await peer.leadership.start();
    peer.leadership.want(1_500);
    left.push(() => peer.leadership.drain());
    return peer;
  }
  const fresh = (): string => {
    round += 1;
    return `role${round}`;
  };

  it('has one of three, and passes in order to another with a higher epoch', async () => {
    const name = fresh();
    const peers = await Promise.all(['a', 'b', 'c'].map((instance) => join(instance, name)));
    const leading = () => peers.filter(({ state }) => state.running);
    await until(() => leading().length === 1);
    const [first] = leading();
    await first!.leadership.drain();
    await until(() => leading().length === 1);
    const [second] = leading();
    expect(second).not.toBe(first);
    expect(second!.newest().epoch).toBeGreaterThan(first!.newest().epoch);
  });

  it('is given up while the server is away and taken again when it is back', async () => {
    const name = fresh();
    const { state, contexts } = await join('a', name);
    await until(() => state.running);
    await nats.kill();
    await until(() => !state.running);
    await nats.start();
    await until(() => state.running);
    expect(contexts.at(-1)!.epoch).toBeGreaterThan(contexts[0]!.epoch);
  });
});
