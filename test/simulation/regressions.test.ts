/** Failures that seeds have found, written out: each broke a promise before the runtime was corrected. */

import { describe, expect, it } from 'vitest';
import type { ProgramNode } from '../../contract/program.ts';
import { SPACECRAFT_FAULTS } from '../../links/simulated/spacecraft.ts';
import { ROLES } from '../../supervision/role.ts';
import { leaf, programOf, setWatchdog } from '../support/run-program.ts';
import type { Command, Launch } from './launch.ts';
import { published } from './mission.ts';
import type { Fault, Scenario, Slot, Submission } from './scenario.ts';
import { attempt, attemptSeed } from './trial.ts';

const slot = (n: number): Slot => ({ roles: [...ROLES], host: `host${n}`, skewMs: 0, startMs: 100 * n });

const switching = (at: number, target: string, through = 0): Submission => ({
  at,
  target,
  telecommand: 'power.switch',
  args: { channel: 'heater', on: true },
  slot: through,
  again: [],
});

async function brokenBy(
  faults: readonly Fault[],
  submissions: readonly Submission[],
  slots = 2,
  launches: readonly Launch[] = [],
): Promise<string[]> {
  const scenario: Scenario = {
    seed: 1,
    slots: Array.from({ length: slots }, (_, n) => slot(n)),
    submissions,
    launches,
    faults,
    calmAt: 20_000,
  };
  const { violations } = await attempt(scenario);
  return violations.map(({ checker, what }) => `${checker}: ${what}`);
}

/** A client that repeats it after that time, with the identifier it drew. */
const repeated = (first: Submission, afterMs: number): Submission => ({
  ...first,
  again: [{ afterMs, slot: 1 - first.slot }],
});

const both = (at: number): Submission[] => [switching(at, 'sat1'), switching(at, 'sat2')];

it.each([0, 1])(
  'process %i, asleep while another takes its gateways, sends nothing when it wakes (O2)',
  async (asleep) => {
    const pause: Fault = {
      at: 5_000,
      slot: asleep,
      kind: 'pause',
      forMs: 6_000,
      arrivalsFirst: true,
      pullsExpired: true,
    };
    expect(await brokenBy([pause], both(9_500))).toEqual([]);
  },
);

it('partitions that every process gave up at once find an owner again (partition.Q2)', async () => {
  const faults: Fault[] = [
    { at: 5_081, kind: 'election', forMs: 12_943 },
    { at: 5_509, slot: 1, kind: 'crash', backMs: 1_778 },
  ];
  expect(await brokenBy(faults, [switching(16_707, 'sat1', 1)])).toEqual([]);
  expect(await brokenBy([{ at: 5_000, kind: 'election', forMs: 5_472 }], both(14_000), 3)).toEqual([]);
});

it('a call held up in a gateway that is asked again and cannot tell is not sent afterwards (lane.J1, O2)', async () => {
  const slow = (n: number): Fault => ({
    at: 7_300,
    slot: n,
    kind: 'service',
    forMs: 2_600,
    of: 'gateway',
    beforeMs: 5_268,
    afterMs: 0,
    fails: false,
  });
  const restarts: Fault[] = [0, 1].map((n) => ({ at: 6_000, slot: n, kind: 'crash', backMs: 200 }));
  const submissions = [7_445, 8_000, 11_000].flatMap((at) => both(at));
  expect(await brokenBy([...restarts, slow(0), slow(1)], submissions)).toEqual([]);
});

describe('a telecommand that is lost with its history, and repeated', () => {
  const rewind: Fault = { at: 10_900, kind: 'rewind', forMs: 2_100, backMs: 8_600, uneven: false };

  it.each([0, 1])(
    'does not leave again by process %i, which began while the bus was away (membership.E9, E10)',
    async (slot) => {
      const crash: Fault = { at: 10_700, slot, kind: 'crash', backMs: 300 };
      const submissions = both(4_450).flatMap((each) => [
        repeated(each, 8_600),
        repeated({ ...each, at: each.at + 700, slot: 1 }, 10_500),
      ]);
      expect(await brokenBy([crash, rewind], submissions)).toEqual([]);
    },
  );

  it.each([0, 1])(
    'does not leave again when process %i dies between two events of its end (taking-over.R4, R5)',
    async (slot) => {
      const step = 'append mcs.tc.evt';
      const ends = [1, 2, 3].map(
        (nth): Fault => ({ at: 15_900, slot, kind: 'crash-at', step, phase: 'asked', nth, backMs: 300 }),
      );
      const submissions = both(4_450).map((each) => repeated(each, 11_900));
      for (const end of ends) expect(await brokenBy([rewind, end], submissions)).toEqual([]);
    },
  );
});

it('a partition whose owner was only read, not watched, is taken behind a store that went back (partition.Q6)', async () => {
  // What a process reads past its watch depends on its own order of events: the seed says it whole.
  const { violations } = await attemptSeed(60_125, {}, 'rewinds');
  expect(violations.map(({ checker, what }) => `${checker}: ${what}`)).toEqual([]);
});

it('shard.S11 low-water-mark.F7 a run whose end was undone by a store that went back, and whose log is all there, is ended again', async () => {
  const { violations } = await attemptSeed(60_037, {}, 'rewinds');
  expect(violations.map(({ checker, what }) => `${checker}: ${what}`)).toEqual([]);
});

it('shard.S11 a run whose end was undone by a store that went back, and is not in its log any more, is ended', async () => {
  const { violations } = await attemptSeed(500_051, {}, 'rewinds');
  expect(violations.map(({ checker, what }) => `${checker}: ${what}`)).toEqual([]);
});

it('kept-envelopes.K10 what an owner that was cut off keeps of a telecommand that is over by then is taken back', async () => {
  const { violations } = await attemptSeed(410_547, {}, 'telecommands');
  expect(violations.map(({ checker, what }) => `${checker}: ${what}`)).toEqual([]);
});

it('taking-over.R2 a telecommand all of whose log was lost is not said to have never left', async () => {
  const { violations } = await attemptSeed(40_004, {}, 'rewinds');
  expect(violations.map(({ checker, what }) => `${checker}: ${what}`)).toEqual([]);
});

// Runs

const launching = (
  at: number,
  steps: readonly ProgramNode[],
  more: Partial<Parameters<typeof programOf>[2]> = {},
  commands: readonly Command[] = [],
): Launch => ({
  at,
  slot: 0,
  what: { kind: 'program', program: programOf(published.revision, steps, { inputs: { at }, ...more }) },
  commands,
});

it.each([0, 1])(
  'an executor (%i) that falls asleep in the middle of a take-up neither holds nor lists anything when it wakes',
  async (asleep) => {
    const pause: Fault = {
      at: 2_000,
      slot: asleep,
      kind: 'pause-at',
      step: 'append $KV.mcs_leases',
      phase: 'asked',
      nth: 1,
      forMs: 9_000,
      arrivalsFirst: true,
      pullsExpired: true,
    };
    const leases = [
      { target: 'sat1', mode: 'exclusive' },
      { target: 'sat2', mode: 'exclusive' },
    ] as const;
    const runs = [2_500, 2_510, 2_520, 2_530].map((at) =>
      launching(at, [leaf('only', [{ kind: 'log', message: ['here'] }])], { leases }),
    );
    expect(await brokenBy([pause], [], 2, runs)).toEqual([]);
  },
);

it('a fault that comes due while its run ends is neither left on nor logged behind the end', async () => {
  const faults = SPACECRAFT_FAULTS.map((fault, n) => {
    return { target: 'sat1', gateway: 'sim-1', fault, at: { afterMs: 1_004 + 4 * n }, off: null };
  });
  const run = launching(3_000, [leaf('only', [{ kind: 'wait', ms: 1_000 }])], { faults });
  expect(await brokenBy([], [], 2, [run])).toEqual([]);
});

it.each([0, 1])(
  'a command that waits for an executor (%i) that was overtaken in its sleep wakes none of its runs again',
  async (asleep) => {
    const pause: Fault = {
      at: 3_740,
      slot: asleep,
      kind: 'pause',
      forMs: 3_400,
      arrivalsFirst: true,
      pullsExpired: true,
    };
    const suspend: Command = { afterMs: 1_800, slot: 1 - asleep, action: 'suspend' };
    // The second leaves a low-water mark to be written, so that leaving the shard takes a while.
    const runs = [3_020, 3_720].map((at) =>
      launching(at, [leaf('only', [setWatchdog(60), { kind: 'wait', ms: 12_000 }])], {}, [suspend]),
    );
    expect(await brokenBy([pause], [], 2, runs)).toEqual([]);
  },
);
