/** The contract of the bus on a real nats-server. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Bus } from '../../ports/bus.ts';
import type { TestNats } from '../support/nats.ts';
import { startNats } from '../support/nats.ts';
import { ownTime } from '../support/own-time.ts';
import { busContract } from './contract.ts';

busContract('NATS JetStream', async () => {
  const nats = await startNats();
  return {
    open: (name, settleMs = 0) => nats.connected({ name, settleMs }),
    lose: () => nats.kill(),
    restore: () => nats.start(),
    close: () => nats.stop(),
  };
});

/** The same, where all that is followed of a stream comes by one consumer. */
busContract('NATS JetStream, read together', async () => {
  const nats = await startNats();
  return {
    open: async (name, settleMs = 0) => {
      const bus = await nats.connected({ name, settleMs, tailFrom: 1 });
      const follow: Bus['follow'] = (stream, subject, from, handle, options) =>
        bus.follow(stream, subject, from, handle, { ...options, together: !/[*>]/.test(subject) });
      return new Proxy(bus, {
        get: (on, name) => (name === 'follow' ? follow : Reflect.get(on, name)),
      });
    },
    lose: () => nats.kill(),
    restore: () => nats.start(),
    close: () => nats.stop(),
  };
});

let nats: TestNats;
beforeAll(async () => {
  nats = await startNats();
});
afterAll(() => nats.stop());

it('catches up and lists without waiting for the server to fall idle', async () => {
  const bus = await nats.connected();
  const stream = { name: 'T', subjects: ['mcs.t.*'], maxAgeMs: 3_600_000, dedupeMs: 120_000 };
  const bucket = bus.bucket({ name: 'mcs_t', history: 1 });
  for (const key of ['a', 'b', 'c']) {
    await bus.append(stream, `mcs.t.${key}`, new Uint8Array(1));
    await bucket.put(key, new Uint8Array(1), 0);
  }
  const spent = ownTime();
  const follower = await bus.follow(stream, 'mcs.t.*', { from: 'start' }, () => {});
  await follower.caughtUp;
  expect(await bucket.list('>')).toHaveLength(3);
  // The first sign of life of an idle consumer comes after 2 s.
  expect(spent()).toBeLessThan(1_500);
});
