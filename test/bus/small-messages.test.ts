/** Objects on a bus that takes less in one message than a piece of them is, and a transfer over it. */

import { expect, it } from 'vitest';
import { openBus } from '../../bus/nats-bus.ts';
import { objectStores } from '../../contract/bus/buckets.ts';
import { startLimitedNats } from '../support/limited-nats.ts';
import { quiet } from '../support/nats.ts';
import { until } from '../support/until.ts';

it('objects.O8 content is cut into pieces that the bus takes, and read from the middle', async () => {
  const nats = await startLimitedNats(undefined, { maxPayload: '64KB' });
  const bus = openBus({ url: nats.url, name: 'test', log: quiet, settleMs: 0 });
  await until(() => bus.connected);
  const content = Buffer.from(Uint8Array.from({ length: 300_000 }, (_, n) => n % 251));
  const store = bus.objects(objectStores.files);
  await store.replace(
    'sat1/2/1',
    (async function* () {
      yield content;
    })(),
  );
  const found = await store.read('sat1/2/1', { from: 100_000, to: 200_001 });
  const pieces: Uint8Array[] = [];
  for await (const piece of found!.pieces) pieces.push(piece);
  expect(found!.size).toBe(content.length);
  expect(Buffer.concat(pieces).equals(content.subarray(100_000, 200_001))).toBe(true);
  await bus.close();
  await nats.stop();
}, 60_000);
