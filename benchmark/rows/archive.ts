/**
 * The archive: samples taken in until they are on the disk, beside their bytes written bare; buckets of the last hour
 * and of a month, beside the same files read by DuckDB. Threads and all in this process, so its processor time is that
 * of the archive.
 */

import { closeSync, fsyncSync, openSync, readdirSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Archive } from '../../archive/archive.ts';
import { encodeBatch } from '../../contract/batch.ts';
import type { HistoryQuery } from '../../contract/history.ts';
import { laterMessage, type MadeSet, madeSet, noaaSet, type SampleSet, SET_BEGINS } from '../archive-set.ts';
import { ARCHIVED_STREAM, inFolder, openIn, timed } from '../archived.ts';
import { bucketSql, duckdbOf } from '../duckdb-reader.ts';
import { historyServer } from '../history-server.ts';
import { type Contender, compare, type Result, type Row, type Settings, type Turn } from '../row.ts';

const MADE: MadeSet = { measures: 1_000, packets: 10, hz: 10, seconds: 300 };
const QUICK_MADE: MadeSet = { measures: 200, packets: 10, hz: 10, seconds: 20 };
/** What a month is drawn of: ten measures of one packet, once a second. */
const MONTH: MadeSet = { measures: 20, packets: 2, hz: 1, seconds: 3_600 };
const MONTH_DAYS = 30;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const made = ({ quick }: Settings): SampleSet => madeSet(quick ? QUICK_MADE : MADE);

export const archiveRows: readonly Row[] = [
  {
    name: 'archive.ingest',
    run: async (settings) => [
      await ingest('archive.ingest.noaa20', await noaaSet(), settings),
      await ingest('archive.ingest.made', made(settings), settings),
    ],
  },
  { name: 'archive.hour', run: async (settings) => [await lastHour(made(settings), settings)] },
  { name: 'archive.month', run: async (settings) => [await month(settings)] },
  { name: 'archive.year', run: async (settings) => [await year(settings)] },
];

/** Takes sets in, one behind the other; a segment each. */
class Intake {
  readonly #archive: Archive;
  readonly #set: SampleSet;
  readonly #maintains: boolean;
  #taken = 0;

  constructor(archive: Archive, set: SampleSet, maintains: boolean) {
    this.#archive = archive;
    this.#set = set;
    this.#maintains = maintains;
  }

  get samples(): number {
    return this.#taken * this.#set.samples;
  }

  async take(times: number): Promise<void> {
    for (let time = 0; time < times; time += 1) {
      for (const message of this.#set.messages)
        await this.#archive.append(laterMessage(this.#set, message, this.#taken), this.#set.platform);
      this.#taken += 1;
      if (!(await this.#archive.flush())) throw new Error(this.#archive.trouble);
      while (this.#maintains && (await this.#archive.maintain()) !== undefined);
    }
  }
}

/** Samples of one turn: so many that threads that just began do not decide it. */
const TURN_SAMPLES = 3_000_000;

async function ingest(row: string, set: SampleSet, settings: Settings): Promise<Result> {
  const times = settings.quick ? 1 : Math.ceil(TURN_SAMPLES / set.samples);
  return inFolder(async (folder) => {
    const archives = [await openIn(`${folder}/parts`), await openIn(`${folder}/hours`)] as const;
    const intakes = archives.map((archive, n) => new Intake(archive, set, n === 1));
    // The hours of a set that is shorter are those of many sets: compacted together in their turn.
    const hours = Math.max(times, Math.ceil(HOUR_MS / set.spanMs));
    const contenders: Contender[] = [
      { name: 'archive', turn: () => perCore(set.samples * times, () => intakes[0]!.take(times)) },
      {
        name: 'with hours and minutes',
        turn: () =>
          perCore(set.samples * (settings.quick ? times : hours), () =>
            intakes[1]!.take(settings.quick ? times : hours),
          ),
      },
      { name: 'bare bytes', turn: () => bareBytes(folder, set) },
    ];
    const result = await compare(
      { row, unit: 'samples/s and core', contenders, aim: { rate: 2_000_000 } },
      settings,
    );
    const bytes = ['parts', 'hours'].map((name, n) =>
      (bytesIn(`${folder}/${name}`) / intakes[n]!.samples).toFixed(2),
    );
    // Sets that repeat within an hour compress as flights do not.
    const compacted = set.spanMs >= HOUR_MS ? `, ${bytes[1]} in hours with their minutes` : '';
    const note = `${set.samples} samples a segment, ${bytes[0]} bytes each${compacted} (aim 4)`;
    for (const archive of archives) await archive.close();
    return Object.assign({}, result, { note });
  });
}

async function perCore(samples: number, work: () => Promise<void>): Promise<Turn> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { rate: (samples / (user + system)) * 1e6, cpuUs: (user + system) / samples };
}

async function bareBytes(folder: string, set: SampleSet): Promise<Turn> {
  return perCore(set.samples, async () => {
    const file = openSync(join(folder, 'bytes'), 'w');
    for (const { batch } of set.messages) writeSync(file, encodeBatch(batch));
    fsyncSync(file);
    closeSync(file);
  });
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true })
    .map((name) => statSync(join(folder, String(name))))
    .reduce((sum, entry) => sum + (entry.isFile() ? entry.size : 0), 0);
}

/** Four measures of four packets, the last hour as it was written first: a segment each five minutes. */
async function lastHour(set: SampleSet, settings: Settings): Promise<Result> {
  return inFolder(async (folder) => {
    const archive = await openIn(folder);
    const times = settings.quick ? 3 : Math.ceil(HOUR_MS / set.spanMs);
    await new Intake(archive, set, false).take(times);
    const step = set.platform.measures.length / 4;
    const measures = [0, 1, 2, 3].map((n) => set.platform.measures[n * step]!.key);
    const query = {
      target: set.target,
      measures,
      from: SET_BEGINS,
      to: SET_BEGINS + times * set.spanMs,
      delivery: 'all',
    } as const;
    const server = await historyServer(archive);
    const { duckdb, close } = await duckdbOf(`${folder}/${ARCHIVED_STREAM}/*/values-*.parquet`);
    const contenders = [
      timed('archive', settings, async () => {
        const { measures: columns } = await archive.buckets(query, 1_000);
        return columns[0]!.n.reduce((sum, n) => sum + n, 0);
      }),
      timed('over HTTP', settings, () => server.get(askedOf(query, 1_000))),
      timed('DuckDB', settings, () => duckdb(measures.map((measure) => bucketSql(measure, query, 1_000)))),
    ];
    const note = `${(times * set.samples) / 1e6} M samples in ${times} segments; 4 measures to 1,000 points (aim 50 ms)`;
    const result = await compare(
      { row: 'archive.hour', unit: 'questions/s', note, contenders, aim: { rate: 20 } },
      settings,
    );
    await server.close();
    await archive.close();
    close();
    return result;
  });
}

/** A question as the route takes it. */
function askedOf(
  { measures, from, to, delivery }: HistoryQuery,
  points: number,
): Readonly<Record<string, string>> {
  const [begins, ends] = [from, to].map((ms) => new Date(ms).toISOString()) as [string, string];
  return { measures: measures.join(), from: begins, to: ends, delivery, points: String(points) };
}

/** One measure of a month in days, from the minutes that were counted. */
async function month(settings: Settings): Promise<Result> {
  return inFolder(async (folder) => {
    const set = madeSet(settings.quick ? { ...MONTH, measures: 20, seconds: 600 } : MONTH);
    const archive = await openIn(folder);
    const days = settings.quick ? 0.25 : MONTH_DAYS;
    await new Intake(archive, set, true).take(Math.ceil((days * DAY_MS) / set.spanMs) + 1);
    const measure = set.platform.measures[1]!.key;
    const query = {
      target: set.target,
      measures: [measure],
      from: SET_BEGINS,
      to: SET_BEGINS + days * DAY_MS,
      delivery: 'all',
    } as const;
    const points = settings.quick ? 100 : 2_000;
    const server = await historyServer(archive);
    const values = await duckdbOf(`${folder}/${ARCHIVED_STREAM}/*/values-*.parquet`);
    const minutes = await duckdbOf(`${folder}/${ARCHIVED_STREAM}/*/minutes-*.parquet`);
    const contenders = [
      timed('archive', settings, async () => {
        const { measures: columns } = await archive.buckets(query, points);
        return columns[0]!.n.reduce((sum, n) => sum + n, 0);
      }),
      timed('over HTTP', settings, () => server.get(askedOf(query, points))),
      timed('DuckDB, minutes', settings, () => minutes.duckdb([bucketSql(measure, query, points, true)])),
      timed('DuckDB, samples', settings, () => values.duckdb([bucketSql(measure, query, points)])),
    ];
    const note = `${days} days of one measure at ${MONTH.hz} Hz to ${points} points, ${archive.contents.segments} segments (aim 100 ms)`;
    const result = await compare(
      { row: 'archive.month', unit: 'questions/s', note, contenders, aim: { rate: 10 } },
      settings,
    );
    await server.close();
    await archive.close();
    values.close();
    minutes.close();
    return result;
  });
}

/**
 * An hour out of a year and out of a month, of a segment a day with little in each: what a question and an opening cost
 * by the number of segments. How often both are opened stands in the note.
 */
async function year(settings: Settings): Promise<Result> {
  return inFolder(async (folder) => {
    const set = madeSet({ measures: 100, packets: 10, hz: 10, seconds: 2 });
    const spans = settings.quick ? [12, 3] : [365, 30];
    const opened = [];
    for (const days of spans) opened.push(await openedDays(`${folder}/${days}`, set, days));
    const contenders = opened.map(({ archive, days, query }) =>
      timed(`an hour of ${days} days`, settings, async () => {
        const { measures: columns } = await archive.buckets(query, 1_000);
        return columns[0]!.n.reduce((sum, n) => sum + n, 0);
      }),
    );
    const times = opened
      .map(({ days, openMs }) => `${days} segments open in ${openMs.toFixed(0)} ms`)
      .join(', ');
    const note = `${set.platform.measures.length} measures of ${TARGETS} targets a segment; ${times}`;
    const result = await compare({ row: 'archive.year', unit: 'questions/s', note, contenders }, settings);
    for (const { archive } of opened) await archive.close();
    return result;
  });
}

const TARGETS = 20;

/** An archive of so many days, opened again; and a question for an hour in their middle. */
async function openedDays(folder: string, set: SampleSet, days: number) {
  const made = await openIn(folder);
  let position = 0;
  for (let day = 0; day < days; day += 1) {
    for (let target = 0; target < TARGETS; target += 1)
      for (const message of set.messages) {
        position += 1;
        const later = laterMessage(set, message, (day * DAY_MS) / set.spanMs);
        await made.append(Object.assign({}, later, { target: `sat${target}`, position }), set.platform);
      }
    await made.flush();
  }
  await made.close();
  const start = performance.now();
  const archive = await openIn(folder);
  const openMs = performance.now() - start;
  const from = SET_BEGINS + Math.floor(days / 2) * DAY_MS;
  const measures = [set.platform.measures[1]!.key];
  const query = { target: 'sat7', measures, from, to: from + HOUR_MS, delivery: 'all' } as const;
  return { archive, days, openMs, query };
}
