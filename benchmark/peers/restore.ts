/**
 * Restoring every entity of a kind from the bucket of snapshots, beside a scan of the same bytes by the bare client.
 */

import { Packr } from 'msgpackr';
import { type NatsBus, openBus } from '../../bus/nats-bus.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import type { Envelope } from '../../ports/entity.ts';
import { Kind } from '../../supervision/cells/kind.ts';
import { createSnapshotStore } from '../../supervision/cells/snapshot-store.ts';
import { realClock } from '../../supervision/clock.ts';
import { realRandom } from '../../supervision/random.ts';
import { type BareBus, connectBare } from '../bare-bus.ts';
import type { BusAddress } from '../ground.ts';
import { orderChart } from '../order-chart.ts';
import { answerCalls } from '../peer-side.ts';
import { silentLog } from '../silent-log.ts';

/** Entities written at once. */
const WINDOW = 512;

const packr = new Packr({ useRecords: false, moreTypes: true });
let bus: NatsBus;
let bare: BareBus;

async function start(address: BusAddress): Promise<void> {
  bus = openBus({ ...address, name: `restore-${process.pid}`, log: silentLog });
  bare = await connectBare(address);
}

/** Writes the records of `count` entities. */
async function fill({ count }: { count: number }): Promise<void> {
  const kind = newKind();
  for (let first = 0; first < count; first += WINDOW) {
    const last = Math.min(first + WINDOW, count);
    for (let n = first; n < last; n += 1) kind.start(`order${n}`, { item: `item ${n}` }, 1);
    for (let n = first; n < last; n += 1) await kind.peek(`order${n}`)?.settled();
  }
  await kind.drain();
}

/** Every entity live again; resolves with the ms it took. */
async function restore({ count }: { count: number }): Promise<number> {
  const kind = newKind();
  const start = performance.now();
  for (const entry of await bus.bucket(buckets.actors).list('order.*')) {
    const stored = { envelope: packr.unpack(entry.value) as Envelope, position: entry.revision };
    kind.restore(entry.key.slice('order.'.length), stored, 2);
  }
  const ms = performance.now() - start;
  if (kind.live !== count) throw new Error(`${kind.live} of ${count} entities came back`);
  await kind.drain();
  return ms;
}

/** Every entry of the bucket read; resolves with the ms it took. */
async function scan({ count }: { count: number }): Promise<number> {
  const start = performance.now();
  const view = await bare.jetstream.views.kv(buckets.actors.name, { bindOnly: true });
  const entries = new Map<string, Uint8Array>();
  const watch = await view.watch({ key: 'order.*' });
  for await (const entry of watch) {
    entries.set(entry.key, entry.value);
    if (entry.delta === 0) break;
  }
  const ms = performance.now() - start;
  if (entries.size !== count) throw new Error(`${entries.size} of ${count} entries were read`);
  return ms;
}

function newKind(): Kind {
  return new Kind({
    binding: {
      kind: 'order',
      version: 1,
      chart: orderChart,
      store: createSnapshotStore({ bus, kind: 'order' }),
      durability: 'snapshot',
      effects: {},
      restart: 'transient',
      idleMs: null,
      migrations: {},
    },
    clock: realClock,
    random: realRandom,
    log: silentLog,
    deadLetters: { add: () => undefined } as never,
    onEscalated: (reason) => {
      throw new Error(reason);
    },
  });
}

answerCalls({ start, fill, restore, scan });
