/**
 * What stands on the bus, for whoever compares it: every stream beside its declaration, and every entry of a bucket or
 * object of a store, one after the other.
 *
 * Y1. Nothing of it is kept: a bucket of a million keys is read in the memory of a few.
 * Y2. A reading that a loss of the connection cut would begin again and hand over the same entries: it is given up.
 */

import type { Msg } from 'nats';
import type { BucketDefinition, ObjectsDefinition } from '../contract/bus/buckets.ts';
import { Outage } from '../contract/outage.ts';
import type { Entry } from '../ports/bus.ts';
import type { AssetHandle, Compared } from './asset.ts';
import type { Assets } from './assets.ts';
import type { Cursors } from './cursors.ts';
import type { JetStream } from './jetstream.ts';
import type { Position } from './message.ts';
import { descriptionIn, objectNamed } from './object-pieces.ts';
import { isRemoval } from './view.ts';

/** Every question rejects with an outage, and with `ApiError` where the stream is missing and may not be made. */
export interface Inventory {
  /** Every stream of the contract, and those beneath its buckets and object stores. */
  compare(): Promise<readonly Compared[]>;
  /** Hands over every entry, the next one when `handle` has resolved; resolves behind the last. */
  entries(bucket: BucketDefinition, handle: (entry: Entry) => Promise<void>): Promise<void>;
  /** The same of every object that has a description: not all of its bytes may be there. */
  objects(store: ObjectsDefinition, handle: (object: StoredObject) => Promise<void>): Promise<void>;
}

export interface StoredObject {
  readonly name: string;
  /** Bytes; undefined where its description cannot be read. */
  readonly size: number | undefined;
}

interface InventoryTools {
  readonly jetstream: JetStream;
  readonly assets: Assets;
  readonly cursors: Cursors;
  readonly handles: () => readonly AssetHandle[];
}

type Handle = (message: Msg, position: Position) => Promise<void>;

export function openInventory(tools: InventoryTools): Inventory {
  const { jetstream, assets, handles } = tools;
  return {
    compare: async () => {
      const compared: Compared[] = [];
      for (const asset of handles())
        compared.push(await jetstream.retrying(undefined, (left) => asset.compare(left())));
      return compared;
    },
    entries: (bucket, handle) => {
      const prefix = `$KV.${bucket.name}.`;
      return readAll(tools, assets.bucket(bucket), `${prefix}>`, async (message, { seq, at }) => {
        if (isRemoval(message)) return;
        const key = message.subject.slice(prefix.length);
        await handle({ key, value: new Uint8Array(message.data), revision: seq, at });
      });
    },
    objects: (store, handle) =>
      readAll(tools, assets.objects(store), `$O.${store.name}.M.>`, async (message) => {
        const described = descriptionIn(message);
        if (described?.deleted !== true)
          await handle({ name: objectNamed(message.subject), size: described?.size });
      }),
  };
}

/** Y2 */
async function readAll(
  { jetstream, cursors }: InventoryTools,
  asset: AssetHandle,
  filter: string,
  handle: Handle,
): Promise<void> {
  await jetstream.retrying(undefined, (left) => asset.ensure(left()));
  let starts = 0;
  let settle: { resolve: () => void; reject: (error: unknown) => void } | undefined;
  const done = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  const reading = cursors.open({
    stream: asset.name,
    filter,
    asset,
    start: () => {
      starts += 1;
      if (starts > 1) settle?.reject(new Outage('bus.unavailable', `the reading of ${asset.name} was cut`));
      return { deliver_policy: 'last_per_subject' };
    },
    wanted: () => starts === 1,
    deliver: (message, position) => handle(message, position).catch((error) => settle?.reject(error)),
    atHead: () => settle?.resolve(),
  });
  try {
    await done;
  } finally {
    await reading.stop();
  }
}
