/** What a watcher of transfers is sent, with a clock moved by hand. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TRANSFER_WATCH_MS } from '../../contract/limits/transfer.ts';
import { type StoredTransfer, type Transfer, transferKey } from '../../contract/transfer.ts';
import { TransferWatch } from '../../http/transfer-watch.ts';
import type { TransferBook } from '../../messaging/transfer-book.ts';
import { ManualClock, settled } from '../support/manual-clock.ts';
import { storedTransfer } from '../support/transfers.ts';

type Listener = Parameters<TransferBook['onChange']>[0];

function watchOf(beginning: readonly StoredTransfer[], target?: string) {
  const clock = new ManualClock(0);
  const known = new Map(beginning.map((each) => [transferKey(each), each]));
  const listeners = new Set<Listener>();
  const transfers = {
    get: (key: string) => known.get(key),
    transfers: (of?: string) => [...known.values()].filter((each) => of === undefined || each.target === of),
    onChange(listener: Listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  } as unknown as TransferBook;
  const sent: { readonly at: number; readonly transfer: Transfer; readonly key: number | undefined }[] = [];
  let room: Promise<void> | undefined;
  const writer = {
    push: (message: Uint8Array | string, key?: number) =>
      void sent.push({ at: clock.now(), transfer: JSON.parse(String(message)), key }),
    room: () => room,
    finish: () => expect.unreachable(),
  };
  const watch = new TransferWatch({ transfers, clock, writer, target });
  return {
    clock,
    sent,
    watch,
    listeners,
    full: (until: Promise<void>) => {
      room = until;
    },
    change(transfer: StoredTransfer) {
      known.set(transferKey(transfer), transfer);
      for (const listener of listeners) listener(transferKey(transfer), transfer);
    },
    leave(transfer: StoredTransfer) {
      known.delete(transferKey(transfer));
      for (const listener of listeners) listener(transferKey(transfer), undefined);
    },
  };
}

const received = (bytes: number, more: Partial<StoredTransfer> = {}): StoredTransfer =>
  storedTransfer({ state: 'PARTIAL', received: [[0, bytes]], ...more, actor: {} });

describe('a watcher of transfers', () => {
  it('MC-XFER-012 is sent every transfer, then each that changes, limited to its target', async () => {
    const [one, other] = [storedTransfer(), storedTransfer({ target: 'sat2' })];
    const all = watchOf([one, other]);
    const some = watchOf([one, other], 'sat1');
    await settled();
    const change = received(5, { target: 'sat2' });
    for (const { change: tell, clock } of [all, some]) {
      clock.advance(TRANSFER_WATCH_MS);
      tell(change);
    }
    expect(all.sent.map(({ transfer }) => [transfer.target, transfer.state])).toEqual([
      ['sat1', 'REQUESTED'],
      ['sat2', 'REQUESTED'],
      ['sat2', 'PARTIAL'],
    ]);
    expect(all.sent[1]!.key).toBe(all.sent[2]!.key);
    expect(some.sent.map(({ transfer }) => transfer.target)).toEqual(['sat1']);
    expect(Object.keys(all.sent[0]!.transfer)).not.toContain('actor');
  });

  it('transfer-watch.W2 is sent at most ten messages a second of a transfer, and always the last state', async () => {
    const step = fc.record({
      after: fc.integer({ min: 0, max: 150 }),
      file: fc.constantFrom('1', '2', '3'),
      gone: fc.integer({ min: 0, max: 9 }).map((of10) => of10 === 0),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { clock, sent, change, leave } = watchOf([]);
        const last = new Map<string, number>();
        for (const [index, { after, file, gone }] of steps.entries()) {
          clock.advance(after);
          const transfer = received(index + 1, { file_id: file });
          if (gone) leave(transfer);
          else change(transfer);
          if (gone) last.delete(file);
          else last.set(file, index + 1);
        }
        clock.advance(3 * TRANSFER_WATCH_MS);
        for (const [file, bytes] of last) {
          const ofFile = sent.filter(({ transfer }) => transfer.file_id === file);
          expect(ofFile.at(-1)!.transfer.received).toEqual([[0, bytes]]);
        }
        for (const file of ['1', '2', '3']) {
          const times = sent.filter(({ transfer }) => transfer.file_id === file).map(({ at }) => at);
          for (const [index, at] of times.entries())
            if (index > 0) expect(at - times[index - 1]!).toBeGreaterThanOrEqual(TRANSFER_WATCH_MS);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('transfer-watch.W1 whose client takes nothing is sent the beginning as it stands later, and nothing once it is gone', async () => {
    const many = Array.from({ length: 600 }, (_, n) => storedTransfer({ file_id: `${n}` }));
    const { sent, full, watch, listeners, change } = watchOf([]);
    await settled();
    full(new Promise(() => undefined));
    expect(sent).toHaveLength(0);
    let free = (): void => undefined;
    const held = watchOf(many);
    held.full(new Promise((resolve) => (free = resolve)));
    await settled();
    const before = held.sent.length;
    expect(before).toBeLessThan(600);
    held.change(received(5, { file_id: '599' }));
    held.full(Promise.resolve());
    free();
    await settled();
    expect(held.sent).toHaveLength(600);
    expect(held.sent.filter(({ transfer }) => transfer.file_id === '599')).toHaveLength(1);
    await watch.stop();
    change(received(1));
    expect([listeners.size, sent.length]).toEqual([0, 0]);
  });

  it('MC-XFER-012 of a target is sent each change of its own, under a number of its own for each transfer', async () => {
    const beginning = ['1', '2'].map((file_id) => storedTransfer({ file_id }));
    const { sent, change, leave, clock } = watchOf(beginning, 'sat1');
    await settled();
    clock.advance(TRANSFER_WATCH_MS);
    change(received(5, { file_id: '2' }));
    change(received(6, { file_id: '3' }));
    const [one, two, again, three] = sent.map(({ key }) => key);
    expect(sent.map(({ transfer }) => transfer.file_id)).toEqual(['1', '2', '2', '3']);
    expect([again, new Set([one, two, three]).size]).toEqual([two, 3]);
    // What is gone and comes again is another one.
    leave(received(5, { file_id: '2' }));
    clock.advance(TRANSFER_WATCH_MS);
    change(received(7, { file_id: '2' }));
    expect(sent.at(-1)).toMatchObject({ transfer: { received: [[0, 7]] } });
    expect([one, two, three]).not.toContain(sent.at(-1)!.key);
  });

  it('transfer-watch.W1 is sent nothing of the rest of the beginning once it is gone, nor of what has left meanwhile', async () => {
    const many = Array.from({ length: 600 }, (_, n) => storedTransfer({ file_id: `${n}` }));
    for (const isGone of [true, false]) {
      let free = (): void => undefined;
      const { full, sent, watch, leave, clock } = watchOf(many);
      full(new Promise((resolve) => (free = resolve)));
      await settled();
      const before = sent.length;
      if (isGone) await watch.stop();
      else leave(many[599]!);
      full(Promise.resolve());
      free();
      await settled();
      expect(sent).toHaveLength(isGone ? before : 599);
      if (isGone) expect(clock.waiting).toBe(0);
    }
  });

  it('transfer-watch.W2 leaves no timer behind where nothing was sent a moment ago', async () => {
    const { clock, change } = watchOf([]);
    await settled();
    expect(clock.waiting).toBe(0);
    change(received(1));
    expect(clock.waiting).toBe(1);
    clock.advance(TRANSFER_WATCH_MS);
    expect(clock.waiting).toBe(0);
  });

  it('transfer-watch.W3 is sent a text that is written once for all watchers', async () => {
    let written = 0;
    const transfer = received(1);
    const { file_id } = transfer;
    Object.defineProperty(transfer, 'file_id', {
      enumerable: true,
      get() {
        written += 1;
        return file_id;
      },
    });
    const [one, other] = [watchOf([]), watchOf([])];
    one.change(transfer);
    const once = written;
    other.change(transfer);
    expect([one.sent, other.sent].map((sent) => sent.map((each) => each.transfer.file_id))).toEqual([
      [file_id],
      [file_id],
    ]);
    // Only its key is asked for again.
    expect(written - once).toBeLessThan(once);
  });
});
