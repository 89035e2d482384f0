/**
 * The benchmark in its quick form: everything it starts runs and ends, and every figure is a number. All of it takes
 * two minutes of both cores, so the rows run whose files were changed by one of the last commits: a file of `rows/`, or
 * one of `peers/` that it starts. Where anything else of `benchmark/` was changed, `SHARED` runs too.
 * `BENCHMARK=quick`, and a tree without a history: every row.
 */

import { execFile, execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Result } from '../../benchmark/row.ts';
import { noChromium } from '../../benchmark/rows/console.ts';
import { compiledPrograms } from '../support/program.ts';
import { noPostgres } from '../support/real-postgres.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/**
 * Some sixty processes start one after the other: a minute or two alone, and many times that on a machine that is not.
 */
const QUICK_MS = 1_800_000;
interface RowFile {
  /** What `--only` calls its rows. */
  readonly only: readonly string[];
  readonly rows: readonly string[];
}

/** By file of `benchmark/rows/`, in the order of the benchmark. */
const ROWS: Readonly<Record<string, RowFile>> = {
  http: { only: ['http'], rows: ['http.values', 'http.tc-layer', 'http.tc-stored'] },
  telecommands: { only: ['tc'], rows: ['tc.many', 'tc.one', 'tc.latency'] },
  runs: { only: ['runs'], rows: ['runs.log', 'runs.log.one', 'runs.whole', 'runs.takeover', 'runs.waiting'] },
  samples: { only: ['samples'], rows: ['samples'] },
  alarms: { only: ['alarms.limits'], rows: ['alarms.limits', 'alarms.edges'] },
  'alarm-latency': { only: ['alarms.latency'], rows: ['alarms.latency'] },
  'alarm-failover': { only: ['alarms.failover'], rows: ['alarms.failover'] },
  'fan-out': { only: ['fan-out'], rows: ['fan-out.100'] },
  passes: { only: ['passes'], rows: ['passes.snapshot'] },
  schedules: { only: ['schedules'], rows: ['schedules.change', 'schedules.idle', 'schedules.firing'] },
  transfers: { only: ['transfer.chunks'], rows: ['transfer.chunks.1'] },
  'transfer-bytes': {
    only: ['transfer.goodput', 'transfer.passes', 'transfer.store'],
    rows: ['transfer.goodput.0', 'transfer.passes.10', 'transfer.store'],
  },
  cfdp: { only: ['transfer.cfdp'], rows: ['transfer.cfdp'] },
  archive: {
    only: ['archive'],
    rows: ['archive.ingest.noaa20', 'archive.ingest.made', 'archive.hour', 'archive.month', 'archive.year'],
  },
  events: { only: ['events'], rows: ['events.page', 'events.watch.1'] },
  postgres: { only: ['postgres'], rows: noPostgres() === undefined ? ['postgres'] : [] },
  cells: { only: ['cells'], rows: ['cells.live', 'cells.activation', 'cells.restore'] },
  bench: {
    only: ['bench'],
    rows: ['bench.capture', 'bench.loopback', 'bench.measure', 'bench.spectrum', 'bench.mute'],
  },
  console: {
    only: ['console'],
    rows: noChromium() === undefined ? ['console.values', 'console.plot', 'console.heap'] : [],
  },
};
const FILES = Object.keys(ROWS);
/** What shows that the benchmark itself works, cheaply. */
const SHARED = ['passes'];

/** What nothing costs has no ceiling, but an aim. */
const ALONE: ReadonlySet<string> = new Set(['schedules.idle']);

const LAST_COMMITS = 30;

/** The files of `benchmark/rows/` whose rows are to be run. */
function filesToBeRun(): readonly string[] {
  if (process.env['BENCHMARK'] === 'quick') return FILES;
  try {
    const log = ['log', `-${LAST_COMMITS}`, '--name-only', '--format='];
    const changed = execFileSync('git', log, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' });
    return filesOf(changed.split('\n').filter((path) => /^(benchmark|test\/benchmark)\/.*\.ts$/.test(path)));
  } catch {
    return FILES;
  }
}

function filesOf(changed: readonly string[]): readonly string[] {
  const wanted = new Set(changed.flatMap(rowsChangedBy));
  return FILES.filter((file) => wanted.has(file));
}

function rowsChangedBy(path: string): readonly string[] {
  const [, folder, name] = /^benchmark\/(rows|peers)\/(.+)\.ts$/.exec(path) ?? [];
  if (folder === 'rows') return [name!];
  if (folder === 'peers') return FILES.filter((file) => sourceOf(file).includes(`'${name}'`));
  return SHARED;
}

const sourceOf = (file: string): string => readFileSync(join(ROOT, `benchmark/rows/${file}.ts`), 'utf8');

const files = filesToBeRun();
const expected = files.flatMap((file) => ROWS[file]!.rows);

it('every file of rows is one that this test knows, and a change of it or of what it starts runs its rows', () => {
  const present = readdirSync(join(ROOT, 'benchmark/rows')).map((name) => name.replace(/\.ts$/, ''));
  expect(FILES.toSorted()).toEqual(present.toSorted());
  expect(filesOf(['benchmark/rows/cells.ts', 'benchmark/peers/restore.ts'])).toEqual(['cells']);
  expect(filesOf(['benchmark/peers/alarm-loop.ts'])).toEqual(['alarms']);
  expect(filesOf(['benchmark/table.ts'])).toEqual(SHARED);
});

let folder: string;
let printed: string;
let results: Result[];

describe.runIf(expected.length > 0)('the benchmark in its quick form', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mcs-benchmark-test-'));
    const output = join(folder, 'results.json');
    const programs = await compiledPrograms('benchmark/run.ts');
    const onlyThese =
      files.length < FILES.length ? ['--only', files.flatMap((file) => ROWS[file]!.only).join(',')] : [];
    const args = [join(programs, 'run.mjs'), '--quick', '--output', output, ...onlyThese];
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      cwd: ROOT,
      timeout: QUICK_MS,
    });
    printed = stdout;
    results = (JSON.parse(await readFile(output, 'utf8')) as { results: Result[] }).results;
  }, QUICK_MS);

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('measures every row beside at least one ceiling', () => {
    expect(results.map(({ row }) => row)).toEqual(expected);
    for (const { row, figures } of results)
      expect(figures.length, row).toBeGreaterThan(ALONE.has(row) ? 0 : 1);
  });

  it('gives figures that are numbers', () => {
    for (const { row, figures } of results) {
      for (const { name, rate, share } of figures) {
        expect(rate.median, `${row} of ${name}`).toBeGreaterThan(0);
        if (share !== undefined) expect(share.rate.median, `share of ${name} in ${row}`).toBeGreaterThan(0);
      }
    }
  });

  it.each(
    [
      ['from POST to SENT', 'tc.latency', 2],
      ['from a sample to its alarm on a WebSocket', 'alarms.latency', 3],
      ['from the death of an alarm leader to the next transition', 'alarms.failover', 5],
      ['of a mute while four clients wait for blocks', 'bench.mute', 2],
    ].filter(([, name]) => expected.includes(name as string)) as [string, string, number][],
  )('reports the time %s', (_what, name, contenders) => {
    const figures = results.find(({ row }) => row === name)?.figures ?? [];
    expect(figures).toHaveLength(contenders);
    for (const { p50Ms, p99Ms } of figures) {
      expect(p50Ms?.median).toBeGreaterThan(0);
      expect(p99Ms?.median).toBeGreaterThanOrEqual(p50Ms?.median ?? Number.POSITIVE_INFINITY);
    }
  });

  it('prints every row', () => {
    for (const row of expected) expect(printed).toContain(`${row} (`);
  });
});
