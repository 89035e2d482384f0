/** Health and quarantine at every level of a process: roles, partitions, cells of a kind. */

import { describe, expect, it } from 'vitest';
import { buckets } from '../../../contract/bus/buckets.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import type {
  EntityView,
  Found,
  InspectAnswer,
  InspectionUpdate,
  InspectVerb,
  ProcessView,
} from '../../../contract/inspection.ts';
import { INSPECT_DEAD_LETTERS } from '../../../contract/limits/inspect.ts';
import type { Entry, Watch } from '../../../ports/bus.ts';
import { seededRandom } from '../../../ports/seeded-random.ts';
import { createDeadLetters } from '../../../supervision/cells/dead-letters.ts';
import { Kind } from '../../../supervision/cells/kind.ts';
import { HeapClock } from '../../../supervision/clock.ts';
import { InspectionService } from '../../../supervision/inspection/service.ts';
import type { Role, RoleContext } from '../../../supervision/role.ts';
import { Tree } from '../../../supervision/tree.ts';
import { type LogBucket, LogBus } from '../../actors/telecommand/log-bus.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { orderBinding } from '../../support/order-chart.ts';
import { keptLog } from '../../support/silent-log.ts';
import { until } from '../../support/until.ts';

async function processOf() {
  const clock = new HeapClock(1_000);
  const log = keptLog();
  const bus = new LogBus();
  notified(bus.bucket(buckets.members));
  const random = seededRandom(1);
  const deadLetters = createDeadLetters(undefined, log);
  const escalations: string[] = [];
  const starts: { name: string; epoch: number }[] = [];
  const store = new MemoryStore();
  let isBroken = false;
  const kind = new Kind({
    binding: orderBinding(store),
    clock,
    random,
    log,
    deadLetters,
    intensity: { restarts: 1 },
    onEscalated: () => undefined,
  });
  const start = async (name: string, { epoch }: { epoch: number }) => {
    starts.push({ name, epoch });
    if (isBroken) throw new Error('no follower');
    return { stop: async () => undefined };
  };
  let fail: (reason: string) => void = () => undefined;
  const factory = async ({ failed }: RoleContext): Promise<Role> => {
    fail = failed;
    return {
      shared: [{ role: { role: 'executor', prefix: 'lane', start }, names: () => ['sat1'] }],
      kinds: [kind],
      stop: async () => undefined,
    };
  };
  const onChange = (listener: (mission: unknown) => void) => {
    listener({});
    return () => undefined;
  };
  const tree = new Tree({
    instance: 'here',
    clock,
    random,
    log,
    membership: { holds: true, mayTake: true, alive: () => ['here'], isAlive: () => true } as never,
    pulse: bus as never,
    context: { bus, clock, missions: { onChange } } as never,
    escalated: (reason) => escalations.push(reason),
  });
  const service = new InspectionService({ bus, clock, log, instance: 'here', tree, deadLetters });
  const ask = async <Value>(verb: InspectVerb, call: object = {}) =>
    (await service.answer(verb, call as never)) as InspectAnswer<Value>;
  const view = async () => {
    const answer = await ask<ProcessView>('tree');
    return answer.ok ? answer.value : Promise.reject(new Error('no tree'));
  };
  return {
    bus,
    tree,
    kind,
    clock,
    log,
    escalations,
    starts,
    factory,
    ask,
    view,
    executor: async () => (await view()).roles[0]!,
    lane: async () => (await view()).roles[0]!.partitions[0]!.owned[0],
    failRole: (reason: string) => fail(reason),
    breakWorkers: (is: boolean) => {
      isBroken = is;
    },
  };
}

/** A bucket whose watch receives of every write, as that of a real bus does. */
function notified(bucket: LogBucket): void {
  let changed: (key: string, entry: Entry | undefined) => void = () => undefined;
  const put = bucket.put.bind(bucket);
  const watch = async (_filter: string, listener: typeof changed): Promise<Watch> => {
    changed = listener;
    return { ready: Promise.resolve(), stop: async () => undefined };
  };
  Object.assign(bucket, {
    watch,
    put: async (key: string, value: Uint8Array, expected: number) => {
      const written = await put(key, value, expected);
      changed(key, await bucket.get(key));
      return written;
    },
  });
}

type World = Awaited<ReturnType<typeof processOf>>;

async function laneQuarantined(): Promise<World> {
  const one = await processOf();
  one.breakWorkers(true);
  await one.tree.start('executor', one.factory);
  await until(async () => {
    one.clock.advance(1_000);
    return (await one.lane())?.state === 'quarantined';
  });
  return one;
}

const LANES = 'executor/partitions/lane';
const ORDERS = 'executor/kinds/order';

describe('a quarantined partition', () => {
  it('is shown with its reason, its crashes inside the window and its epoch', async () => {
    const one = await laneQuarantined();
    expect(await one.lane()).toMatchObject({
      name: 'sat1',
      reason: 'no follower',
      epoch: one.starts[0]!.epoch,
      crashes: 6,
    });
    one.clock.advance(120_000);
    expect(await one.lane()).toMatchObject({ state: 'quarantined', crashes: 0 });
    await one.tree.drain();
  });

  it('is started again under the same epoch when it is resumed', async () => {
    const one = await laneQuarantined();
    one.breakWorkers(false);
    expect(await one.ask('resume', { supervisor: LANES, child: 'sat1', by: 'ada' })).toEqual({
      ok: true,
      value: { supervisor: LANES, child: 'sat1' },
    });
    await until(async () => (await one.lane())?.state === 'running');
    expect(one.starts.at(-1)).toEqual(one.starts[0]);
    expect(one.log.said.at(-1)).toMatchObject({ fields: { by: 'ada', verb: 'resume', child: 'sat1' } });
    await one.tree.drain();
  });

  it('is given back and claimed again, with another epoch, when it is reset', async () => {
    const one = await laneQuarantined();
    one.breakWorkers(false);
    await one.ask('reset', { supervisor: LANES, child: 'sat1', by: 'ada' });
    await until(async () => {
      one.clock.advance(1);
      return (await one.lane())?.state === 'running';
    });
    expect((await one.lane())!.epoch).toBeGreaterThan(one.starts[0]!.epoch);
    expect(await one.ask('resume', { supervisor: LANES, child: 'sat1', by: 'ada' })).toMatchObject({
      ok: false,
      faults: [{ code: 'inspect::not-quarantined' }],
    });
    await one.tree.drain();
  });
});

describe('cells in trouble', () => {
  it('are shown restarting, running again and quarantined; the others only counted', async () => {
    const one = await processOf();
    await one.tree.start('executor', one.factory);
    const kindView = async () => (await one.executor()).kinds[0]!;
    for (const id of ['a', 'b']) one.kind.start(id, { item: 'bolt' }, 1);
    await one.kind.peek('a')?.settled();
    one.kind.tell('a', { type: 'order.explode' });
    expect(await kindView()).toMatchObject({
      kind: 'order',
      supervisor: ORDERS,
      live: 1,
      loading: 1,
      trouble: [{ name: 'a', state: 'restarting', crashes: 1, reason: 'the chart is broken' }],
    });
    await until(() => {
      one.clock.advance(100);
      return one.kind.peek('a');
    });
    expect((await kindView()).trouble).toMatchObject([{ name: 'a', state: 'running', crashes: 1 }]);
    one.kind.tell('a', { type: 'order.explode' });
    expect((await kindView()).trouble).toMatchObject([{ name: 'a', state: 'quarantined', crashes: 2 }]);
    expect((await one.view()).deadLetters).toMatchObject({
      count: 2,
      newest: [{ kind: 'order', id: 'a', event: 'order.explode' }, { id: 'a' }],
    });
    await one.ask('resume', { supervisor: ORDERS, child: 'a', by: 'ada' });
    await until(() => one.kind.peek('a'));
    expect(await kindView()).toMatchObject({ live: 2, loading: 0, trouble: [] });
    await one.tree.drain();
  });

  it('show only the newest dead letters, and how many there were', async () => {
    const one = await processOf();
    for (let n = 0; n < INSPECT_DEAD_LETTERS + 5; n += 1) {
      one.kind.start(`o${n}`, { item: 'bolt' }, 1);
      one.kind.tell(`o${n}`, { type: 'order.explode' });
    }
    const { deadLetters } = await one.view();
    expect(deadLetters.count).toBe(INSPECT_DEAD_LETTERS + 5);
    expect(deadLetters.newest.map(({ id }) => id)).toHaveLength(INSPECT_DEAD_LETTERS);
    expect(deadLetters.newest[0]!.id).toBe(`o${INSPECT_DEAD_LETTERS + 4}`);
  });
});

describe('a supervisor', () => {
  const of = (path: string) => ({ kind: 'supervisor', id: `here/${path}` });

  it('has a chart, children in trouble as its context, and what it waits for', async () => {
    const one = await processOf();
    await one.tree.start('executor', one.factory);
    one.kind.start('a', { item: 'bolt' }, 1);
    await one.kind.peek('a')?.settled();
    const calm = await one.ask<EntityView>('entity', of(ORDERS));
    expect(calm).toMatchObject({
      value: { status: 'live', state: 'running', supervisor: 'process', timers: [] },
    });
    one.kind.tell('a', { type: 'order.explode' });
    expect(await one.ask('entity', of(ORDERS))).toMatchObject({
      value: {
        active: ['supervisor.running'],
        context: { children: { a: { quarantined: false, reason: 'the chart is broken' } } },
        timers: [{ event: 'restart of a' }],
      },
    });
    await until(() => {
      one.clock.advance(100);
      return one.kind.peek('a');
    });
    expect(await one.ask('entity', of(ORDERS))).toMatchObject({
      value: { timers: [{ event: 'stability of a' }] },
    });
    one.kind.tell('a', { type: 'order.explode' });
    expect(await one.ask('entity', of(ORDERS))).toMatchObject({
      value: { context: { children: { a: { quarantined: true } } } },
    });
    expect(await one.ask('chart', { kind: 'supervisor' })).toMatchObject({
      value: { kind: 'supervisor', root: { id: 'supervisor' } },
    });
    await one.tree.drain();
  });

  it('is found where supervisors are looked for, and not beside what they supervise', async () => {
    const one = await processOf();
    await one.tree.start('executor', one.factory);
    const found = await one.ask<Found>('find', { kind: 'supervisor', limit: 9 });
    const ids = found.ok ? found.value.entities.map(({ id }) => id).sort() : [];
    expect(ids).toEqual([of(ORDERS).id, of(LANES).id, of('process').id]);
    expect(await one.ask('find', { limit: 9 })).toMatchObject({ value: { entities: [] } });
    expect(await one.ask('entity', of('executor/kinds/other'))).toMatchObject({
      ok: false,
      faults: [{ code: 'inspect::unknown-entity' }],
    });
    expect(await one.ask('entity', { kind: 'supervisor', id: 'there/process' })).toMatchObject({ ok: false });
    await one.tree.drain();
  });

  it('is watched: a frame when a child crashes', async () => {
    const one = await processOf();
    await one.tree.start('executor', one.factory);
    one.kind.start('a', { item: 'bolt' }, 1);
    await one.kind.peek('a')?.settled();
    const frames: InspectionUpdate[] = [];
    one.bus.subscribe(subject.inspectWatch('page'), ({ data }) => {
      frames.push(JSON.parse(Buffer.from(data).toString()) as InspectionUpdate);
    });
    expect(await one.ask('watch', { ...of(ORDERS), watcher: 'page' })).toMatchObject({ ok: true });
    one.kind.tell('a', { type: 'order.explode' });
    await until(() => {
      one.clock.advance(10);
      return frames.some(
        (frame) => frame.type === '@xstate.snapshot' && frame.event.type === 'child.crashed',
      );
    });
    expect(frames[0]).toMatchObject({ type: '@xstate.actor', parentId: 'process' });
    await one.tree.drain();
  });
});

describe('a role', () => {
  it('that failed is shown restarting with the reason, then running; while the process ends, stopping', async () => {
    const one = await processOf();
    await one.tree.start('executor', one.factory);
    expect(await one.executor()).toMatchObject({ name: 'executor', state: 'running', crashes: 0 });
    one.failRole('its watch is broken');
    await until(async () => (await one.executor()).state === 'restarting');
    expect(await one.executor()).toMatchObject({
      crashes: 1,
      reason: 'its watch is broken',
      kinds: [],
      partitions: [],
    });
    await until(async () => {
      one.clock.advance(100);
      return (await one.executor()).state === 'running';
    });
    await one.tree.drain();
    expect(await one.view()).toMatchObject({ draining: true, roles: [{ state: 'stopping' }] });
  });
});

it('finds those in trouble first and says how many more match', async () => {
  const one = await processOf();
  await one.tree.start('executor', one.factory);
  for (const id of ['a1', 'a2', 'a3', 'b1']) one.kind.start(id, { item: 'bolt' }, 1);
  one.kind.tell('a2', { type: 'order.pay' });
  one.kind.tell('a3', { type: 'order.explode' });
  const found = await one.ask('find', { id: 'a', limit: 2 });
  expect(found).toMatchObject({
    ok: true,
    value: { entities: [{ id: 'a3', status: 'restarting', state: '' }, { status: 'live' }], more: 1 },
  });
  expect(await one.ask('find', { state: 'charging', limit: 9 })).toMatchObject({
    value: { entities: [{ id: 'a2', state: 'charging', revision: 2 }], more: 0 },
  });
  expect(await one.ask('find', { kind: 'other', limit: 9 })).toMatchObject({
    value: { entities: [], more: 0 },
  });
  expect(await one.ask('find', { target: 'sat1', limit: 9 })).toMatchObject({
    value: { entities: [], more: 0 },
  });
  await one.tree.drain();
});
