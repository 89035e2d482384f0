import { describe, expect, it } from 'vitest';
import { subject } from '../../../contract/bus/subjects.ts';
import { deferred } from '../../../contract/deferred.ts';
import {
  INSPECT_WATCH_MS,
  type InspectionUpdate,
  type SnapshotUpdate,
  type WatchCall,
} from '../../../contract/inspection.ts';
import { INSPECT_FRAME_MS, INSPECT_WATCHES } from '../../../contract/limits/inspect.ts';
import type { Binding, EntityEvent } from '../../../ports/entity.ts';
import { seededRandom } from '../../../ports/seeded-random.ts';
import { createDeadLetters } from '../../../supervision/cells/dead-letters.ts';
import { Kind } from '../../../supervision/cells/kind.ts';
import { HeapClock } from '../../../supervision/clock.ts';
import { Watches } from '../../../supervision/inspection/watches.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { orderBinding } from '../../support/order-chart.ts';
import { keptLog } from '../../support/silent-log.ts';
import { until } from '../../support/until.ts';

function worldOf(binding: Binding = orderBinding(new MemoryStore()), restarts = 1) {
  const clock = new HeapClock(1_000);
  const log = keptLog();
  const frames: (InspectionUpdate & { to: string })[] = [];
  let broken = false;
  const bus = {
    publish: (to: string, data: Uint8Array) => {
      if (broken) throw new Error('closed');
      frames.push({ to, ...(JSON.parse(Buffer.from(data).toString()) as InspectionUpdate) });
    },
  };
  const kindOf = (): Kind =>
    new Kind({
      binding,
      clock,
      random: seededRandom(1),
      log,
      deadLetters: createDeadLetters(undefined, log),
      intensity: { restarts },
      onEscalated: () => undefined,
    });
  const kind = kindOf();
  const watches = new Watches({ bus: bus as never, clock, log });
  const here = { kind, supervisor: 'executor/kinds/order', instance: 'here' };
  const call = (watcher = 'w1'): WatchCall => ({ kind: 'order', id: 'a', watcher });
  return {
    kind,
    kindOf,
    clock,
    log,
    frames,
    watches,
    here,
    watch: (watcher?: string) => watches.watch(here, call(watcher)),
    unwatch: (watcher?: string) => watches.unwatch(call(watcher)),
    tell: (type: string, fields: object = {}) => kind.tell('a', { type, ...fields } as EntityEvent),
    snapshots: () =>
      frames.filter(
        (update): update is SnapshotUpdate & { to: string } => update.type === '@xstate.snapshot',
      ),
    breakBus: () => {
      broken = true;
    },
  };
}

function started(...options: Parameters<typeof worldOf>) {
  const world = worldOf(...options);
  world.kind.start('a', { item: 'bolt' }, 7);
  return world;
}

describe('the frames of a watched entity', () => {
  it('begin with what it is now, and then report each step with the edges taken', async () => {
    const { watch, frames, tell, clock } = started();
    tell('order.pay');
    expect(await watch()).toEqual({ ok: true, value: { until: 1_000 + INSPECT_WATCH_MS } });
    tell('charge.done');
    clock.advance(0);
    expect(frames.map(({ type, to }) => [type, to])).toEqual([
      ['@xstate.actor', subject.inspectWatch('w1')],
      ['@xstate.event', subject.inspectWatch('w1')],
      ['@xstate.snapshot', subject.inspectWatch('w1')],
    ]);
    const [actor, event, snapshot] = frames as unknown as [
      InspectionUpdate,
      InspectionUpdate,
      SnapshotUpdate,
    ];
    expect(actor).toMatchObject({
      sessionId: 'order:a',
      rootId: 'order:a',
      id: null,
      createdAt: '1000',
      parentId: 'executor/kinds/order',
      revision: 2,
      snapshot: { status: 'active', value: 'charging' },
      view: {
        epoch: 7,
        active: ['order.charging'],
        effects: [{ key: 'order:a:2:0', type: 'effect.charge', detail: { item: 'bolt' } }],
        timers: [{ event: 'xstate.after.10000.order.charging', dueAt: 11_000 }],
        accepts: ['charge.done', 'order.explode', 'order.note'],
        refuses: ['order.pay', 'ship.done'],
      },
    });
    expect(event).toMatchObject({ event: { type: 'charge.done' } });
    expect(snapshot).toMatchObject({
      event: { type: 'charge.done' },
      taken: ['order.charging|charge.done|0'],
      steps: 1,
      snapshot: { value: 'shipping' },
      view: { state: 'shipping', revision: 3 },
    });
  });

  it('are never closer than their bound; steps between them are folded and the last state is not lost (watched.F1)', async () => {
    const { watch, snapshots, tell, clock } = started();
    await watch();
    for (let n = 0; n < 1_000; n += 1) {
      tell('order.note', { note: `${n}` });
      clock.advance(1);
    }
    clock.advance(INSPECT_FRAME_MS);
    const shown = snapshots();
    const gaps = shown.slice(1).map((frame, n) => frame.at - shown[n]!.at);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(INSPECT_FRAME_MS);
    expect(shown.length).toBeGreaterThan(15);
    expect(shown.reduce((sum, { steps }) => sum + steps, 0)).toBe(1_000);
    expect((shown.at(-1)!.view.context as { notes: string[] }).notes.at(-1)).toBe('999');
  });

  it('end with status done when the entity finishes, whatever was still to be shown (watched.F2)', async () => {
    const binding = orderBinding(new MemoryStore(), {
      'effect.charge': () => ({ type: 'charge.done' }),
      'effect.ship': () => ({ type: 'ship.done' }),
    });
    const { watch, watches, snapshots, tell, kind } = started(binding);
    await watch();
    tell('order.pay');
    await until(() => kind.look('a') === undefined);
    const last = snapshots().at(-1)!;
    expect(last).toMatchObject({
      snapshot: { status: 'done', value: 'shipped' },
      view: { status: 'finished' },
    });
    expect(last.taken).toContain('order.shipping|ship.done|0');
    expect(watches.size).toBe(0);
    expect(await watch()).toMatchObject({ ok: false, faults: [{ code: 'inspect::unknown-entity' }] });
  });

  it('end with status done also when the last step stores nothing and ends the cell at once (watched.F2)', async () => {
    const replies: Parameters<typeof orderBinding>[1] = {
      'effect.charge': () => ({ type: 'charge.done' }),
      'effect.ship': () => ({ type: 'ship.done' }),
    };
    const binding = orderBinding(new MemoryStore(), replies, { durability: 'log' });
    const { watch, snapshots, tell, kind } = started(binding);
    await watch();
    tell('order.pay');
    await until(() => kind.look('a') === undefined);
    expect(snapshots().at(-1)).toMatchObject({
      snapshot: { status: 'done', value: 'shipped' },
      view: { status: 'finished', state: 'shipped' },
    });
  });

  it('show the end only when it is stored (watched.F2)', async () => {
    const store = new MemoryStore();
    const stored = deferred<void>();
    store.before = ({ final }) => (final ? stored.promise : undefined);
    const { watch, snapshots, tell, kind, clock } = started(
      orderBinding(store, { 'effect.charge': () => undefined }),
    );
    tell('order.pay');
    await watch();
    clock.advance(6_000);
    await watch();
    clock.advance(5_000);
    expect(kind.peek('a')?.actor?.getSnapshot().status).toBe('done');
    expect(snapshots()).toEqual([]);
    stored.resolve();
    await until(() => kind.look('a') === undefined);
    expect(snapshots()).toMatchObject([{ snapshot: { status: 'done', value: 'givenUp' }, steps: 1 }]);
  });

  it('never show an end that could not be stored (watched.F2)', async () => {
    const store = new MemoryStore();
    store.before = ({ final }) => {
      if (final) throw new Error('not stored');
    };
    const { watch, snapshots, tell, clock } = started(
      orderBinding(store, { 'effect.charge': () => undefined }),
    );
    tell('order.pay');
    await watch();
    clock.advance(6_000);
    await watch();
    clock.advance(4_000);
    await until(() => {
      clock.advance(10);
      return snapshots().length > 0;
    });
    expect(snapshots().map(({ view, snapshot }) => [view.status, snapshot.status])).toEqual([
      ['restarting', 'stopped'],
    ]);
  });

  it('go on with the next cell of an entity that crashed, was quarantined and resumed (watched.F3)', async () => {
    const { watch, snapshots, tell, kind, clock } = started();
    await kind.peek('a')?.settled();
    await watch();
    tell('order.explode');
    clock.advance(0);
    expect(snapshots().at(-1)!.view).toMatchObject({ status: 'restarting', reason: 'the chart is broken' });
    await until(() => {
      clock.advance(50);
      return kind.peek('a');
    });
    clock.advance(50);
    expect(snapshots().at(-1)!.view).toMatchObject({ status: 'live', active: ['order.open'] });
    tell('order.explode');
    clock.advance(50);
    expect(snapshots().at(-1)!.view).toMatchObject({ status: 'quarantined', accepts: [] });
    expect(await watch()).toMatchObject({ ok: true });
    expect(kind.resume('a')).toBe(true);
    await until(() => kind.peek('a'));
    tell('order.pay');
    clock.advance(50);
    expect(snapshots().at(-1)).toMatchObject({ event: { type: 'order.pay' }, view: { state: 'charging' } });
  });

  it('go on when an entity that slept comes back (watched.F3)', async () => {
    const { watch, snapshots, tell, kind, clock } = started(
      orderBinding(new MemoryStore(), {}, { idleMs: 1_000 }),
    );
    await kind.peek('a')?.settled();
    await watch();
    clock.advance(2_000);
    expect(kind.look('a')).toBeUndefined();
    expect(await watch()).toMatchObject({ ok: true });
    expect(await watch('w2')).toMatchObject({ ok: true });
    tell('order.note', { note: 'awake' });
    await until(() => kind.peek('a'));
    clock.advance(50);
    expect(snapshots().at(-1)!.view.context).toMatchObject({ notes: ['awake'] });
  });

  it('show a quarantined entity as its record has it', async () => {
    const { watch, frames, tell, kind } = started(undefined, 0);
    tell('order.pay');
    await kind.peek('a')?.settled();
    tell('order.explode');
    await watch();
    expect(frames[0]).toMatchObject({
      type: '@xstate.actor',
      view: { status: 'quarantined', active: ['order.charging'], revision: 2, reason: 'the chart is broken' },
    });
    expect(await watch()).toMatchObject({ ok: true });
  });
});

describe('the lease of a watch (watches.N3)', () => {
  it('ends when it is not renewed, and then costs the entity nothing', async () => {
    const { watch, watches, frames, tell, clock } = started();
    await watch();
    clock.advance(INSPECT_WATCH_MS * 0.8);
    await watch();
    clock.advance(INSPECT_WATCH_MS * 0.8);
    expect(watches.size).toBe(1);
    clock.advance(INSPECT_WATCH_MS * 0.4);
    expect(watches.size).toBe(0);
    const before = frames.length;
    tell('order.pay');
    clock.advance(1_000);
    expect(frames).toHaveLength(before);
  });

  it('is looked at by one timer for all, and by none where nothing is watched', async () => {
    const { watch, watches, clock } = started();
    expect(clock.next()).toBeUndefined();
    for (let watcher = 0; watcher < 5; watcher += 1) {
      await watch(`w${watcher}`);
      clock.advance(10);
    }
    const looks: number[] = [];
    for (let next = clock.next(); next !== undefined; next = clock.next()) {
      looks.push(next);
      clock.advance(next - clock.now());
    }
    expect(watches.size).toBe(0);
    const pauses = looks.slice(1).map((at, n) => at - looks[n]!);
    expect(new Set(pauses).size).toBe(1);
    await watch();
    watches.stop();
    expect(clock.next()).toBeUndefined();
  });

  it('ends at once by unwatch, for that watcher alone; a renewal repeats no first frame', async () => {
    const { watch, unwatch, frames, tell, clock } = started();
    await watch('w1');
    await watch('w2');
    await watch('w2');
    unwatch('w1');
    tell('order.pay');
    clock.advance(0);
    expect(frames.map(({ type, to }) => `${type} ${to.slice(-2)}`)).toEqual([
      '@xstate.actor w1',
      '@xstate.actor w2',
      '@xstate.event w2',
      '@xstate.snapshot w2',
    ]);
  });

  it('is refused for an entity that is not here, and for one watch too many', async () => {
    const { watch, watches, here, kind } = started();
    expect(await watches.watch(here, { kind: 'order', id: 'b', watcher: 'w' })).toMatchObject({
      ok: false,
      faults: [{ code: 'inspect::unknown-entity' }],
    });
    for (let n = 0; n < INSPECT_WATCHES; n += 1) await watch(`w${n}`);
    expect(await watch('more')).toMatchObject({ ok: false, faults: [{ code: 'inspect::invalid' }] });
    expect(await watch('w0')).toMatchObject({ ok: true });
    kind.drop('a');
    expect(await watch('w0')).toMatchObject({ ok: false, faults: [{ code: 'inspect::unknown-entity' }] });
  });

  it('begins again when the kind has been started again', async () => {
    const { watch, watches, here, kind, kindOf, frames, clock } = started();
    await kind.peek('a')?.settled();
    await watch();
    kind.drop('a');
    const again = kindOf();
    again.tell('a', { type: 'order.note', note: 'again' } as EntityEvent);
    await until(() => again.peek('a'));
    await watches.watch({ ...here, kind: again }, { kind: 'order', id: 'a', watcher: 'w1' });
    again.tell('a', { type: 'order.pay' });
    clock.advance(0);
    expect(frames.at(-1)).toMatchObject({ type: '@xstate.snapshot', view: { epoch: 0, state: 'charging' } });
  });
});

it('a bus that cannot be written to ends the watch and touches nobody (C8)', async () => {
  const { watch, watches, breakBus, tell, clock, kind, log } = started();
  await watch();
  breakBus();
  tell('order.pay');
  expect(() => clock.advance(0)).not.toThrow();
  expect(kind.peek('a')?.actor?.getSnapshot().value).toBe('charging');
  expect(watches.size).toBe(0);
  expect(log.said.map(({ message }) => message)).toContain('update not shown: the watch is over');
});
