/**
 * The soak: what counts as growth, and its short form, in which every part of it works and everything that was
 * submitted ends. What takes an hour to show is for `npm run soak`.
 */

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { Loaded } from '../../benchmark/peers/soak-load.ts';
import { slopeOf } from '../../benchmark/scale/slope.ts';
import type { Verdict } from '../../benchmark/scale/soak-verdicts.ts';
import { compiledPrograms } from '../support/program.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PATIENT_MS = 300_000;
const SHORT_HOURS = '0.003';

const every = (ms: number, values: readonly number[]) => values.map((value, n) => ({ atMs: n * ms, value }));
const ALLOWED = { absolute: 10, share: 0.05 };

it('sees what grows through what it varies by, and says how fast', () => {
  const grown = slopeOf(
    every(
      60_000,
      Array.from({ length: 90 }, (_, n) => 100 + n + 5 * (n % 2)),
    ),
    ALLOWED,
  );
  expect(grown.flat).toBe(false);
  expect(grown.perHour).toBeCloseTo(60, 0);
  const varied = slopeOf(
    every(
      60_000,
      Array.from({ length: 90 }, (_, n) => 100 + 30 * (n % 2)),
    ),
    ALLOWED,
  );
  expect(varied.flat).toBe(true);
});

it('leaves out what fills at the beginning, takes what shrinks for flat, and refuses to guess', () => {
  const filled = Array.from({ length: 30 }, (_, n) => Math.min(n * 50, 400));
  expect(slopeOf(every(1_000, filled), ALLOWED).flat).toBe(true);
  const shrinking = Array.from({ length: 30 }, (_, n) => 1_000 - n * 30);
  expect(slopeOf(every(1_000, shrinking), ALLOWED).flat).toBe(true);
  expect(() => slopeOf(every(1_000, [1, 2, 3]), ALLOWED)).toThrow('too few');
});

it(
  'ends everything that it submits, and gives a verdict about each thing it looks at',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mcs-soak-'));
    const output = join(folder, 'soak.json');
    const programs = await compiledPrograms('benchmark/scale/soak.ts');
    const args = ['--enable-source-maps', join(programs, 'soak.mjs'), '--hours', SHORT_HOURS];
    // Whether something grows cannot be judged in seconds: its exit code is not looked at.
    await new Promise<void>((resolve) => {
      execFile(
        process.execPath,
        [...args, '--targets', '6', '--output', output],
        { cwd: ROOT, timeout: PATIENT_MS },
        () => resolve(),
      );
    });
    const { loaded, verdicts } = JSON.parse(await readFile(output, 'utf8')) as {
      loaded: Loaded;
      verdicts: Verdict[];
    };
    await rm(folder, { recursive: true });
    expect(loaded).toMatchObject({ open: 0, refused: 0 });
    expect(loaded.telecommands).toBeGreaterThan(5);
    expect(Object.values(loaded.ends).reduce((sum, count) => sum + count, 0)).toBe(loaded.telecommands);
    expect(loaded.watched).toBeGreaterThan(5);
    expect(verdicts.length).toBeGreaterThan(10);
    for (const { name, perHour, last } of verdicts) {
      expect(perHour, name).not.toBeNaN();
      expect(last, name).toBeGreaterThanOrEqual(0);
    }
    expect(verdicts.find(({ name }) => name === 'bus: connections')?.flat).toBe(true);
  },
  PATIENT_MS,
);
