/**
 * How many cases a fuzz test runs, from which seed, and within what time. All tests of this folder together run
 * `FUZZ_CASES` cases, by default `CI_CASES`; each takes its share.
 *
 * Z1. The seed is fixed unless `FUZZ_SEED` gives one (`random`: a new one each time), so that a run of the test suite
 *     repeats. A failure prints it with the command that repeats the failure.
 * Z2. A case that never ends or burns processor time is a failure: an endless loop is cut off and its input reported. A
 *     case that seems dear is repeated, and the least counts: a collection of garbage is in one of them, and what the
 *     case costs is in all.
 */

import { Script } from 'node:vm';
import fc from 'fast-check';

const CI_CASES = 100_000;
const CI_SEED = 20_261_121;
/** Processor time of one case; the longest sound ones take a few milliseconds. */
const CASE_CPU_MS = 2_000;
const CASE_TRIES = 3;
/** Processor time is reported in microseconds. */
const US_PER_MS = 1_000;
/**
 * After this a test without I/O is cut off in the middle of its case: far more than its share takes on a busy machine.
 */
const LOOP_MS = 240_000;
const LARGEST_SEED = 2 ** 31 - 1;

export const factor = Number(process.env['FUZZ_CASES'] ?? CI_CASES) / CI_CASES;
const seed =
  process.env['FUZZ_SEED'] === 'random'
    ? Math.floor(Math.random() * LARGEST_SEED)
    : Number(process.env['FUZZ_SEED'] ?? CI_SEED);

/** How long vitest waits for a test of this folder. */
export const FUZZ_TEST_MS = LOOP_MS * Math.max(1, factor) * 2;

export interface Share {
  /** Cases of the CI form. */
  readonly cases: number;
}

function parameters<Case>({ cases }: Share): fc.Parameters<[Case]> {
  return { seed, numRuns: Math.max(1, Math.round(cases * factor)), includeErrorInReport: true };
}

/** Runs `check` on cases of `arbitrary`; it throws where something is wrong, and the smallest such case is reported. */
export function fuzz<Case>(share: Share, arbitrary: fc.Arbitrary<Case>, check: (input: Case) => void): void {
  let current: Case | undefined;
  const property = fc.property(arbitrary, (input) => {
    current = input;
    checkTime(() => check(input));
  });
  try {
    interruptible(() => fc.assert(property, parameters(share)));
  } catch (error) {
    const isCutOff = (error as { code?: string }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
    throw repeatable(isCutOff ? new Error(`never ended: ${fc.stringify(current)}`) : error);
  }
}

/** As `fuzz`, for checks that talk to a server: those bound each answer themselves. */
export async function fuzzServer<Case>(
  share: Share,
  arbitrary: fc.Arbitrary<Case>,
  check: (input: Case) => Promise<void>,
): Promise<void> {
  try {
    // Not made smaller: each try of a request without answer would take its whole bound again.
    await fc.assert(fc.asyncProperty(arbitrary, check), { ...parameters(share), endOnFailure: true });
  } catch (error) {
    throw repeatable(error);
  }
}

function checkTime(check: () => void): void {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < CASE_TRIES; tries += 1) {
    const before = process.cpuUsage();
    check();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / US_PER_MS);
    if (least <= CASE_CPU_MS) return;
  }
  throw new Error(`took ${Math.round(least)} ms of processor time, each of ${CASE_TRIES} times`);
}

/** Runs `act` so that an endless loop in it ends with an error (Z2). */
function interruptible(act: () => void): void {
  const place = globalThis as { fuzzedAct?: () => void };
  place.fuzzedAct = act;
  try {
    new Script('fuzzedAct()').runInThisContext({ timeout: Math.round(LOOP_MS * Math.max(1, factor)) });
  } finally {
    delete place.fuzzedAct;
  }
}

function repeatable(error: unknown): Error {
  const { message } = error as Error;
  const cases = Math.round(factor * CI_CASES);
  return new Error(`seed ${seed}: repeat with FUZZ_SEED=${seed} FUZZ_CASES=${cases}\n${message}`, {
    cause: error,
  });
}
