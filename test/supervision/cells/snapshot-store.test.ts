import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buckets } from '../../../contract/bus/buckets.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import type { Bus } from '../../../ports/bus.ts';
import type { Gone } from '../../../ports/cells.ts';
import { seededRandom } from '../../../ports/seeded-random.ts';
import { createDeadLetters } from '../../../supervision/cells/dead-letters.ts';
import { Kind } from '../../../supervision/cells/kind.ts';
import { createSnapshotStore } from '../../../supervision/cells/snapshot-store.ts';
import { HeapClock } from '../../../supervision/clock.ts';
import { startNats, type TestNats } from '../../support/nats.ts';
import { orderBinding } from '../../support/order-chart.ts';
import { keptLog } from '../../support/silent-log.ts';
import { until } from '../../support/until.ts';

let nats: TestNats;
let bus: Bus;
beforeAll(async () => {
  nats = await startNats();
  bus = await nats.connected();
});
afterAll(() => nats.stop());

function owner(effects: Parameters<typeof orderBinding>[1] = {}) {
  const gone: [string, Gone][] = [];
  const log = keptLog();
  const kind = new Kind({
    binding: orderBinding(createSnapshotStore({ bus, kind: 'order' }), effects),
    clock: new HeapClock(0),
    random: seededRandom(1),
    log,
    deadLetters: createDeadLetters(bus, log),
    onGone: (id, why) => gone.push([id, why]),
    onEscalated: () => undefined,
  });
  return { kind, gone };
}

describe('snapshots on the real bus', () => {
  it('survive their process: another one goes on where the last commit stands', async () => {
    const first = owner();
    first.kind.start('survivor', { item: 'bolt' }, 1);
    first.kind.tell('survivor', { type: 'order.pay' });
    await first.kind.peek('survivor')!.settled();
    first.kind.drop('survivor');
    const keys: string[] = [];
    const second = owner({
      'effect.charge': (_effect, { key }) => {
        keys.push(key);
        return undefined;
      },
    });
    second.kind.tell('survivor', { type: 'order.note', note: 'later' } as never);
    await until(() => second.kind.peek('survivor')?.actor?.getSnapshot().context.notes.length === 1);
    expect(second.kind.peek('survivor')!.actor!.getSnapshot().value).toBe('charging');
    // Asked again: its answer was not in the record.
    await until(() => keys.length === 1);
    expect(keys).toEqual(['order:survivor:2:0']);
  });

  it('have one writer: of two owners the second to write is dropped, without its effects (O1)', async () => {
    let charged = 0;
    const charge = {
      'effect.charge': (): undefined => {
        charged += 1;
      },
    };
    const one = owner();
    one.kind.start('contended', { item: 'bolt' }, 1);
    await one.kind.peek('contended')!.settled();
    const two = owner(charge);
    two.kind.tell('contended', { type: 'order.note', note: 'two is here' } as never);
    await until(() => two.kind.peek('contended'));
    one.kind.tell('contended', { type: 'order.note', note: 'one writes first' } as never);
    await until(() => one.gone.length > 0 || two.gone.length > 0);
    const [winner, loser] = one.gone.length > 0 ? [two, one] : [one, two];
    expect(loser.gone).toEqual([['contended', 'fenced']]);
    expect(winner.kind.peek('contended')?.alive).toBe(true);
    expect(charged).toBe(0);
  });

  it('keep bytes and dates as they are', async () => {
    const store = createSnapshotStore({ bus, kind: 'typed' });
    const envelope = {
      kind: 'typed',
      id: 'x',
      version: 1,
      revision: 1,
      epoch: 3,
      snapshot: { bytes: new Uint8Array([1, 2, 3]), big: 2n ** 60n, when: new Date(0) },
      timers: [],
      effects: [],
    };
    const commit = { id: 'x', epoch: 3, position: 0, records: [], envelope: () => envelope, final: false };
    expect((await store.commit(commit)).outcome).toBe('committed');
    const stored = await store.load('x');
    expect(Buffer.from((stored!.envelope.snapshot as { bytes: Uint8Array }).bytes).toString('hex')).toBe(
      '010203',
    );
    expect(stored!.envelope.snapshot).toMatchObject({ big: 2n ** 60n, when: new Date(0) });
    expect((await store.commit(commit)).outcome).toBe('fenced');
  });

  it('list everything they hold of their kind, and forget what is over; one that cannot be read hides no other', async () => {
    const store = createSnapshotStore({ bus, kind: 'listed' });
    const other = createSnapshotStore({ bus, kind: 'unlisted' });
    for (const [id, where] of [
      ['a', store],
      ['b', store],
      ['c', other],
    ] as const) {
      const envelope = {
        kind: 'k',
        id,
        version: 1,
        revision: 1,
        epoch: 1,
        snapshot: id,
        timers: [],
        effects: [],
      };
      await where.commit({ id, epoch: 1, position: 0, records: [], envelope: () => envelope, final: true });
    }
    await bus.bucket(buckets.actors).put('listed.damaged', Buffer.from([0xc1]), 0);
    await expect(store.load('damaged')).rejects.toThrow('entry listed.damaged of mcs_actors cannot be read');
    const ids = async () => (await store.list()).map(({ envelope }) => envelope.id).sort();
    expect(await ids()).toEqual(['a', 'b']);
    await store.remove('a');
    await store.remove('a');
    expect(await ids()).toEqual(['b']);
    expect((await other.list()).length).toBe(1);
  });

  it('leave a dead letter on the bus for the event that killed the actor', async () => {
    const one = owner();
    one.kind.start('poisoned', { item: 'bolt' }, 1);
    one.kind.tell('poisoned', { type: 'order.explode' });
    const letter = await until(() => bus.last(streams.deadLetters, subject.deadLetter('order')));
    expect(JSON.parse(Buffer.from(letter.data).toString())).toMatchObject({
      kind: 'order',
      id: 'poisoned',
      event: { type: 'order.explode' },
    });
  });
});
