/**
 * `npm run archive-year [-- --days 365 --targets 2 --measures 20]`: an archive that grows day by day, of reduced size,
 * and what it costs at each fifth of its age: a question about an hour, about a day and about everything, opening,
 * looking after a day, bytes of each sample, removal by retention. Then what questions cost by the time they are about.
 * Times are of the processor. Questions are asked of an archive that has just been opened and remembers nothing;
 * beside their times stands how many files they opened and what they read, which no other work on the machine changes.
 */

import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Archive } from '../../archive/archive.ts';
import { disk } from '../../archive/disk.ts';
import type { FileSystem } from '../../archive/file-system.ts';
import type { ValueMessage } from '../../archive/gathering.ts';
import { workHere } from '../../archive/workshop.ts';
import { realClock } from '../../supervision/clock.ts';
import { optionsOf } from '../../tools/command-line.ts';
import { laterMessage, madeSet, SET_BEGINS } from '../archive-set.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const HOURS = 24;
/** One message of each target at each of these, ms into an hour: two segments each. */
const PARTS_MS = [0, HOUR_MS / 2] as const;
const PACKETS = 2;
const ASKED = 3;
const STEPS = 5;

const values = optionsOf(import.meta.url, {
  days: { type: 'string', default: '365' },
  targets: { type: 'string', default: '2' },
  measures: { type: 'string', default: '20' },
});
const [days, targets, measures] = [values.days, values.targets, values.measures].map(Number) as [
  number,
  number,
  number,
];
/** A sample of each measure in a minute. */
const ROWS = PARTS_MS[1] / 60_000;
const set = madeSet({ measures, packets: PACKETS, hz: ROWS, seconds: 1 });
const message = spread(set.messages[0]!);
const keys = [set.platform.measures[1]!.key];
const stream = 'year';

interface Asked {
  readonly ms: number;
  readonly files: number;
  readonly kB: number;
  readonly returned: number;
}

interface Looked {
  readonly day: number;
  readonly hourMs: number;
  readonly hourKB: number;
  readonly dayMs: number;
  readonly dayKB: number;
  readonly allMs: number;
  readonly allKB: number;
  readonly openMs: number;
  readonly maintainMs: number;
  readonly takeUs: number;
  readonly bytes: number;
}

const reads = { files: 0, bytes: 0 };
/** The disk, and what is read of it. Nothing is synced: a year would wait for the disk for an hour. */
const countedDisk: FileSystem = Object.assign({}, disk, {
  syncDirectory: () => undefined,
  create(path: string) {
    const file = disk.create(path);
    return {
      append: (bytes: Uint8Array) => file.append(bytes),
      sync: () => undefined,
      close: () => file.close(),
    };
  },
  open(path: string) {
    const file = disk.open(path);
    reads.files += 1;
    return {
      bytes: file.bytes,
      close: () => file.close(),
      read(offset: number, length: number) {
        reads.bytes += length;
        return file.read(offset, length);
      },
    };
  },
});

const folder = mkdtempSync(join(tmpdir(), 'mcs-archive-year-'));
try {
  const looked = await grown();
  console.table(looked);
  const [first, last] = [looked[0]!, looked.at(-1)!];
  const times = last.day / first.day;
  const growth = (Object.keys(first) as (keyof Looked)[])
    .filter((name) => name !== 'day')
    .map((name) => `${name} ${(last[name] / first[name]).toFixed(2)}`);
  console.log(`${times.toFixed(1)} times as old: ${growth.join(', ')} times as much`);
  console.table(await bySpan(last.day));
  await retained(last.day);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function grown(): Promise<Looked[]> {
  const looked: Looked[] = [];
  let archive = await opened();
  let position = 0;
  for (let day = 0; day < days; day += 1) {
    let [taking, maintaining] = [0, 0];
    for (let hour = 0; hour < HOURS; hour += 1)
      for (const part of PARTS_MS) {
        const at = day * DAY_MS + hour * HOUR_MS + part;
        taking += await cpuMs(async () => {
          for (let target = 0; target < targets; target += 1) {
            position += 1;
            const later = laterMessage(set, message, at / set.spanMs);
            const given = { ...later, target: `sat${target}`, position, storedMs: SET_BEGINS + at };
            await archive.append(given, set.platform);
          }
          if (!(await archive.flush())) throw new Error(archive.trouble);
        });
        maintaining += await cpuMs(async () => {
          while ((await archive.maintain()) !== undefined);
        });
      }
    if ((day + 1) % Math.max(1, Math.floor(days / STEPS)) !== 0) continue;
    await archive.close();
    const samples = position * set.samples;
    const middle = SET_BEGINS + Math.floor(day / 2) * DAY_MS + 12 * HOUR_MS;
    // Who opens the archive shuts the one before out.
    const asking = {
      day: day + 1,
      ...named('hour', await asked(middle, middle + HOUR_MS, 1_000)),
      ...named('day', await asked(middle, middle + DAY_MS, 1_000)),
      ...named('all', await asked(SET_BEGINS, SET_BEGINS + (day + 1) * DAY_MS, 2_000)),
    };
    const openMs = await cpuMs(async () => {
      archive = await opened();
    });
    looked.push({
      ...asking,
      openMs: round(openMs),
      maintainMs: round(maintaining),
      takeUs: round((1_000 * taking) / (HOURS * PARTS_MS.length * targets)),
      bytes: round(bytesIn(folder) / samples),
    });
  }
  await archive.close();
  return looked;
}

/** Everything older than a tenth is removed: how long that takes, and what is left. */
async function retained(age: number): Promise<void> {
  const before = bytesIn(folder);
  const clock = Object.assign({}, realClock, { now: () => SET_BEGINS + age * DAY_MS });
  const keptMs = Math.ceil(age / 10) * DAY_MS;
  const archive = await Archive.open(workHere(folder, countedDisk), {
    stream,
    clock,
    retention: { samplesMs: keptMs, minutesMs: keptMs },
  });
  const ms = await cpuMs(async () => {
    while ((await archive.maintain()) !== undefined);
  });
  await archive.close();
  const left = bytesIn(folder) / before;
  console.log(
    `retention: ${round(ms)} ms of processor time, ${(100 * left).toFixed(0)} % of the bytes are left`,
  );
}

/** The rows of a second, a minute apart. */
function spread(made: ValueMessage): ValueMessage {
  const minutely = (times: Float64Array): Float64Array => times.map((_, row) => SET_BEGINS + row * 60_000);
  const blocks = made.batch.blocks.map((block) =>
    Object.assign({}, block, { ground: minutely(block.ground), onboard: minutely(block.onboard) }),
  );
  return { ...made, batch: Object.assign({}, made.batch, { blocks }) };
}

function opened(): Promise<Archive> {
  mkdirSync(folder, { recursive: true });
  const most = Number.MAX_SAFE_INTEGER;
  return Archive.open(workHere(folder, countedDisk), {
    stream,
    clock: realClock,
    openSamples: most,
    tailSamples: most,
  });
}

/** Questions about ever longer times, that end in the middle: what they return, read and cost. */
async function bySpan(age: number): Promise<object[]> {
  const rows: object[] = [];
  for (const span of [1, 24, 240, 2_400].filter((hours) => hours < 24 * age).concat(24 * age)) {
    const from = SET_BEGINS + Math.floor((age * DAY_MS - span * HOUR_MS) / 2 / HOUR_MS) * HOUR_MS;
    const to = from + span * HOUR_MS;
    rows.push({ hours: span, samples: span * PARTS_MS.length * ROWS, ...(await asked(from, to, 1_000)) });
  }
  return rows;
}

function named<Name extends string>(
  name: Name,
  { ms, kB }: Asked,
): Record<`${Name}Ms` | `${Name}KB`, number> {
  return { [`${name}Ms`]: ms, [`${name}KB`]: kB } as Record<`${Name}Ms` | `${Name}KB`, number>;
}

/** The least of some, each of an archive that was just opened. */
async function asked(from: number, to: number, points: number): Promise<Asked> {
  const query = { target: 'sat0', measures: keys, from, to, delivery: 'all' } as const;
  const took: Asked[] = [];
  for (let n = 0; n < ASKED; n += 1) {
    const archive = await opened();
    Object.assign(reads, { files: 0, bytes: 0 });
    let returned = 0;
    const ms = await cpuMs(async () => {
      const { measures: series } = await archive.buckets(query, points);
      returned = series.reduce((sum, { n }) => sum + n.filter((count) => count > 0).length, 0);
    });
    took.push({ ms: round(ms), files: reads.files, kB: round(reads.bytes / 1_024), returned });
    await archive.close();
  }
  return took.sort((one, other) => one.ms - other.ms)[0]!;
}

async function cpuMs(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

function bytesIn(path: string): number {
  return readdirSync(path, { recursive: true })
    .map((name) => statSync(join(path, String(name))))
    .reduce((sum, entry) => sum + (entry.isFile() ? entry.size : 0), 0);
}

function round(number: number): number {
  return Math.round(number * 100) / 100;
}
