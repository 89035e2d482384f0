/** What a process knows of the configuration on the bus, and when. */

import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buckets } from '../../contract/bus/buckets.ts';
import { CONFIGURATION_PART_BYTES } from '../../contract/limits/bus.ts';
import type { Bus } from '../../ports/bus.ts';
import { realClock } from '../../supervision/clock.ts';
import { BusMissionSource, publishConfiguration } from '../../supervision/configuration.ts';
import { compiled, demoDocuments } from '../mission/documents.ts';
import { quiet, startNats, type TestNats } from '../support/nats.ts';
import { keptLog } from '../support/silent-log.ts';
import { until } from '../support/until.ts';

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

  it.each(['{', 'null', '{"revision":7}', ''])(
    'is not known while the entry of what is published cannot be read: %s',
    async (text) => {
      await bus.bucket(buckets.config).overwrite('current', Buffer.from(text));
      await missions.start();
      expect(state()).toEqual([false, undefined]);
      const configuration = compiled(demoDocuments());
      await publishConfiguration(bus, configuration);
      await until(() => missions.known);
      expect(state()).toEqual([true, configuration.revision]);
    },
  );

  it('supervision/configuration.Z4 is stored again by publishing it where the bus has it damaged, or not at all', async () => {
    const configuration = compiled(demoDocuments());
    await publishConfiguration(bus, configuration);
    expect(await publishConfiguration(bus, configuration)).toBe(false);
    const bucket = bus.bucket(buckets.config);
    const key = `revision.${configuration.revision}`;
    for (const damage of [
      async () => void (await bucket.overwrite(key, Buffer.from([0x1f, 0x8b, 1]))),
      async () => void (await bucket.overwrite(key, gzipSync('{}'))),
      async () => void (await bucket.remove(key, (await bucket.get(key))!.revision)),
    ]) {
      await damage();
      const source = new BusMissionSource(bus, realClock, quiet);
      await source.start();
      expect(source.known).toBe(false);
      expect(await publishConfiguration(bus, configuration)).toBe(true);
      await until(() => source.current?.revision === configuration.revision);
      await source.stop();
    }
  });

  it('is known when it is taken up', async () => {
    const configuration = compiled(demoDocuments());
    await publishConfiguration(bus, configuration);
    await missions.start();
    expect(state()).toEqual([true, configuration.revision]);
  });

  it('one revision that is damaged is as if it were not stored, and said once; so is an entry that names none', async () => {
    const configuration = compiled(demoDocuments());
    await publishConfiguration(bus, configuration);
    const log = keptLog();
    const source = new BusMissionSource(bus, realClock, log);
    await source.start();
    const bucket = bus.bucket(buckets.config);
    for (const [revision, damaged] of [
      ['a'.repeat(64), Buffer.from([0x1f, 0x8b, 1, 2, 3])],
      ['b'.repeat(64), gzipSync('{"targets":')],
      ['c'.repeat(64), Buffer.from('{"parts":')],
    ] as const) {
      await bucket.put(`revision.${revision}`, damaged, 0);
      for (const _ of [1, 2]) expect(await source.at(revision)).toBeUndefined();
    }
    expect(log.said.filter(({ message }) => message.includes('cannot be read'))).toHaveLength(3);
    for (const text of ['null', '{"revision":7}', '{']) await bucket.overwrite('current', Buffer.from(text));
    await until(() => log.said.filter(({ message }) => message.includes('the entry of')).length === 3);
    expect(source.current?.revision).toBe(configuration.revision);
    await source.stop();
  });

  it('supervision/configuration.Z3 one that is larger than a message is stored in parts and taken up whole', async () => {
    const documents = demoDocuments();
    const plain = compiled(documents);
    const padding = randomBytes(2 * CONFIGURATION_PART_BYTES).toString('base64');
    const configuration = { ...plain.configuration, padding };
    const large = { configuration, revision: 'f'.repeat(64) };
    await publishConfiguration(bus, large);
    const keys = (await bus.bucket(buckets.config).list('part.>')).map(({ key }) => key);
    expect(keys.length).toBeGreaterThan(2);
    await missions.start();
    expect(state()).toEqual([true, large.revision]);
  });
});
