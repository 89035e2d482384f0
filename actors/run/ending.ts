/**
 * What is done when a run is over, in this order: leases given back, report archived; then its holder writes the index,
 * removes it from the open runs and stops serving commands. Mission Control Service, section 3.2 (last row).
 *
 * N1. Each part can be done again: whoever finds an ended run among the open ones does all of it.
 * N2. A run that cannot be begun or was given up is ended by its log as well: who follows it sees the reason.
 * N3. Inputs that are too large for the bus are left out of such a log: the program has them.
 */

import { buckets } from '../../contract/bus/buckets.ts';
import type { Program } from '../../contract/program.ts';
import type { RunSummary } from '../../contract/run.ts';
import type { RunEvent, RunFact } from '../../contract/run-event.ts';
import { readRunEntry } from '../../contract/run-wire.ts';
import { TooLarge } from '../../contract/too-large.ts';
import type { Bus } from '../../ports/bus.ts';
import { Leases, targetsOf } from './leases.ts';
import { archiveReport } from './report.ts';
import { appendRunEvent, isOver, type LoggedEvent, readRemains } from './run-log.ts';

/**
 * Gives the targets back and archives the report; without a program every hold of the run is looked for. Throws
 * `Outage`.
 */
export async function settleEnd(bus: Bus, run: string, program: Program | undefined): Promise<void> {
  const leases = new Leases(bus);
  if (program === undefined) await leases.releaseAll(run);
  else await leases.release(run, targetsOf(program));
  const { log } = await readRemains(bus, run);
  await archiveReport(
    bus,
    run,
    log.map(({ event }) => event),
  );
}

interface GivenUp {
  readonly run: string;
  readonly ir: string;
  readonly by: string | undefined;
  readonly program: Program | undefined;
  readonly epoch: number;
  readonly at: number;
  readonly reason: string;
  /** Number of the last event that was stored, though it may be lost; default: what the log has. */
  readonly behind?: number;
  /**
   * Whether a later epoch in its log is of a past that is gone, as the epoch of an owner then; default: it never is.
   */
  readonly isOwn?: () => Promise<boolean>;
}

/**
 * Ends a run in its log without its chart (N2); the whole log then, or undefined when another owner wrote. Throws
 * `Outage`; asked again it goes on.
 */
export async function recordGivenUp(bus: Bus, given: GivenUp): Promise<readonly LoggedEvent[] | undefined> {
  const { log, ...stored } = await readRemains(bus, given.run);
  const isOwn = given.isOwn ?? (async () => false);
  if (log.some(({ epoch }) => epoch > given.epoch) && !(await isOwn())) return undefined;
  if (isOver(log)) return log;
  const facts: RunFact[] = [
    ...(log.length === 0 ? [await startedFact(bus, given)] : []),
    { event: 'finished', ok: false, reason: given.reason },
  ];
  let expected = stored.last;
  // People have seen what is lost: numbers go on behind it.
  let next = Math.max(stored.next, (given.behind ?? 0) + 1);
  for (const fact of facts) {
    const event = numbered(fact, given, next);
    const position = await appendFitting(bus, event, { epoch: given.epoch, expected });
    if (typeof position === 'string') return undefined;
    expected = position;
    next += 1;
    log.push({ event, position, epoch: given.epoch, source: undefined });
  }
  return log;
}

/** N3 */
async function appendFitting(
  bus: Bus,
  event: RunEvent,
  where: { readonly epoch: number; readonly expected: number },
): Promise<number | 'refused' | 'lost'> {
  const at = { ...where, endsCut: true };
  try {
    return await appendRunEvent(bus, { event }, at);
  } catch (error) {
    if (!(error instanceof TooLarge && event.event === 'started')) throw error;
    return appendRunEvent(bus, { event: { ...event, inputs: {} } }, at);
  }
}

function numbered(fact: RunFact, { run, at }: GivenUp, seq: number): RunEvent {
  return { run, seq, at: new Date(at).toISOString(), ...fact };
}

/** A log begins with `started`, also when nothing is known of the run but what its launch wrote into the list. */
async function startedFact(bus: Bus, { run, ir, by, program }: GivenUp): Promise<RunFact> {
  const known = program ?? (await listed(bus, run));
  const { procedure = 'unknown', environment = 'unknown', targets = {} } = known ?? {};
  return {
    event: 'started',
    procedure,
    library: program?.library ?? 'unknown',
    environment,
    targets,
    ir,
    ...(by !== undefined && { by }),
    inputs: { ...program?.inputs },
  };
}

async function listed(bus: Bus, run: string): Promise<RunSummary | undefined> {
  const entry = await bus.bucket(buckets.runs).get(run);
  return entry && readRunEntry(entry);
}
