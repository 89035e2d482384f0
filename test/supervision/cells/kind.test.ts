import { describe, expect, it } from 'vitest';
import { TooLarge } from '../../../contract/too-large.ts';
import type { Gone } from '../../../ports/cells.ts';
import type { Binding, Envelope } from '../../../ports/entity.ts';
import { seededRandom } from '../../../ports/seeded-random.ts';
import { createDeadLetters } from '../../../supervision/cells/dead-letters.ts';
import { Kind, type KindOptions } from '../../../supervision/cells/kind.ts';
import { HeapClock } from '../../../supervision/clock.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { orderBinding } from '../../support/order-chart.ts';
import { keptLog } from '../../support/silent-log.ts';
import { until } from '../../support/until.ts';

function kindOf(binding: Binding, more: Partial<KindOptions> = {}) {
  const clock = new HeapClock(0);
  const gone: [string, Gone][] = [];
  const escalations: string[] = [];
  const log = keptLog();
  const deadLetters = createDeadLetters(undefined, log);
  const kind = new Kind({
    binding,
    clock,
    random: seededRandom(1),
    log,
    deadLetters,
    onGone: (id, why) => gone.push([id, why]),
    onEscalated: (reason) => escalations.push(reason),
    ...more,
  });
  return { kind, clock, gone, escalations, deadLetters };
}

const chartValue = (kind: Kind, id: string): unknown => kind.peek(id)?.actor?.getSnapshot().value;
const notesOf = (kind: Kind, id: string): unknown => kind.peek(id)?.actor?.getSnapshot().context.notes;

/** Commits until the store holds what the cell is in. */
async function durable(kind: Kind, id: string): Promise<void> {
  await kind.peek(id)?.settled();
}

describe('C1: one cell per entity', () => {
  it('refuses to start a second cell of the same entity', () => {
    const { kind } = kindOf(orderBinding(new MemoryStore()));
    kind.start('a', { item: 'bolt' }, 1);
    expect(() => kind.start('a', { item: 'nut' }, 1)).toThrow('C1');
  });

  it('activates once however many events come while it loads, and hands them over in order', async () => {
    const store = new MemoryStore();
    const { kind } = kindOf(orderBinding(store));
    kind.start('a', { item: 'bolt' }, 1);
    await durable(kind, 'a');
    kind.drop('a');
    let loads = 0;
    const load = store.load.bind(store);
    store.load = (id) => {
      loads += 1;
      return load(id);
    };
    for (const note of ['1', '2', '3']) kind.tell('a', { type: 'order.note', note } as never);
    await until(() => notesOf(kind, 'a'));
    expect(notesOf(kind, 'a')).toEqual(['1', '2', '3']);
    expect(loads).toBe(1);
  });
});

describe('C5: versions', () => {
  it('migrates an older envelope step by step', async () => {
    const store = new MemoryStore();
    const first = kindOf(orderBinding(store));
    first.kind.start('a', { item: 'bolt' }, 1);
    await durable(first.kind, 'a');
    const add =
      (note: string) =>
      (envelope: Envelope): Envelope => {
        const old = envelope as unknown as { snapshot: { context: { notes: string[] } } };
        const notes = [...old.snapshot.context.notes, note];
        return {
          ...old,
          snapshot: { ...old.snapshot, context: { ...old.snapshot.context, notes } },
        } as unknown as Envelope;
      };
    const second = kindOf(
      orderBinding(store, {}, { version: 3, migrations: { 1: add('1→2'), 2: add('2→3') } }),
    );
    second.kind.tell('a', { type: 'order.note', note: 'now' } as never);
    await until(() => second.kind.peek('a'));
    expect(notesOf(second.kind, 'a')).toEqual(['1→2', '2→3', 'now']);
  });

  it.each([
    ['newer', 1, {}],
    ['without a path', 9, {}],
  ])('quarantines an envelope of a version that is %s', async (_what, version, migrations) => {
    const store = new MemoryStore();
    const first = kindOf(orderBinding(store, {}, { version: 5 }));
    first.kind.start('a', { item: 'bolt' }, 1);
    await durable(first.kind, 'a');
    const { kind, gone } = kindOf(orderBinding(store, {}, { version, migrations }));
    kind.tell('a', { type: 'order.pay' });
    await until(() => gone.length === 1);
    expect(gone).toEqual([['a', 'quarantined']]);
    expect(kind.peek('a')).toBeUndefined();
    expect(kind.tell('a', { type: 'order.pay' })).toBe('quarantined');
    expect(Object.values(kind.trouble())[0]?.reason).toContain('version 5');
  });
});

describe('C6: dead letters and restart', () => {
  it('restarts a crashed cell from its record, keeps the events behind, and never gives it the poison again', async () => {
    const store = new MemoryStore();
    const { kind, clock, deadLetters } = kindOf(orderBinding(store));
    kind.start('a', { item: 'bolt' }, 1);
    kind.tell('a', { type: 'order.note', note: 'before' } as never);
    await durable(kind, 'a');
    kind.tell('a', { type: 'order.explode' });
    kind.tell('a', { type: 'order.note', note: 'after' } as never);
    expect(kind.peek('a')).toBeUndefined();
    await until(() => {
      clock.advance(50);
      return kind.peek('a');
    });
    expect(notesOf(kind, 'a')).toEqual(['before', 'after']);
    expect(deadLetters.shown.map((letter) => letter.event.type)).toEqual(['order.explode']);
  });

  it.each([true, undefined])(
    'kind.C12 ends at once what is too large for the bus, where its owner can (%s)',
    async (ends) => {
      const store = new MemoryStore();
      store.before = () => {
        throw new TooLarge('a message', 2_000_000, 1_048_576);
      };
      const details: (string | undefined)[] = [];
      const binding = orderBinding(store, {}, ends === true ? { endsTooLarge: true } : {});
      const { kind, clock } = kindOf(binding, {
        intensity: { restarts: 2 },
        onGone: (_id, why, detail) => details.push(why, detail),
      });
      kind.start('a', { item: 'bolt' }, 1);
      await until(() => {
        clock.advance(1_000);
        return details.length > 0;
      });
      if (ends === undefined) return expect(details).toEqual(['quarantined', undefined]);
      expect(details).toEqual([
        'too-large',
        expect.stringMatching(/2000000 bytes.*1048576.*Raise `max_payload`/),
      ]);
      expect(store.commits).toBe(0);
      expect(kind.crashes('a')).toBe(0);
      expect(kind.look('a')).toBeUndefined();
    },
  );

  it('quarantines an entity that keeps crashing, keeps its record, and lets an operator resume it', async () => {
    const store = new MemoryStore();
    const { kind, clock, gone } = kindOf(orderBinding(store), { intensity: { restarts: 2 } });
    kind.start('a', { item: 'bolt' }, 1);
    await durable(kind, 'a');
    for (let crash = 0; crash < 3; crash += 1) {
      kind.tell('a', { type: 'order.explode' });
      if (crash < 2) {
        await until(() => {
          clock.advance(100);
          return kind.peek('a');
        });
      }
    }
    await until(() => gone.length === 1);
    expect(gone).toEqual([['a', 'quarantined']]);
    clock.advance(3_600_000);
    expect(kind.peek('a')).toBeUndefined();
    expect(store.stored.has('a')).toBe(true);
    kind.resume('a');
    await until(() => kind.peek('a'));
    expect(chartValue(kind, 'a')).toBe('open');
  });

  it('does not restart a temporary entity', async () => {
    const { kind, clock, gone } = kindOf(orderBinding(new MemoryStore(), {}, { restart: 'temporary' }));
    kind.start('a', { item: 'bolt' }, 1);
    kind.tell('a', { type: 'order.explode' });
    clock.advance(60_000);
    expect(gone).toEqual([['a', 'given-up']]);
  });

  it('escalates when too many entities are quarantined', async () => {
    const { kind, escalations } = kindOf(orderBinding(new MemoryStore()), {
      intensity: { restarts: 0, quarantines: 2 },
    });
    for (const id of ['a', 'b', 'c']) {
      kind.start(id, { item: 'bolt' }, 1);
      kind.tell(id, { type: 'order.explode' });
    }
    expect(escalations).toHaveLength(1);
  });
});

describe('C7: activation and passivation', () => {
  it('stops an idle cell, and the next event brings it back as it was', async () => {
    const store = new MemoryStore();
    const { kind, clock } = kindOf(orderBinding(store, {}, { idleMs: 1_000 }));
    kind.start('a', { item: 'bolt' }, 1);
    kind.tell('a', { type: 'order.note', note: 'kept' } as never);
    await durable(kind, 'a');
    clock.advance(2_000);
    expect(kind.live).toBe(0);
    kind.tell('a', { type: 'order.note', note: 'later' } as never);
    await until(() => kind.peek('a'));
    expect(notesOf(kind, 'a')).toEqual(['kept', 'later']);
  });

  it('does not stop a cell that waits for an effect', async () => {
    const { kind, clock } = kindOf(orderBinding(new MemoryStore(), {}, { idleMs: 1_000 }));
    kind.start('a', { item: 'bolt' }, 1);
    kind.tell('a', { type: 'order.pay' });
    await durable(kind, 'a');
    clock.advance(5_000);
    expect(kind.live).toBe(1);
  });

  it('wakes a passivated entity at its deadline', async () => {
    const store = new MemoryStore();
    const binding = orderBinding(store, { 'effect.charge': () => undefined }, { idleMs: 1_000 });
    const { kind, clock, gone } = kindOf(binding);
    kind.start('a', { item: 'bolt' }, 1);
    kind.tell('a', { type: 'order.pay' });
    await durable(kind, 'a');
    await until(() => kind.peek('a')?.quiet);
    // The charge is answered, so nothing pends; its record still says so until the next revision.
    clock.advance(3_000);
    expect(kind.live).toBe(0);
    clock.advance(7_000);
    await until(() => kind.peek('a') ?? gone.length > 0);
    clock.advance(0);
    await until(() => gone.length > 0);
    expect(gone).toEqual([['a', 'finished']]);
    expect(store.stored.get('a')?.envelope.snapshot).toMatchObject({ value: 'givenUp' });
  });

  it('ends a finished entity and keeps its record', async () => {
    const store = new MemoryStore();
    const { kind, gone } = kindOf(
      orderBinding(store, {
        'effect.charge': () => ({ type: 'charge.done' }),
        'effect.ship': () => ({ type: 'ship.done' }),
      }),
    );
    kind.start('a', { item: 'bolt' }, 1);
    kind.tell('a', { type: 'order.pay' });
    await until(() => gone.length === 1);
    expect(gone).toEqual([['a', 'finished']]);
    expect(kind.live).toBe(0);
  });

  it('drains: takes no more, makes durable what was accepted, stops', async () => {
    const store = new MemoryStore();
    const { kind } = kindOf(orderBinding(store));
    kind.start('a', { item: 'bolt' }, 1);
    kind.tell('a', { type: 'order.note', note: 'last' } as never);
    await kind.drain();
    expect(kind.tell('a', { type: 'order.pay' })).toBe('gone');
    expect(kind.live).toBe(0);
    expect(store.stored.get('a')?.envelope.snapshot).toMatchObject({ context: { notes: ['last'] } });
  });
});

describe('children that come and go', () => {
  it('quarantines an entity again that was quarantined here, was dropped, and came back as broken as before', async () => {
    const store = new MemoryStore();
    store.before = () => {
      throw new Error('never stored');
    };
    const { kind, clock, gone } = kindOf(orderBinding(store));
    const crashUntilQuarantined = async (times: number): Promise<void> => {
      kind.start('a', { item: 'bolt' }, 1);
      await until(() => {
        clock.advance(1_000);
        return gone.filter(([, why]) => why === 'quarantined').length === times;
      });
    };
    await crashUntilQuarantined(1);
    kind.drop('a');
    expect(kind.trouble()).toEqual({});
    await crashUntilQuarantined(2);
  });

  it('begins an entity again that died before its first revision was durable', async () => {
    const store = new MemoryStore();
    let refusals = 1;
    store.before = () => {
      if (refusals-- > 0) throw new Error('not this time');
    };
    const { kind, clock, gone } = kindOf(orderBinding(store));
    kind.start('a', { item: 'bolt' }, 1);
    await until(() => {
      clock.advance(100);
      return store.stored.has('a');
    });
    expect(gone).toEqual([]);
    expect(kind.peek('a')?.actor?.getSnapshot().context).toMatchObject({ item: 'bolt' });
  });

  it('lets a snapshot that its chart does not know kill that entity and nothing else', async () => {
    const store = new MemoryStore();
    const { kind, clock, gone } = kindOf(orderBinding(store));
    kind.start('a', { item: 'bolt' }, 1);
    await durable(kind, 'a');
    kind.drop('a');
    const { envelope, position } = store.stored.get('a')!;
    const snapshot = { ...(envelope.snapshot as object), value: 'nowhere' };
    store.stored.set('a', { position, envelope: { ...envelope, snapshot } });
    kind.tell('a', { type: 'order.pay' });
    await until(() => {
      clock.advance(1_000);
      return gone.some(([id, why]) => id === 'a' && why === 'quarantined');
    });
    expect(kind.start('b', { item: 'nut' }, 1).alive).toBe(true);
  });
});
