/**
 * The benchmark in its quick form: everything it starts runs and ends, and every figure is a number. It takes a minute
 * and a half of both cores, so it runs where `benchmark/` was changed by one of the last commits, or in a tree without
 * a history.
 */

import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Result } from '../../benchmark/row.ts';
import { compiledPrograms } from '../support/program.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/**
 * Some sixty processes start one after the other: a minute or two alone, and many times that on a machine that is not.
 */
const QUICK_MS = 1_800_000;
const ROWS = [
  'http.values',
  'http.tc-layer',
  'http.tc-stored',
  'tc.many',
  'tc.one',
  'tc.latency',
  'runs.log',
  'runs.log.one',
  'runs.whole',
  'runs.takeover',
  'runs.waiting',
  'samples',
  'alarms.limits',
  'alarms.edges',
  'alarms.latency',
  'alarms.failover',
  'fan-out.100',
  'passes.snapshot',
  'schedules.change',
  'schedules.idle',
  'schedules.firing',
  'transfer.chunks.1',
  'cells.live',
  'cells.activation',
  'cells.restore',
  'bench.capture',
  'bench.loopback',
  'bench.measure',
  'bench.spectrum',
  'bench.mute',
];

/** What nothing costs has no ceiling, but an aim. */
const ALONE: ReadonlySet<string> = new Set(['schedules.idle']);

const LAST_COMMITS = 30;

function isToBeRun(): boolean {
  try {
    const log = ['log', `-${LAST_COMMITS}`, '--name-only', '--format='];
    const changed = execFileSync('git', log, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' });
    return /^(benchmark|test\/benchmark)\//m.test(changed) || process.env['BENCHMARK'] === 'quick';
  } catch {
    return true;
  }
}

let folder: string;
let printed: string;
let results: Result[];

describe.runIf(isToBeRun())('the benchmark in its quick form', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mcs-benchmark-test-'));
    const output = join(folder, 'results.json');
    // Compiled once: sixty processes that compile their four hundred files each are most of what this would cost.
    const programs = await compiledPrograms('benchmark/run.ts', 'benchmark/peers/*.ts');
    const args = ['--enable-source-maps', join(programs, 'run.mjs'), '--quick', '--output', output];
    const env = { ...process.env, BENCHMARK_PEERS: join(programs, 'peers') };
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      cwd: ROOT,
      env,
      timeout: QUICK_MS,
    });
    printed = stdout;
    results = (JSON.parse(await readFile(output, 'utf8')) as { results: Result[] }).results;
  }, QUICK_MS);

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('measures every row beside at least one ceiling', () => {
    expect(results.map(({ row }) => row)).toEqual(ROWS);
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

  it.each([
    ['from POST to SENT', 'tc.latency', 2],
    ['from a sample to its alarm on a WebSocket', 'alarms.latency', 3],
    ['from the death of an alarm leader to the next transition', 'alarms.failover', 5],
    ['of a mute while four clients wait for blocks', 'bench.mute', 2],
  ])('reports the time %s', (_what, name, contenders) => {
    const figures = results.find(({ row }) => row === name)?.figures ?? [];
    expect(figures).toHaveLength(contenders);
    for (const { p50Ms, p99Ms } of figures) {
      expect(p50Ms?.median).toBeGreaterThan(0);
      expect(p99Ms?.median).toBeGreaterThanOrEqual(p50Ms?.median ?? Number.POSITIVE_INFINITY);
    }
  });

  it('prints every row', () => {
    for (const row of ROWS) expect(printed).toContain(`${row} (`);
  });
});
