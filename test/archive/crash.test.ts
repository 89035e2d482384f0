/** The archive killed, and its power cut, at random operations of the file system: every sample is there, once. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Archive } from '../../archive/archive.ts';
import type { ValueMessage } from '../../archive/gathering.ts';
import { workHere } from '../../archive/workshop.ts';
import type { Cursor, HistorySample } from '../../contract/history.ts';
import { seededRandom } from '../../ports/seeded-random.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { FragileDisk } from './fragile-disk.ts';
import { blockOf, type Cell, HOUR, MEASURES, messageOf, PLATFORM, samplesOf } from './values.ts';

const KEYS = MEASURES.map(({ key }) => key);
const TARGETS = ['sat1', 'sat2', 'sat3'];
const PACKETS = [
  [0, 1, 2, 6, 9, 10],
  [3, 4, 5, 7, 8],
  [11, 0],
];
const CRASHES = 40;
const MESSAGES = 160;
/** `npm run archive-crashes` draws more. */
const RUNS = Number(process.env['ARCHIVE_CRASH_RUNS'] ?? 1);

/** A stream over two days: several targets and packets, late rows, deferred ones, some that are rare. */
function streamOf(random: () => number): ValueMessage[] {
  const cell = (ordinal: number): Cell => {
    if (random() < 0.05) return Number.NaN;
    switch (MEASURES[ordinal]!.type) {
      case 'i64':
      case 'u64':
        return random() < 0.3 ? 2n ** 62n + BigInt(Math.floor(random() * 1e6)) : Math.floor(random() * 1e6);
      case 'string':
        return `text ${Math.floor(random() * 4)} ä`;
      case 'bytes':
        return Math.floor(random() * 255)
          .toString(16)
          .padStart(2, '0');
      case 'f64':
        return random() < 0.1 ? -0 : random() * 1e3 - 500;
      case 'f32':
        return Math.fround(random());
      case 'enum':
        return Math.floor(random() * 9);
      case 'bool':
        return Math.floor(random() * 2);
      default:
        return Math.floor(random() * 200);
    }
  };
  return Array.from({ length: MESSAGES }, (_, n) => {
    // Twenty minutes between two messages: parts of several hours, and of two days.
    const storedMs = HOUR + n * 20 * 60_000;
    const packet = PACKETS[Math.floor(random() * PACKETS.length)]!;
    const rows = Array.from({ length: 1 + Math.floor(random() * 12) }, (_, row) => {
      const late = random() < 0.1 ? Math.floor(random() * 7_200_000) : 0;
      const onboard = random() < 0.2 ? Number.NaN : storedMs + row * 1_000 - late - 500.25;
      return { ground: storedMs + row * 1_000 - late, onboard, cells: packet.map(cell) };
    });
    const superseded = random() < 0.1 ? { superseded: Uint32Array.of(0) } : {};
    const target = TARGETS[Math.floor(random() * TARGETS.length)]!;
    return messageOf(n + 1, [blockOf(packet, rows, superseded)], {
      target,
      storedMs,
      deferred: random() < 0.2,
    });
  });
}

async function everything(archive: Archive, target: string): Promise<HistorySample[]> {
  const samples: HistorySample[] = [];
  let cursor: Cursor | undefined;
  do {
    const query = { target, measures: KEYS, from: 0, to: HOUR * 2, delivery: 'all' as const };
    const page = await archive.samples(query, cursor === undefined ? { limit: 97 } : { cursor, limit: 97 });
    expect(page.damaged).toEqual([]);
    samples.push(...page.samples);
    cursor = page.next;
  } while (cursor !== undefined);
  return samples;
}

function inOrder(samples: readonly HistorySample[]): string[] {
  const text = (_: string, value: unknown): unknown =>
    typeof value === 'bigint' ? `${value}n` : Object.is(value, -0) ? '-0' : value;
  return samples.map((sample) => JSON.stringify(Object.entries(sample).sort(), text)).sort();
}

/** What is there and not expected, and what is expected and not there. */
function differences(samples: readonly HistorySample[], expected: readonly HistorySample[]): string[] {
  const left = new Map<string, number>();
  for (const each of inOrder(samples)) left.set(each, (left.get(each) ?? 0) + 1);
  for (const each of inOrder(expected)) left.set(each, (left.get(each) ?? 0) - 1);
  return [...left]
    .filter(([, count]) => count !== 0)
    .map(([each, count]) => `${count} ${each}`)
    .slice(0, 10);
}

function expectedOf(messages: readonly ValueMessage[], target: string): HistorySample[] {
  return messages
    .filter((message) => message.target === target)
    .flatMap((message) => samplesOf(message))
    .map(({ key, ...sample }) => ({ ...sample, measure: KEYS.indexOf(key) }));
}

async function reopened(disk: FragileDisk): Promise<Archive> {
  const clock = new ManualClock(HOUR + MESSAGES * 20 * 60_000);
  return Archive.open(workHere('', disk), { stream: 'S1', clock, openSamples: 400 });
}

describe('an archive that dies', () => {
  it('has every sample once after forty crashes at random operations, kills and power cuts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0 }), async (seed) => {
        const drawn = seededRandom(seed);
        const random = (): number => drawn.next();
        const messages = streamOf(random);
        const disk = new FragileDisk();
        let crashes = 0;
        let archive: Archive | undefined;
        let done = false;
        let durable = 0;
        while (!done) {
          if (crashes < CRASHES) disk.crashAt = disk.operations + 1 + Math.floor(random() * 90);
          try {
            archive = await reopened(disk);
            // What was said to be written is: nothing of it has to be read again, and nothing is damaged.
            expect(archive.damaged).toEqual([]);
            expect(archive.readFrom).toBeGreaterThan(durable);
            for (const message of messages.slice(archive.readFrom - 1)) {
              await archive.append(message, PLATFORM);
              await archive.flush().then((written) => diedIf(!written));
              durable = archive.position;
              if (random() < 0.1) while ((await archive.maintain()) !== undefined);
              diedIf(disk.operations >= disk.crashAt);
            }
            done = true;
          } catch (error) {
            if ((error as Error).name !== 'Crash') throw error;
            crashes += 1;
            if (random() < 0.5) disk.powerCut(random);
            else disk.restart();
          }
        }
        disk.restart();
        while ((await archive!.maintain()) !== undefined);
        const last = await reopened(disk);
        expect(crashes).toBe(CRASHES);
        for (const target of TARGETS)
          expect(differences(await everything(last, target), expectedOf(messages, target))).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  }, 600_000);
});

/** A crash inside the work comes out as a failed write: the process is gone all the same. */
function diedIf(died: boolean): void {
  if (died) throw Object.assign(new Error('died'), { name: 'Crash' });
}
