/** What waits in memory is bounded by everything that fills it, while the disk refuses and while it does not. */

import { describe, expect, it } from 'vitest';
import { Archive, type ArchiveOptions } from '../../archive/archive.ts';
import { workHere } from '../../archive/workshop.ts';
import type { LoggedEvent } from '../../contract/event.ts';
import { ARCHIVE_AGAIN_MS } from '../../contract/limits/archive.ts';
import { ManualClock, settled } from '../support/manual-clock.ts';
import { FragileDisk } from './fragile-disk.ts';
import { HOUR, messageOf, PLATFORM } from './values.ts';

type Bounds = Partial<ArchiveOptions>;
type Give = (archive: Archive, position: number) => Promise<void>;

const empty: Give = (archive, position) => archive.append(messageOf(position, []), PLATFORM);

const ofBytes: Give = (archive, position) =>
  archive.append({ ...messageOf(position, []), bytes: 100 }, PLATFORM);

const ofFiles: Give = (archive, position) => {
  const files = [{ file: '1', ground: HOUR, onboard: Number.NaN, size: 1, unknown: ['transfer'] }];
  return archive.append(messageOf(position, [], { files }), PLATFORM);
};

const event: LoggedEvent = {
  time: new Date(HOUR).toISOString(),
  kind: 'log',
  severity: 'info',
  subject: 's',
  text: 't',
  source: 's:1',
};

const eventsOfBytes: Give = (archive, position) =>
  archive.record({ position, storedMs: HOUR, batch: { events: [event] }, bytes: 100 });

describe('held.H1 what waits in memory', () => {
  it.each<[string, Bounds, Give]>([
    ['its messages', { tailMessages: 2 }, empty],
    ['its bytes', { tailBytes: 200 }, ofBytes],
    ['the bytes of its events', { tailBytes: 200 }, eventsOfBytes],
    ['its samples of files', { tailSamples: 4 }, ofFiles],
  ])('is bounded by %s while the disk refuses', async (_name, bounds, give) => {
    const disk = new FragileDisk();
    const clock = new ManualClock(HOUR);
    const archive = await Archive.open(workHere('', disk), { stream: 'S1', clock, ...bounds });
    disk.room = 10;
    await give(archive, 1);
    let isTaken = false;
    const second = give(archive, 2).then(() => {
      isTaken = true;
    });
    await settled();
    expect(isTaken).toBe(false);
    expect(archive.trouble).toMatch(/no space left/);
    disk.room = Number.POSITIVE_INFINITY;
    clock.advance(ARCHIVE_AGAIN_MS);
    await second;
    expect([archive.position, archive.trouble]).toEqual([2, undefined]);
  });

  it.each<[string, Bounds, Give]>([
    ['so many messages', { openMessages: 2 }, empty],
    ['so many bytes', { openBytes: 200 }, ofBytes],
    ['so many bytes of events', { openBytes: 200 }, eventsOfBytes],
    ['so many samples of files', { openSamples: 4 }, ofFiles],
  ])('becomes a segment with %s', async (_name, bounds, give) => {
    const clock = new ManualClock(HOUR);
    const archive = await Archive.open(workHere('', new FragileDisk()), { stream: 'S1', clock, ...bounds });
    await give(archive, 1);
    await settled();
    expect(archive.position).toBe(0);
    await give(archive, 2);
    await settled();
    expect(archive.position).toBe(2);
    await give(archive, 3);
    await settled();
    expect(archive.position).toBe(2);
  });
});
