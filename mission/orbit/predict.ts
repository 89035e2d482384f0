/**
 * The passes of the next days: satellites over stations. Pure: what is asked says from when.
 *
 * P1. What one prediction costs is bounded before it begins: days, satellites times stations times days, the age of
 *     elements.
 * P2. Nothing is left out in silence: elements too old to trust, an orbit that ends, a satellite that never sets are
 *     warnings.
 * P3. A target is predicted up to `targets[].toMs`, which is earlier than asked where its orbit ends: behind it nothing
 *     is known, not even that there is no pass.
 */

import { PREDICTED_PASSES, PREDICTION_DAYS, PREDICTION_PAIR_DAYS } from '../../contract/limits/prediction.ts';
import { NAME_CHARACTERS } from '../../contract/limits/request.ts';
import { accepted, type Result, refusedAll } from '../../contract/result.ts';
import { isToken } from '../../contract/token.ts';
import type { OrbitalElements } from './elements.ts';
import { Ephemeris, type NoOrbit } from './ephemeris.ts';
import { ID_TIME_CHARACTERS, passIds } from './pass-id.ts';
import { passesOf, type Standing, type StationPass, type Window } from './passes.ts';
import type { GroundStation } from './station.ts';

export interface PredictedTarget {
  readonly target: string;
  readonly elements: OrbitalElements;
}

export interface PredictionRequest {
  readonly targets: readonly PredictedTarget[];
  readonly stations: readonly GroundStation[];
  readonly fromMs: number;
  readonly days: number;
  /** UT1 - UTC as the IERS publishes it; without it UT1 is taken as UTC. */
  readonly ut1MinusUtcS?: number;
}

export interface PredictedPass extends StationPass {
  readonly id: string;
  readonly target: string;
  readonly station: string;
}

export interface TargetPrediction {
  readonly target: string;
  readonly fromMs: number;
  /** P3. Equal to `fromMs` where nothing could be predicted. */
  readonly toMs: number;
  /** By AOS. */
  readonly passes: readonly PredictedPass[];
}

export interface Prediction {
  readonly targets: readonly TargetPrediction[];
  readonly warnings: readonly string[];
}

export interface PredictionFault {
  readonly message: string;
  readonly help: string;
}

const DAY_MS = 86_400_000;
const S_MS = 1_000;
/** By definition; leap seconds keep it so. */
const UT1_MINUS_UTC_MOST_S = 0.9;
/**
 * Older elements are warned of: in low orbits their passes are off by a second a day, and more when the sun is active.
 */
const WARNED_AGE_DAYS = 14;
/** Older ones are refused. In deep space the model integrates from the epoch, so that age is also its cost. */
const LARGEST_AGE_DAYS = 3_653;
const LARGEST_DEEP_AGE_DAYS = 366;
/** Where SGP4 takes an orbit for deep space: periods above 225 minutes. */
const DEEP_SPACE_MS = 225 * 60_000;

/**
 * The passes of every target over every station; refuses a request that is too large, contradictory or too far from the
 * elements.
 */
export function predictPasses(request: PredictionRequest): Result<Prediction, PredictionFault> {
  const faults = faultsOf(request);
  if (faults.length > 0) return refusedAll(faults);
  const warnings: string[] = [];
  const predicted: TargetPrediction[] = [];
  for (const each of request.targets) {
    const found = predictTarget(each, request, warnings);
    if (found.passes.length > PREDICTED_PASSES) faults.push(tooMany(each.target, found.passes.length));
    else predicted.push(found);
  }
  return faults.length > 0 ? refusedAll(faults) : accepted({ targets: predicted, warnings });
}

function predictTarget(
  { target, elements }: PredictedTarget,
  { stations, fromMs, days, ut1MinusUtcS = 0 }: PredictionRequest,
  warnings: string[],
): TargetPrediction {
  const toMs = fromMs + days * DAY_MS;
  const ephemeris = new Ephemeris(elements, ut1MinusUtcS * S_MS);
  const found = stations.map((station) => ({
    station,
    result: passesOf(ephemeris, station, { fromMs, toMs }),
  }));
  const end = endOf(
    ephemeris,
    { fromMs, toMs },
    found.flatMap(({ result }) => result.failure ?? []),
  );
  warnings.push(...ageWarnings(target, elements, fromMs));
  for (const { station, result } of found)
    warnings.push(...result.standing.map((each) => standingWarning(target, station.name, each)));
  if (end.reason !== undefined)
    warnings.push(
      `${target}: no passes from ${seconds(end.atMs)}: ${end.reason}; newer elements may reach further`,
    );
  const passes = found
    .flatMap(({ station, result }) =>
      result.passes
        .filter(touches(fromMs, end.atMs))
        .map((pass) => ({ ...pass, target, station: station.name })),
    )
    .toSorted((a, b) => a.aosMs - b.aosMs);
  const ids = passIds(passes);
  return {
    target,
    fromMs,
    toMs: end.atMs,
    passes: passes.map((pass, index) => ({ id: ids[index]!, ...pass })),
  };
}

/** The end of the window, or to a second where the orbit ends before it. */
function endOf(
  ephemeris: Ephemeris,
  { fromMs, toMs }: Window,
  failures: readonly NoOrbit[],
): { readonly atMs: number; readonly reason?: string } {
  const [first] = failures.toSorted((a, b) => a.atMs - b.atMs);
  if (first === undefined || first.atMs >= toMs) return { atMs: toMs };
  let [good, bad] = [fromMs, Math.max(fromMs, first.atMs)];
  while (bad - good > S_MS) {
    const middle = (good + bad) / 2;
    if (ephemeris.reaches(middle)) good = middle;
    else bad = middle;
  }
  return { atMs: good, reason: first.message };
}

/** In whole milliseconds, as they are written: a pass that ends as the window begins does not touch it. */
function touches(fromMs: number, toMs: number): (pass: StationPass) => boolean {
  return ({ aosMs, losMs }) => {
    const [aos, los] = [Math.round(aosMs), Math.round(losMs)];
    return aos < los && los > fromMs && aos < toMs;
  };
}

function ageWarnings(target: string, { name, epochMs }: OrbitalElements, fromMs: number): string[] {
  const days = Math.abs(fromMs - epochMs) / DAY_MS;
  if (days <= WARNED_AGE_DAYS) return [];
  const away = `${Math.round(days)} days ${epochMs < fromMs ? 'old' : 'ahead'}`;
  return [
    `${target}: the elements of ${name}, of ${seconds(epochMs)}, are ${away}: times are not reliable; fetch newer ones`,
  ];
}

function standingWarning(target: string, station: string, { aosMs, losMs }: Standing): string {
  const who = `${target} over ${station}`;
  if (aosMs !== undefined)
    return `${who}: it rises at ${seconds(aosMs)} and does not set within days: no pass is made of that`;
  if (losMs !== undefined)
    return `${who}: it has been up for days and sets at ${seconds(losMs)}: no pass is made of that`;
  return `${who}: it is always above the mask: without AOS and LOS there are no passes`;
}

function faultsOf({
  targets,
  stations,
  fromMs,
  days,
  ut1MinusUtcS = 0,
}: PredictionRequest): PredictionFault[] {
  const faults: PredictionFault[] = [];
  const fault = (message: string, help: string): void => void faults.push({ message, help });
  if (!Number.isFinite(fromMs))
    fault('the time to begin at is not a time', 'write it like 2026-01-31T12:00:00Z');
  if (!(days > 0 && days <= PREDICTION_DAYS))
    fault(`${days} days cannot be predicted`, `ask for more than 0 and at most ${PREDICTION_DAYS} days`);
  if (!(Math.abs(ut1MinusUtcS) <= UT1_MINUS_UTC_MOST_S))
    fault(
      `UT1 - UTC is ${ut1MinusUtcS} s`,
      `give it in seconds, within ${UT1_MINUS_UTC_MOST_S} s, or leave it out`,
    );
  if (targets.length === 0) fault('there is no target', 'name one, with its elements');
  if (stations.length === 0) fault('there is no station', 'name one, with its place');
  const size = targets.length * stations.length * days;
  if (size > PREDICTION_PAIR_DAYS)
    fault(
      `${targets.length} targets over ${stations.length} stations for ${days} days are too much at once`,
      `targets x stations x days may be ${PREDICTION_PAIR_DAYS}: ask for fewer days, or in several parts`,
    );
  for (const name of repeated(targets.map(({ target }) => target)))
    fault(`target ${name} is given twice`, 'give one element set for each target');
  for (const name of repeated(stations.map((station) => station.name)))
    fault(`station ${name} is given twice`, 'give each station once');
  if (faults.length > 0) return faults;
  for (const { target } of targets)
    if (!isToken(target))
      fault(
        `${JSON.stringify(target.slice(0, 80))} is not the name of a target`,
        'write letters, digits, - and _',
      );
  faults.push(
    ...nameFaults(targets, stations),
    ...targets.flatMap((each) => distanceFaults(each, fromMs, days)),
  );
  return faults;
}

/** An identifier is a token with both names in it. */
function nameFaults(
  targets: readonly PredictedTarget[],
  stations: readonly GroundStation[],
): PredictionFault[] {
  const [target, station] = [targets.map((each) => each.target), stations.map(({ name }) => name)].map(
    (names) => names.reduce((long, name) => (name.length > long.length ? name : long)),
  ) as [string, string];
  const most = NAME_CHARACTERS - ID_TIME_CHARACTERS;
  if (target.length + station.length <= most) return [];
  const message = `the names ${target.slice(0, 80)} and ${station.slice(0, 80)} are too long for identifiers of passes`;
  return [{ message, help: `together they may have ${most} characters` }];
}

function distanceFaults(
  { target, elements: { epochMs, meanMotionRevPerDay } }: PredictedTarget,
  fromMs: number,
  days: number,
): PredictionFault[] {
  const isDeep = DAY_MS / meanMotionRevPerDay > DEEP_SPACE_MS;
  const most = isDeep ? LARGEST_DEEP_AGE_DAYS : LARGEST_AGE_DAYS;
  const farthest = Math.max(Math.abs(fromMs - epochMs), Math.abs(fromMs + days * DAY_MS - epochMs)) / DAY_MS;
  if (farthest <= most) return [];
  const message = `${target}: the time asked for is ${Math.round(farthest)} days from the elements of ${seconds(epochMs)}`;
  return [{ message, help: `this orbit is predicted for ${most} days at most: give newer elements` }];
}

function repeated(names: readonly string[]): string[] {
  const seen = new Set<string>();
  return names.filter((name) => seen.size === seen.add(name).size);
}

function tooMany(target: string, count: number): PredictionFault {
  const message = `${target} has ${count} passes; a snapshot takes ${PREDICTED_PASSES}`;
  return { message, help: 'ask for fewer days or stations' };
}

function seconds(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 19)}Z`;
}
