import { describe, expect, it } from 'vitest';
import { deferred } from '../../../contract/deferred.ts';
import { CELL_INBOX } from '../../../contract/limits/cell.ts';
import { Outage } from '../../../contract/outage.ts';
import type { Binding, Stored } from '../../../ports/entity.ts';
import { Cell, type Down } from '../../../supervision/cells/cell.ts';
import { HeapClock } from '../../../supervision/clock.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { type OrderEvent, orderBinding } from '../../support/order-chart.ts';
import { until } from '../../support/until.ts';

const event = (type: OrderEvent['type'], fields: object = {}): OrderEvent =>
  ({ type, ...fields }) as OrderEvent;

function open(binding: Binding, clock = new HeapClock(), stored?: Stored, epoch = 7) {
  const downs: Down[] = [];
  const cell = new Cell({ binding, id: 'a', epoch, clock, down: (down) => downs.push(down) });
  cell.start(stored === undefined ? { input: { item: 'bolt' } } : { stored });
  return { cell, downs, clock };
}

function value(cell: Cell): unknown {
  return cell.actor?.getSnapshot().value;
}

describe('C2 and C3: commit before effect', () => {
  it('runs an effect only after its revision is durable', async () => {
    const store = new MemoryStore();
    const gate = deferred<void>();
    const asked: string[] = [];
    store.before = ({ envelope }) => (envelope().revision === 2 ? gate.promise : undefined);
    const { cell } = open(
      orderBinding(store, {
        'effect.charge': (_effect, { key }) => {
          asked.push(key);
          return undefined;
        },
      }),
    );
    await cell.settled();
    cell.tell(event('order.pay'));
    await Promise.resolve();
    expect(value(cell)).toBe('charging');
    expect(asked).toEqual([]);
    gate.resolve();
    await until(() => asked.length === 1);
    expect(asked).toEqual(['order:a:2:0']);
  });

  it('never runs the effects of a revision that another owner prevented (O1)', async () => {
    const store = new MemoryStore();
    let asked = 0;
    const count = (): undefined => {
      asked += 1;
    };
    const binding = orderBinding(store, { 'effect.charge': () => count() });
    const { cell, downs } = open(binding);
    await cell.settled();
    const stored = store.stored.get('a')!;
    store.stored.set('a', { ...stored, position: stored.position + 1 });
    cell.tell(event('order.pay'));
    await until(() => downs.length === 1);
    expect(downs).toEqual([{ reason: 'fenced' }]);
    expect(asked).toBe(0);
    expect(cell.tell(event('order.note', { note: 'x' }))).toBe('gone');
  });

  it('asks again for committed effects after a crash, under the same key, and for uncommitted ones never', async () => {
    const store = new MemoryStore();
    const keys: string[] = [];
    const binding = orderBinding(store, {
      'effect.charge': (_effect, { key }) => {
        keys.push(key);
        return new Promise(() => undefined);
      },
    });
    const first = open(binding);
    first.cell.tell(event('order.pay'));
    await first.cell.settled();
    await until(() => keys.length === 1);
    store.before = () => new Promise(() => undefined);
    first.cell.tell(event('charge.done'));
    expect(value(first.cell)).toBe('shipping');
    first.cell.stop();
    store.before = () => undefined;

    const second = open(binding, new HeapClock(), store.stored.get('a'));
    await until(() => keys.length === 2);
    expect(value(second.cell)).toBe('charging');
    expect(keys[1]).toBe(keys[0]);
  });

  it('keeps an effect pending until its answer is durable', async () => {
    const store = new MemoryStore();
    const asked: string[] = [];
    const binding = orderBinding(store, {
      'effect.charge': (_effect, { key }) => {
        asked.push(key);
        return event('charge.done');
      },
    });
    const { cell } = open(binding);
    await cell.settled();
    store.before = ({ envelope }) => (envelope().revision >= 3 ? new Promise(() => undefined) : undefined);
    cell.tell(event('order.pay'));
    await until(() => value(cell) === 'shipping');
    expect(store.stored.get('a')?.envelope.effects.map((pending) => pending.effect.type)).toEqual([
      'effect.charge',
    ]);
    cell.stop();
  });

  it('does not lose a pending effect to a commit of an event that overtakes its answer', async () => {
    const store = new MemoryStore();
    const answer = deferred<OrderEvent>();
    const { cell } = open(orderBinding(store, { 'effect.charge': () => answer.promise }));
    cell.tell(event('order.pay'));
    cell.tell(event('order.note', { note: 'between' }));
    await cell.settled();
    expect(store.stored.get('a')?.envelope.effects.map((pending) => pending.key)).toEqual(['order:a:2:0']);
    answer.resolve(event('charge.done'));
    await until(() => value(cell) === 'shipping');
    await cell.settled();
    expect(store.stored.get('a')?.envelope.effects.map((pending) => pending.effect.type)).toEqual([
      'effect.ship',
    ]);
  });

  it('commits what the actor was at that revision, also to a store that looks at it later, and again', async () => {
    const store = new MemoryStore();
    const gate = deferred<void>();
    let tries = 0;
    store.before = async () => {
      tries += 1;
      await gate.promise;
      if (tries === 1) throw new Outage('bus.unavailable', 'away');
    };
    const { cell, clock } = open(orderBinding(store, { 'effect.charge': () => undefined }));
    cell.tell(event('order.pay'));
    cell.tell(event('charge.done'));
    expect(value(cell)).toBe('shipping');
    const revisions: number[] = [];
    const { commit } = store;
    store.commit = async (wanted) => {
      const committed = await commit.call(store, wanted);
      revisions.push(wanted.envelope().revision);
      return committed;
    };
    gate.resolve();
    await until(() => {
      clock.advance(100);
      return revisions.length === 2;
    });
    expect(revisions).toEqual([1, 3]);
    expect(store.stored.get('a')?.envelope.revision).toBe(3);
  });

  it('asks the store again while the bus is away, with the same commit', async () => {
    const store = new MemoryStore();
    let tries = 0;
    store.before = () => {
      tries += 1;
      if (tries < 3) throw new Outage('bus.unavailable', 'away');
    };
    const { cell, clock } = open(orderBinding(store));
    await until(() => {
      clock.advance(100);
      return tries === 3;
    });
    await cell.settled();
    expect(store.commits).toBe(1);
    expect(cell.alive).toBe(true);
  });
});

describe('C4: deadlines', () => {
  it('arms a deadline again on restore with what is left of it', async () => {
    const store = new MemoryStore();
    const first = open(orderBinding(store), new HeapClock(1_000));
    first.cell.tell(event('order.pay'));
    await first.cell.settled();
    first.cell.stop();
    expect(store.stored.get('a')?.envelope.timers.map((timer) => timer.dueAt)).toEqual([11_000]);

    const second = open(orderBinding(store), new HeapClock(8_000), store.stored.get('a'));
    second.clock.advance(2_999);
    expect(value(second.cell)).toBe('charging');
    second.clock.advance(1);
    expect(value(second.cell)).toBe('givenUp');
    await until(() => second.downs.length === 1);
    expect(second.downs).toEqual([{ reason: 'finished' }]);
  });

  it('fires a deadline at once that passed while nobody was there', async () => {
    const store = new MemoryStore();
    const first = open(orderBinding(store), new HeapClock(0));
    first.cell.tell(event('order.pay'));
    await first.cell.settled();
    first.cell.stop();
    const second = open(orderBinding(store), new HeapClock(60_000), store.stored.get('a'));
    second.clock.advance(0);
    expect(value(second.cell)).toBe('givenUp');
  });

  it('cancels a restored deadline when its state is left', async () => {
    const store = new MemoryStore();
    const first = open(orderBinding(store), new HeapClock(0));
    first.cell.tell(event('order.pay'));
    await first.cell.settled();
    first.cell.stop();
    const second = open(orderBinding(store), new HeapClock(0), store.stored.get('a'));
    second.cell.tell(event('charge.done'));
    second.clock.advance(60_000);
    expect(value(second.cell)).toBe('shipping');
  });
});

describe('C5: the envelope', () => {
  it('carries kind, version, revision, epoch, snapshot, timers and pending effects', async () => {
    const store = new MemoryStore();
    const { cell } = open(orderBinding(store), new HeapClock(5));
    cell.tell(event('order.pay'));
    await cell.settled();
    expect(store.stored.get('a')?.envelope).toMatchObject({
      kind: 'order',
      id: 'a',
      version: 1,
      revision: 2,
      epoch: 7,
      snapshot: { value: 'charging', context: { item: 'bolt' } },
      timers: [{ dueAt: 10_005 }],
      effects: [{ key: 'order:a:2:0', effect: { type: 'effect.charge', item: 'bolt' } }],
    });
  });
});

describe('C6: the inbox and poison', () => {
  it('answers full when too many events wait', () => {
    const store = new MemoryStore();
    const receipts: string[] = [];
    const { cell } = open(orderBinding(store));
    cell.actor?.subscribe({ next: () => flood(), error: () => undefined });
    let flooding = false;
    const flood = (): void => {
      if (flooding) return;
      flooding = true;
      for (let n = 0; n <= CELL_INBOX; n += 1)
        receipts.push(cell.tell(event('order.note', { note: `${n}` })));
    };
    cell.tell(event('order.note', { note: 'first' }));
    expect(receipts.filter((receipt) => receipt === 'accepted')).toHaveLength(CELL_INBOX);
    expect(receipts.at(-1)).toBe('full');
  });

  it('names the event that killed the actor and hands on the ones behind it', async () => {
    const store = new MemoryStore();
    const { cell, downs } = open(orderBinding(store));
    let reported = false;
    cell.actor?.subscribe({
      next: () => {
        if (reported) return;
        reported = true;
        cell.tell(event('order.explode'));
        cell.tell(event('order.note', { note: 'behind' }));
      },
      error: () => undefined,
    });
    cell.tell(event('order.note', { note: 'first' }));
    await until(() => downs.length === 1);
    expect(downs[0]).toMatchObject({
      reason: 'crashed',
      poison: { type: 'order.explode' },
      inbox: [{ type: 'order.note', note: 'behind' }],
    });
  });

  it('goes down when an effect fails, without a poison event', async () => {
    const store = new MemoryStore();
    const binding = orderBinding(store, { 'effect.charge': () => Promise.reject(new Error('defect')) });
    const { cell, downs } = open(binding);
    cell.tell(event('order.pay'));
    await until(() => downs.length === 1);
    expect(downs[0]).toMatchObject({ reason: 'crashed', poison: undefined });
  });
});

describe('C9: going down', () => {
  it('goes down once and runs nothing afterwards', async () => {
    const store = new MemoryStore();
    let shipped = 0;
    const answer = deferred<OrderEvent>();
    const binding = orderBinding(store, {
      'effect.charge': () => answer.promise,
      'effect.ship': () => {
        shipped += 1;
        return undefined;
      },
    });
    const { cell, downs } = open(binding);
    cell.tell(event('order.pay'));
    await cell.settled();
    cell.stop();
    answer.resolve(event('charge.done'));
    await Promise.resolve();
    await Promise.resolve();
    expect(shipped).toBe(0);
    expect(downs).toEqual([]);
  });

  it('reports a final state after its last commit', async () => {
    const store = new MemoryStore();
    const gate = deferred<void>();
    const binding = orderBinding(store, {
      'effect.charge': () => event('charge.done'),
      'effect.ship': () => event('ship.done'),
    });
    store.before = ({ final }) => (final ? gate.promise : undefined);
    const { cell, downs } = open(binding);
    cell.tell(event('order.pay'));
    await until(() => value(cell) === 'shipped');
    expect(downs).toEqual([]);
    gate.resolve();
    await until(() => downs.length === 1);
    expect(downs).toEqual([{ reason: 'finished' }]);
    expect(store.stored.get('a')?.envelope.snapshot).toMatchObject({ status: 'done' });
  });
});
