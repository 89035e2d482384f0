/** Every checker of files shown to fail: by a defect between a process and its bus. */

import { describe, expect, it } from 'vitest';
import { header } from '../../../contract/bus/headers.ts';
import type { Scenario, Slot } from '../scenario.ts';
import { STORED_FILE } from '../transfers/decoding-troubles.ts';
import type { FileAct } from '../transfers/moving.ts';
import { attempt } from '../trial.ts';
import type { RunOptions } from '../world.ts';
import { PLANTED } from './transfer-defects.ts';

const slot = (n: number): Slot => ({
  roles: ['api', 'telemetry', 'transfers'],
  host: `host${n}`,
  skewMs: 0,
  startMs: 300 * n,
});

const RUN = '01KJMMA2G3ZZZZZZZZZZZZZZZZ';
const NEXT_RUN = '01KJMMA2G4ZZZZZZZZZZZZZZZZ';
const target = 'sat1';
const ask = (at: number, file: string): FileAct => ({
  do: 'download',
  at,
  slot: 0,
  target,
  file,
  priority: 0,
});

/** A file that is read, one that is rewritten in the middle, one that goes up; the leader dies, the link goes away. */
const scenario: Scenario = {
  seed: 7,
  slots: [slot(0), slot(1)],
  submissions: [],
  launches: [],
  faults: [{ kind: 'crash', at: 9_000, slot: 0, backMs: 3_000 }],
  moving: {
    acts: [
      { do: 'list', at: 1_500, target, lateMs: 0 },
      ask(2_500, '11'),
      ask(2_600, '10'),
      { do: 'rewrite', at: 5_800, target, file: '11' },
      {
        do: 'run',
        at: 57_000,
        slot: 1,
        target,
        run: RUN,
        downloads: [],
        uploads: [{ file: '20', size: 900 }],
        forMs: 1_000,
        untilDone: true,
      },
      { do: 'list', at: 13_000, target, lateMs: 0 },
    ],
    last: [],
    troubles: [{ kind: 'link', at: 11_000, forMs: 45_000, target, isSilent: false }],
    radio: { loss: 0, doubling: 0, jitterMs: 0, failing: 0, rate: 16_000 },
    sizes: { 10: 12_000, 11: 6_000, 12: 10 },
  },
  calmAt: 58_000,
};

const upload = (at: number, run: string, more: Partial<Extract<FileAct, { do: 'run' }>>): FileAct => ({
  do: 'run',
  at,
  slot: 1,
  target,
  run,
  downloads: [],
  uploads: [{ file: '20', size: 40_000 }],
  forMs: 1_000,
  untilDone: false,
  ...more,
});

/** One run that uploads is suspended for long, goes on and ends before its file is on board; another goes on with that. */
const left = (isContinued: boolean): Scenario => ({
  ...scenario,
  faults: [],
  moving: {
    ...scenario.moving!,
    acts: [
      upload(3_000, RUN, { rest: { afterMs: 600, forMs: 15_000 } }),
      ...(isContinued
        ? [upload(45_000, NEXT_RUN, { uploads: [{ file: '20', size: 40_000, of: 3_000 }], untilDone: true })]
        : []),
    ],
    troubles: [],
  },
});

/** A file of stored telemetry, and one that decodes it and dies behind two of three batches. */
const decoded: Scenario = {
  ...scenario,
  slots: [slot(0)],
  faults: [],
  moving: {
    ...scenario.moving!,
    acts: [{ do: 'list', at: 1_500, target, lateMs: 0 }, ask(2_500, STORED_FILE)],
    troubles: [0, 1].map((which) => ({
      kind: 'decoding',
      at: 3_000,
      which,
      how: 'dies',
      step: 'append mcs.tm.decoded',
      phase: 'asked',
      nth: 3,
      backMs: 1_000,
    })),
    stored: [target],
  },
  calmAt: 4_000,
};
const SCENARIOS = { upload: left(false), decoding: decoded };

async function brokenBy(wrapBus: RunOptions['wrapBus'] & {}, of: Scenario = scenario): Promise<Set<string>> {
  const options: RunOptions = { wrapBus };
  const { violations } = await attempt(of, options);
  return new Set(violations.map(({ checker }) => checker));
}

it('nothing is broken where nothing is planted, and every way to an end is taken', async () => {
  const { violations, run } = await attempt(scenario);
  expect(violations).toEqual([]);
  const ends = [...run.history.files!.records].map(([key, { state }]) => [key, state]);
  expect(Object.fromEntries(ends)).toEqual({
    'sat1.10.1': 'VERIFIED',
    'sat1.11.1': 'SUPERSEDED',
    'sat1.20.1.up': 'VERIFIED',
  });
});

it('A-44 MC-UPL-009 an upload is suspended, left alone, and continued by another run', async () => {
  const { violations, run } = await attempt(left(true));
  expect(violations).toEqual([]);
  const versions = run.history.files!.versions.map(({ record: { state, actor } }) => [
    state,
    actor.run,
    actor.ended !== undefined,
  ]);
  expect(versions).toContainEqual(['PARTIAL', RUN, true]);
  expect(versions).toContainEqual(['PARTIAL', NEXT_RUN, false]);
  expect(versions.at(-1)).toEqual(['VERIFIED', NEXT_RUN, false]);
});

it('MC-XFER-028 MC-XFER-033 MC-XFER-035 MC-XFER-057 F-20 a file is decoded by another one when the first dies in the middle, each sample once', async () => {
  const { violations, run } = await attempt(decoded);
  expect(violations).toEqual([]);
  const { records, decoded: stored } = run.history.files!;
  const { state, reason, actor } = records.get('sat1.1.1')!;
  expect([state, reason]).toEqual(['PROCESSED', expect.stringMatching(/^[1-9]\d* samples$/)]);
  expect(actor.decoding).toEqual({ outcome: 'decoded', failures: 1 });
  expect(stored.filter(({ headers }) => headers[header.file] !== undefined)).toHaveLength(3);
});

describe('a checker of files finds', () => {
  it.each(PLANTED.map((each) => [each.what, each] as const))('%s', async (_, { planted, checker, needs }) => {
    expect(await brokenBy(planted, needs === undefined ? scenario : SCENARIOS[needs])).toContain(checker);
  });
});
