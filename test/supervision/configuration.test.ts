/** What a process knows of the configuration on the bus, and when. */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buckets } from '../../contract/bus/buckets.ts';
import type { Bus } from '../../ports/bus.ts';
import { realClock } from '../../supervision/clock.ts';
import { BusMissionSource, publishConfiguration } from '../../supervision/configuration.ts';
import { compiled, demoDocuments } from '../mission/documents.ts';
import { quiet, startNats, type TestNats } from '../support/nats.ts';

let nats: TestNats;
let bus: Bus;
let missions: BusMissionSource;
beforeAll(async () => {
  nats = await startNats();
  const connected = await nats.connected();
  await connected.ensureAssets({ deadlineMs: 20_000 });
  bus = connected;
});
beforeEach(() => {
  missions = new BusMissionSource(bus, realClock, quiet);
});
afterEach(() => missions.stop());
afterAll(() => nats.stop());

const state = () => [missions.known, missions.current?.revision];

describe('the configuration in force', () => {
  it('is known once the bus was asked, also that there is none', async () => {
    expect(state()).toEqual([false, undefined]);
    await missions.start();
    expect(state()).toEqual([true, undefined]);
  });

  it('is not known while what is published cannot be read: it may ask for tokens', async () => {
    const bucket = bus.bucket(buckets.config);
    await bucket.overwrite('current', Buffer.from(JSON.stringify({ revision: 'lost' })));
    await missions.start();
    expect(state()).toEqual([false, undefined]);
  });

  it('is known when it is taken up', async () => {
    const configuration = compiled(demoDocuments());
    await publishConfiguration(bus, configuration);
    await missions.start();
    expect(state()).toEqual([true, configuration.revision]);
  });
});
