/**
 * A sweep: one gain is varied and the link measured at each value. RF Bench Service, section 2 (campaign documents).
 *
 * W1. No errors seen is not a rate of zero: the upper bound is then three over the bits (rule of three, 95 %).
 * W2. A value at which the chain sustains no blocks has no point: nothing was measured there.
 */

import type { Measurement } from '../../../contract/bench/datapath.ts';
import type { BenchFault } from '../../../contract/bench/errors.ts';
import type { Profile } from '../../../contract/bench/profile.ts';
import type { Attempt, SweepPoint } from '../../../contract/bench/run.ts';
import { accepted, type Result } from '../../../contract/result.ts';
import { type SweepStep, sweepPoints, variedGain } from '../../../radio/document/sweep.ts';
import { type Coding, decodedErrorRate, estimatedErrorRate } from '../../../radio/modulation.ts';
import type { BoardHolder, BoardUser, ScriptedAction } from '../radio/board-user.ts';

/** Blocks of the gain before, in the queues and on the air (`actors/sdr/datapath/terms.ts` counts them). */
const WARMUP_BLOCKS = 8;
/** Of the normal distribution, 95 % on two sides. */
const Z = 1.959964;

interface SweepOptions {
  readonly step: SweepStep;
  readonly board: BoardUser;
  readonly by: BoardHolder;
  readonly profile: Profile | undefined;
  readonly signal: AbortSignal;
}

/** What a step of a campaign came to, and whether its refusal was that the board is gone. */
export interface StepResult extends Pick<Attempt, 'outcome' | 'detail' | 'run_id' | 'points'> {
  readonly fault?: BenchFault;
}

/** Applies the profile, conditions the chain over the air, and measures at each value. */
export async function sweep({ step, board, by, profile, signal }: SweepOptions): Promise<StepResult> {
  const [side, range] = variedGain(step);
  const perform = (verb: ScriptedAction['do'], body: object) =>
    board.perform({ do: verb, with: body }, by, signal);
  const points: SweepPoint[] = [];
  const silent: number[] = [];
  const prepared = await perform('chain.condition', { target: 'air', profile: step.profile });
  if (!prepared.ok) return refusedStep(prepared.faults[0], points);
  for (const x of sweepPoints(range)) {
    const set = await perform('radio.gain', { [`${side}_gain_db`]: x });
    if (!set.ok) return refusedStep(set.faults[0], points);
    const measured = await measurementOf(perform, step);
    if (!measured.ok) return refusedStep(measured.faults[0], points);
    if (measured.value === undefined) silent.push(x);
    else points.push(pointOf(x, measured.value, await ebN0Of(board), profile));
  }
  return judged(step, points, silent);
}

/** The point of a measurement. */
export function pointOf(
  x: number,
  { overall_ratio: ratio, blocks }: Measurement,
  ebN0Db: number | undefined,
  profile: Profile | undefined,
): SweepPoint {
  const bytes = blocks.reduce((sum, { total }) => sum + total, 0);
  return {
    x,
    ratio,
    bits: bytes * 8,
    ber: errorRate(ratio),
    ...bounds(ratio, bytes),
    ...(ebN0Db !== undefined && { ebn0_db: ebN0Db }),
    ...(ebN0Db !== undefined &&
      profile !== undefined && {
        theory: decodedErrorRate(profile.modulation, profile.fec ?? UNCODED, ebN0Db),
      }),
  };
}

const UNCODED: Coding = { inner: 'none', outer: 'none' };

/** Of the interval of Wilson for the share of right bytes, as rates of bit errors. */
function bounds(ratio: number, bytes: number): Pick<SweepPoint, 'ber_low' | 'ber_high'> {
  if (bytes === 0) return { ber_low: 0, ber_high: 0.5 };
  if (ratio === 1) return { ber_low: 0, ber_high: Math.min(0.5, 3 / (bytes * 8)) };
  const denominator = 1 + Z ** 2 / bytes;
  const centre = (ratio + Z ** 2 / (2 * bytes)) / denominator;
  const spread = (Z / denominator) * Math.sqrt((ratio * (1 - ratio)) / bytes + Z ** 2 / (4 * bytes ** 2));
  return {
    ber_low: errorRate(Math.min(1, centre + spread)),
    ber_high: errorRate(Math.max(0, centre - spread)),
  };
}

/** Half of all bits are right where nothing comes through. */
function errorRate(ratio: number): number {
  return Math.min(0.5, estimatedErrorRate(ratio));
}

/** Undefined where the chain did not sustain the blocks (W2). */
async function measurementOf(
  perform: (verb: ScriptedAction['do'], body: object) => ReturnType<BoardUser['perform']>,
  { measure: { blocks, prbs = 15 } }: SweepStep,
): Promise<Result<Measurement | undefined, BenchFault>> {
  const done = await perform('datapath.measure', {
    blocks,
    prbs,
    warmup: WARMUP_BLOCKS,
    // The gain is not that of the profile: that is what is varied, on a chain that was conditioned before.
    force: true,
  });
  if (done.ok) return accepted(done.value.measurement);
  return done.faults[0].code === 'timeout' ? accepted(undefined) : done;
}

async function ebN0Of(board: BoardUser): Promise<number | undefined> {
  const value = (await board.sample(['rx.ebn0_db']))['rx.ebn0_db'];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function judged(step: SweepStep, points: readonly SweepPoint[], silent: readonly number[]): StepResult {
  const missed = Object.entries(step.expect?.min_ratio_at ?? {}).flatMap(([at, least]) => {
    const point = points.find(({ x }) => String(x) === at);
    if (point === undefined) return [`nothing was measured at ${at}`];
    return point.ratio >= least ? [] : [`the ratio at ${at} is ${point.ratio}, required: ${least}`];
  });
  const reported = `${points.length} points${silent.length === 0 ? '' : `, no blocks at ${silent.join(', ')} dB`}`;
  if (points.length === 0) return { outcome: 'inconclusive', detail: `nothing was measured: ${reported}` };
  const detail = [reported, ...missed].join('; ');
  return { outcome: missed.length === 0 ? 'passed' : 'failed', detail, points: [...points] };
}

/** A refusal of the chain is a finding, a board that does not answer an error. */
export function refusedStep(fault: BenchFault, points: readonly SweepPoint[] = []): StepResult {
  const { code, message, help } = fault;
  return {
    outcome: code === 'unavailable' || code === 'internal' ? 'error' : 'failed',
    detail: help === undefined ? message : `${message}; ${help}`,
    ...(points.length > 0 && { points: [...points] }),
    fault,
  };
}
