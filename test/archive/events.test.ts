/** The log of events in the archive: pages without a seam between memory and segments, whatever is compacted meanwhile. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, describe, expect, it } from 'vitest';
import { Archive } from '../../archive/archive.ts';
import { workHere, workInThreads } from '../../archive/workshop.ts';
import type { LoggedEvent } from '../../contract/event.ts';
import type { ArchivedEvent, EventPlace, EventQuery } from '../../contract/event-query.ts';
import { ARCHIVE_EVENT_GROUPS, ARCHIVE_EVENT_ROWS } from '../../contract/limits/archive.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { HOUR } from './values.ts';

const MINUTE = 60_000;
const EVERYTHING: EventQuery = { from: 0, to: 1e13, where: {} };
const folders: string[] = [];

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'mcs-events-'));
  folders.push(path);
  return path;
}

afterEach(() => {
  for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
});

/** Every third one is of an alarm. */
function eventOf(n: number, more: Partial<LoggedEvent> = {}): LoggedEvent {
  const isAlarm = n % 3 === 0;
  return {
    time: new Date(HOUR + n * MINUTE).toISOString(),
    kind: isAlarm ? 'alarm' : 'telecommand',
    severity: isAlarm ? 'critical' : 'info',
    target: `sat${n % 2}`,
    subject: `s${n}`,
    by: 'ada',
    text: `Event Number ${n}.`,
    source: `S:${n}`,
    data: JSON.stringify({ n }),
    ...more,
  };
}

function open(path: string, stream = 'S1'): Promise<Archive> {
  return Archive.open(workHere(path), { stream, clock: new ManualClock(HOUR) });
}

async function record(archive: Archive, position: number, events: readonly LoggedEvent[]): Promise<void> {
  await archive.record({ position, storedMs: HOUR + position * MINUTE, batch: { events } });
}

/** Every page of a question, and how many there were. */
async function pages(archive: Archive, query: EventQuery, limit: number): Promise<ArchivedEvent[][]> {
  const found: ArchivedEvent[][] = [];
  for (let before: EventPlace | undefined; ; ) {
    const page = await archive.events(query, before === undefined ? { limit } : { before, limit });
    found.push([...page.events]);
    if (page.next === undefined) return found;
    before = page.next;
  }
}

const subjects = (found: readonly ArchivedEvent[][]): string[] => found.flat().map(({ subject }) => subject);

describe('a log of some hours', () => {
  /** Two events in each message, a segment every 20 messages, the last ones in memory. */
  async function filled(path: string): Promise<Archive> {
    const archive = await open(path);
    for (let position = 1; position <= 150; position += 1) {
      await record(archive, position, [eventOf(2 * position - 1), eventOf(2 * position)]);
      if (position % 20 === 0) await archive.flush();
    }
    return archive;
  }
  const newestFirst = Array.from({ length: 300 }, (_, n) => `s${300 - n}`);

  it('is read page by page, the newest first, each event once, before and after it is compacted', async () => {
    const path = folder();
    const archive = await filled(path);
    for (const limit of [1_000, 7, 300])
      expect(subjects(await pages(archive, EVERYTHING, limit))).toEqual(newestFirst);
    const first = await archive.events(EVERYTHING, { limit: 50 });
    while ((await archive.maintain()) !== undefined);
    const rest = await archive.events(EVERYTHING, { before: first.next!, limit: 1_000 });
    expect([...first.events, ...rest.events].map(({ subject }) => subject)).toEqual(newestFirst);
    await archive.close();
    const again = await open(path);
    expect(again.readFrom).toBe(151);
    expect(again.contents.segments).toBeLessThan(8);
    expect(subjects(await pages(again, EVERYTHING, 11))).toEqual(newestFirst);
    await record(again, 150, [eventOf(1)]);
    expect(subjects(await pages(again, EVERYTHING, 1_000))).toHaveLength(300);
  });

  it('is filtered by field, time and words, from memory and from segments', async () => {
    const archive = await filled(folder());
    const count = async (query: Partial<EventQuery>): Promise<number> =>
      (await pages(archive, { ...EVERYTHING, ...query }, 13)).flat().length;
    expect(await count({ where: { kind: ['alarm'] } })).toBe(100);
    expect(await count({ where: { kind: ['alarm'], target: ['sat0'] } })).toBe(50);
    expect(await count({ where: { target: ['sat0', 'sat1', 'sat9'] } })).toBe(300);
    expect(await count({ where: { target: ['sat9'] } })).toBe(0);
    expect(await count({ where: { name: ['x'] } })).toBe(0);
    expect(await count({ text: 'NUMBER 29' })).toBe(11);
    expect(await count({ from: HOUR + 10 * MINUTE, to: HOUR + 20 * MINUTE })).toBe(10);
    const [[whole]] = (await pages(
      archive,
      { ...EVERYTHING, data: true, where: { subject: ['s7'] } },
      5,
    )) as [[ArchivedEvent]];
    expect(whole).toEqual({
      stream: 'S1',
      position: 4,
      index: 0,
      time: HOUR + 7 * MINUTE,
      kind: 'telecommand',
      severity: 'info',
      target: 'sat1',
      subject: 's7',
      by: 'ada',
      text: 'Event Number 7.',
      data: '{"n":7}',
    });
  });

  it('is deleted by age, by whole segments', async () => {
    const clock = new ManualClock(HOUR);
    const archive = await Archive.open(workHere(folder()), { stream: 'S1', clock });
    for (let position = 1; position <= 40; position += 1) {
      await record(archive, position, [eventOf(position)]);
      if (position % 20 === 0) await archive.flush();
    }
    archive.keep({ samplesMs: 1_000, minutesMs: 1_000 });
    clock.advance(3_600_000);
    while ((await archive.maintain()) !== undefined);
    expect(subjects(await pages(archive, EVERYTHING, 100)).at(-1)).toBe('s21');
  });

  it('says what is lost, and takes no cursor of another archive', async () => {
    const archive = await open(folder());
    await record(archive, 1, [eventOf(1)]);
    await record(archive, 5, [eventOf(2)]);
    expect((await archive.events(EVERYTHING, { limit: 5 })).gaps).toEqual([
      expect.objectContaining({ first: 2, last: 4 }),
    ]);
    const before = { stream: 'S9', position: 1, index: 0 };
    await expect(archive.events(EVERYTHING, { before, limit: 5 })).rejects.toThrow(RangeError);
  });

  it('goes on into what was archived of an earlier stream', async () => {
    const path = folder();
    const before = await open(path, 'S1');
    await record(before, 1, [eventOf(1), eventOf(2)]);
    await before.close();
    const archive = await open(path, 'S2');
    await record(archive, 1, [eventOf(3)]);
    expect(subjects(await pages(archive, EVERYTHING, 1))).toEqual(['s3', 's2', 's1']);
  });
});

it('one question looks through so much of a long log, and says where the next goes on', async () => {
  const archive = await Archive.open(workInThreads(folder()), { stream: 'S1', clock: new ManualClock(HOUR) });
  const perMessage = ARCHIVE_EVENT_ROWS;
  const messages = ARCHIVE_EVENT_GROUPS + 2;
  const events = Array.from({ length: perMessage }, (_, n) => eventOf(n));
  const [rare, ...others] = events;
  for (let position = 1; position <= messages; position += 1)
    await record(archive, position, position === 1 ? [{ ...rare!, subject: 'rare' }, ...others] : events);
  await archive.flush();
  const found = await pages(archive, { ...EVERYTHING, where: { subject: ['rare'] } }, 10);
  expect(found.map(({ length }) => length)).toEqual([0, 1]);
  await archive.close();
}, 60_000);

it('its files are read by other tools, as the guide says', async () => {
  const path = folder();
  const archive = await open(path);
  const sent = [eventOf(3), eventOf(4, { by: 'eve' }), eventOf(5), eventOf(8, { target: 'sat7' })];
  await record(archive, 1, sent);
  await archive.close();
  const guide = readFileSync('docs/archive.md', 'utf8');
  const [, sql = ''] = /<!-- duckdb events -->\n```sql\n([\s\S]*?)```/.exec(guide) ?? [];
  const connection = await (await DuckDBInstance.create()).connect();
  try {
    const rows = await connection.runAndReadAll(sql.replaceAll('var/archive/events', path));
    expect(
      rows.getRowObjects().map(({ by, sent: count, last }) => [by, Number(count), String(last)]),
    ).toEqual([
      ['ada', 2, 'Event Number 8.'],
      ['eve', 1, 'Event Number 4.'],
    ]);
  } finally {
    connection.closeSync();
  }
});
