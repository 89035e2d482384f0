/**
 * Whether a pass may be stored as it was submitted, and a snapshot of passes. Mission Control Service, sections 2.6 and
 * 4.5 (validation). What the schema of the body says is known here.
 *
 * V1. Every fault is reported at once, each with its place.
 * V2. One fault of one pass refuses a whole snapshot, and so does an identifier that it has twice.
 * V3. A pass lies within the years 1 to 9999, UTC, and so does every start that a run on it may have.
 */

import type { ErrorCode, Fault } from '../../contract/errors.ts';
import { FIRST_MS, LAST_MS, nearestInstant, readInstant } from '../../contract/instant.ts';
import { ERRORS_LISTED } from '../../contract/limits/request.ts';
import { SCHEDULE_OFFSET_MS_MOST } from '../../contract/limits/schedule.ts';
import { nearHelp } from '../../contract/near.ts';
import type { Pass, PassSnapshot } from '../../contract/pass.ts';
import type { Mission } from '../mission.ts';
import { readQuantity } from '../quantity.ts';
import { overlapMs, windowOf } from './pass.ts';

/** Of what is later a run may have a start that is no time any more (V3). */
const LAST_OF_PASS_MS = LAST_MS - SCHEDULE_OFFSET_MS_MOST;

type Targets = Pick<Mission, 'targets'>;

/** The faults of a pass, in the order of its fields; `at` is where it stands in the body. */
export function passFaults(mission: Targets, pass: Pass, at = ''): Fault[] {
  return [
    ...unknownTarget(mission, pass.target, `${at}/target`),
    ...windowFaults(pass.aos, pass.los, { at, first: 'aos', second: 'los' }),
    ...calendarFaults(pass, at),
    ...elevationFaults(pass.max_elevation, `${at}/max_elevation`),
    ...bookedPrediction(pass, at),
    ...rateFaults(pass, at),
  ];
}

/** The faults of a snapshot and of every pass in it (V2). */
export function snapshotFaults(mission: Targets, snapshot: PassSnapshot): Fault[] {
  const { from, to, passes } = snapshot;
  const faults = [
    ...unknownTarget(mission, snapshot.target, '/target'),
    ...windowFaults(from, to, { at: '', first: 'from', second: 'to' }),
  ];
  const ids = new Set<string>();
  for (const [index, pass] of passes.entries()) {
    if (faults.length > ERRORS_LISTED) break;
    const at = `/passes/${index}`;
    if (ids.has(pass.id)) faults.push(twice(pass.id, at));
    ids.add(pass.id);
    faults.push(...memberFaults(mission, snapshot, pass, at));
  }
  return faults;
}

function twice(id: string, at: string): Fault {
  const message = `${at}/id: ${id} is the identifier of another pass of this snapshot`;
  return invalid(message, 'Give each pass an identifier of its own.', `${at}/id`);
}

function memberFaults(mission: Targets, snapshot: PassSnapshot, pass: Pass, at: string): Fault[] {
  if (pass.target !== snapshot.target) {
    const message = `${at}/target is ${pass.target}; every pass of this snapshot is of ${snapshot.target}`;
    return [invalid(message, 'Send one snapshot for each target.', `${at}/target`)];
  }
  const known = { targets: mission.targets.has(pass.target) ? mission.targets : ANY_TARGET };
  const own = passFaults(known, pass, at);
  return own.length > 0 ? own : outsideFaults(snapshot, pass, at);
}

/** A target that the snapshot names wrongly is reported once, not again for each pass. */
const ANY_TARGET = { has: () => true } as unknown as Mission['targets'];

function outsideFaults({ from, to }: PassSnapshot, pass: Pass, at: string): Fault[] {
  const interval = { aos: readInstant(from) ?? Number.NaN, los: readInstant(to) ?? Number.NaN };
  // A malformed interval has been reported.
  if (!(interval.aos < interval.los) || overlapMs(windowOf(pass), interval) > 0) return [];
  const message = `${at} from ${pass.aos} to ${pass.los} does not overlap the interval from ${from} to ${to}`;
  return [invalid(message, 'Leave the pass out, or widen the interval.', at)];
}

function unknownTarget({ targets }: Targets, name: string, path: string): Fault[] {
  if (targets.has(name)) return [];
  const help = nearHelp(name, targets.keys(), 'targets');
  return [{ code: 'pass::unknown-target', message: `no target "${name}"`, help, path }];
}

function windowFaults(
  first: string,
  second: string,
  names: { readonly at: string; readonly first: string; readonly second: string },
): Fault[] {
  const [begin, end] = [readInstant(first), readInstant(second)];
  const help = 'Write a time as in 2026-01-02T03:04:05Z.';
  const faults = [
    ...(begin === undefined ? [noTime(names.first, first)] : []),
    ...(end === undefined ? [noTime(names.second, second)] : []),
  ];
  if (faults.length > 0 || begin! < end!) return faults;
  const precision = begin === end && first !== second ? ': times are taken to the millisecond' : '';
  const message = `${names.at}/${names.first} ${first} is not before ${names.second} ${second}${precision}`;
  return [invalid(message, `Give ${names.first} before ${names.second}.`, `${names.at}/${names.first}`)];

  function noTime(name: string, text: string): Fault {
    return invalid(`${names.at}/${name} "${text}" is not a time`, help, `${names.at}/${name}`);
  }
}

/** V3 */
function calendarFaults({ aos, los }: Pass, at: string): Fault[] {
  const [begin = FIRST_MS, end = LAST_OF_PASS_MS] = [readInstant(aos), readInstant(los)];
  return [
    ...(begin < FIRST_MS ? [outside('aos', `${aos} is before ${nearestInstant(FIRST_MS)}`)] : []),
    ...(end > LAST_OF_PASS_MS ? [outside('los', `${los} is behind ${nearestInstant(LAST_OF_PASS_MS)}`)] : []),
  ];

  function outside(name: string, why: string): Fault {
    return invalid(`${at}/${name} ${why}`, 'Give the time of a pass that takes place.', `${at}/${name}`);
  }
}

function elevationFaults(text: string, path: string): Fault[] {
  const read = readQuantity(text, 'deg');
  if (!read.ok) return read.faults.map(({ message, help }) => invalid(`${path}: ${message}`, help, path));
  if (read.value >= 0 && read.value <= 90) return [];
  return [invalid(`${path} ${text} is outside of 0 to 90 degrees`, 'Give the highest elevation.', path)];
}

function bookedPrediction({ source, status }: Pass, at: string): Fault[] {
  if (source !== 'fds' || status !== 'booked') return [];
  const message = `${at}/status: a pass of source fds cannot be booked`;
  return [invalid(message, 'Only the provider books; flight dynamics predicts.', `${at}/status`)];
}

function rateFaults({ rates = {} }: Pass, at: string): Fault[] {
  return Object.entries(rates).flatMap(([name, text]) => {
    const path = `${at}/rates/${name}`;
    const read = readQuantity(text, 'bit/s');
    if (!read.ok) return read.faults.map(({ message, help }) => invalid(`${path}: ${message}`, help, path));
    if (read.value > 0) return [];
    return [invalid(`${path} ${text} is not above zero`, 'Leave out a rate that is not known.', path)];
  });
}

function invalid(message: string, help: string | undefined, path: string): Fault<ErrorCode> {
  return { code: 'pass::invalid', message, ...(help !== undefined && { help }), path };
}
