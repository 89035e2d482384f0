/** What the archive is given of a message, beside what it says. */

import { expect, it } from 'vitest';
import type { Archive } from '../../../archive/archive.ts';
import { encodeBatch } from '../../../contract/batch.ts';
import type { StreamMessage } from '../../../ports/bus.ts';
import { ArchivedValues, giveEvents } from '../../../supervision/archive/archived.ts';
import { KnownPlatforms } from '../../../telemetry/reading/known-platforms.ts';
import { keptLog } from '../../support/silent-log.ts';
import { ArchiveWorld, PLATFORM } from './archive-world.ts';

function streamed(subject: string, data: Uint8Array): StreamMessage {
  return { subject, data, seq: 7, at: 1_000, pending: 0, headers: {} } as unknown as StreamMessage;
}

it('held.H1 the bytes that a message had on the bus go with it', async () => {
  const { clock, missions } = new ArchiveWorld();
  const given: unknown[] = [];
  const take = async (message: unknown): Promise<void> => void given.push(message);
  const archive = { append: take, record: take } as unknown as Archive;
  const values = new ArchivedValues({
    clock,
    log: keptLog(),
    platforms: new KnownPlatforms(missions, clock),
  });
  const batch = { platform: PLATFORM.digest, link: 'uhf', deferred: false, blocks: [], reports: [] };
  const [samples, events] = [encodeBatch(batch), Buffer.from('{"events":[]}')];
  await values.give(archive, streamed('mcs.tm.value.sat1', samples), new AbortController().signal);
  await giveEvents(archive, streamed('mcs.event.test', events));
  expect(given).toMatchObject([
    { target: 'sat1', position: 7, bytes: samples.length },
    { position: 7, bytes: events.length },
  ]);
});
