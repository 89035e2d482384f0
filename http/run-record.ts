/**
 * One run as the bus knows it: its state from its log, and what is known of it before the log begins. Mission Control
 * Service, section 2.3.
 *
 * D1. The state of a run comes from its log alone; the index speaks only for a run that has no log yet.
 */

import { buckets } from '../contract/bus/buckets.ts';
import { streams } from '../contract/bus/streams.ts';
import { subject } from '../contract/bus/subjects.ts';
import type { Program } from '../contract/program.ts';
import type { RunSummary } from '../contract/run.ts';
import { type RunEvent, readRunEvent } from '../contract/run-event.ts';
import { readRunEntry } from '../contract/run-wire.ts';
import { readStoredProgram } from '../messaging/stored-program.ts';
import { summaryOf, unsubmittedRun } from '../mission/procedure/run-status.ts';
import { refuse } from './errors.ts';
import type { RoutePorts } from './ports.ts';
import type { Refusal } from './reply.ts';

type RecordPorts = Pick<RoutePorts, 'bus' | 'runs'>;

/** The run as its log says, else as it was submitted; undefined when neither is there. */
export async function readRun(run: string, ports: RecordPorts): Promise<RunSummary | undefined> {
  return (await loggedRun(run, ports)) ?? submittedEntry(run, ports);
}

/** What never changes of a run (procedure, environment, targets); undefined for an unknown one. */
export async function findRun(run: string, ports: RecordPorts): Promise<RunSummary | undefined> {
  return ports.runs.of(run) ?? (await submittedEntry(run, ports)) ?? loggedRun(run, ports);
}

export function unknownRun(run: string): Refusal {
  return refuse('run::unknown', `no run ${run}`, { help: 'GET /v1/runs lists the newest runs.' });
}

/** The event a log begins with; undefined while there is none. */
export async function firstEvent(run: string, ports: Pick<RoutePorts, 'bus'>): Promise<RunEvent | undefined> {
  // A log is short for its reader: its first event costs no less by another way.
  return (await readLog(run, ports))[0];
}

/** Number of the last event of its log; 0 while there is none. Throws `Outage`. */
export async function lastEventNumber(run: string, { bus }: Pick<RoutePorts, 'bus'>): Promise<number> {
  const last = await bus.last(streams.runs, subject.runEvents(run));
  return (last && readRunEvent(last.data)?.seq) ?? 0;
}

/** The program stored under a hash; undefined, and logged, when it is not there or not what its name says. */
export async function storedProgram(
  ir: string,
  { bus, log }: Pick<RoutePorts, 'bus' | 'log'>,
): Promise<Program | undefined> {
  const stored = await bus.bucket(buckets.programs).get(ir);
  const program = stored && readStoredProgram(stored.value, ir);
  if (typeof program === 'object') return program;
  log.warn({ ir, reason: program }, 'the program of a run is missing');
  return undefined;
}

/** Every event of its log stored before the call. */
export async function readLog(run: string, { bus }: Pick<RoutePorts, 'bus'>): Promise<RunEvent[]> {
  const log: RunEvent[] = [];
  const follower = await bus.follow(streams.runs, subject.runEvents(run), { from: 'start' }, ({ data }) => {
    // What else stands on the subject is no part of the log; taken, it would be handed over for ever.
    const event = readRunEvent(data);
    if (event !== undefined) log.push(event);
  });
  try {
    await follower.caughtUp;
  } finally {
    await follower.stop();
  }
  return log;
}

async function loggedRun(run: string, ports: RecordPorts): Promise<RunSummary | undefined> {
  const log = await readLog(run, ports);
  const [first] = log;
  return first === undefined ? undefined : summaryOf(unsubmittedRun(first), log);
}

async function submittedEntry(run: string, { bus }: RecordPorts): Promise<RunSummary | undefined> {
  const entry = await bus.bucket(buckets.runs).get(run);
  return entry && readRunEntry(entry);
}
