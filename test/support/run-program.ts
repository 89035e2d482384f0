/** Programs made by hand for the demo mission, submitted to a cell as the API does, and the logs they leave. */

import { monotonicFactory } from 'ulid';
import { shardOf } from '../../actors/run/open-runs.ts';
import { readRunLog } from '../../actors/run/run-log.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { Program, ProgramNode, ProgramStatement, SendStatement } from '../../contract/program.ts';
import type { RunEvent, RunEventKind } from '../../contract/run-event.ts';
import type { Approval, ControlCall, ControlReply, OpenRun, RunSubmission } from '../../contract/run-wire.ts';
import { programDocument } from '../../mission/procedure/program-document.ts';
import type { Bus } from '../../ports/bus.ts';
import { until } from './until.ts';

export const newRun = monotonicFactory();

/** An identifier whose run belongs to one of the shards. */
export function runOf(...shards: readonly string[]): string {
  for (;;) {
    const run = newRun();
    if (shards.includes(shardOf(run))) return run;
  }
}

/** The entry of a run that is taken up and not over. */
export async function openRun(bus: Bus, run: string): Promise<OpenRun | undefined> {
  const entry = await bus.bucket(buckets.openRuns).get(`${shardOf(run)}.${run}`);
  return entry && (JSON.parse(Buffer.from(entry.value).toString()) as OpenRun);
}

/** A program of one procedure on `sat1`, exclusively unless stated otherwise. */
export function programOf(
  config: string,
  steps: readonly ProgramNode[],
  overrides: Partial<Program> = {},
): Program {
  return {
    format: 1,
    config,
    procedure: 'test_run',
    library: 'test@1.0.0',
    environment: 'bench',
    targets: { sat: 'sat1' },
    inputs: {},
    policy: { identity: 'declared', humanOrchestration: true, hazardousConfirmation: [] },
    leases: [{ target: 'sat1', mode: 'exclusive' }],
    faults: [],
    sends: true,
    hazardous: false,
    maxDurationMs: 60_000,
    steps,
    ...overrides,
  };
}

export function leaf(path: string, statements: readonly ProgramStatement[], attempts = 1): ProgramNode {
  return { kind: 'step', path, attempts, delayMs: 0, statements };
}

/** `obc.ping`: changes nothing. */
export function ping(): SendStatement {
  return {
    kind: 'send',
    target: 'sat1',
    link: 'uhf',
    environment: 'bench',
    component: 'obc',
    telecommand: 'ping',
    args: {},
    changesState: false,
    hazardous: false,
    retry: 0,
  };
}

/** `obc.set_watchdog`: changes state. */
export function setWatchdog(period: number): SendStatement {
  return { ...ping(), telecommand: 'set_watchdog', args: { period: { value: period } }, changesState: true };
}

export async function currentRevision(bus: Bus): Promise<string> {
  const entry = await bus.bucket(buckets.config).get('current');
  return (JSON.parse(Buffer.from(entry!.value).toString()) as { revision: string }).revision;
}

/** Stores a program and submits a run of it; its identifier. */
export async function submitProgram(
  bus: Bus,
  program: Program,
  { run = newRun(), by }: { run?: string; by?: string } = {},
): Promise<string> {
  const { ir, canonical } = programDocument(program);
  await bus.bucket(buckets.programs).put(ir, Buffer.from(canonical), 0);
  await submitRun(bus, { run, ir, ...(by !== undefined && { by }) });
  return run;
}

export async function submitRun(bus: Bus, submission: RunSubmission): Promise<void> {
  await bus.append(streams.runSubmissions, subject.runSubmit, Buffer.from(JSON.stringify(submission)), {
    id: submission.run,
  });
}

/** The log when it holds an event of that kind, or so many of them. */
export async function logWith(
  bus: Bus,
  run: string,
  kind: RunEventKind,
  { times = 1, timeoutMs = 30_000 } = {},
): Promise<RunEvent[]> {
  let log: RunEvent[] = [];
  const look = async (): Promise<boolean> => {
    log = await eventsOf(bus, run);
    return log.filter(({ event }) => event === kind).length >= times;
  };
  try {
    await until(look, { timeoutMs, what: `${kind} in the log` });
  } catch (error) {
    throw new Error(`${String(error)}: ${JSON.stringify(log, undefined, 1)}`);
  }
  return log;
}

export async function eventsOf(bus: Bus, run: string): Promise<RunEvent[]> {
  const log = await until(() => readRunLog(bus, run), { what: `the log of ${run}` });
  return log.map(({ event }) => event);
}

/** The only event of that kind, or the last. */
export function lastOf<Kind extends RunEventKind>(
  log: readonly RunEvent[],
  kind: Kind,
): Extract<RunEvent, { event: Kind }> {
  const found = log.findLast((event): event is Extract<RunEvent, { event: Kind }> => event.event === kind);
  if (found === undefined) throw new Error(`no ${kind} in ${JSON.stringify(log)}`);
  return found;
}

export async function control(bus: Bus, run: string, call: ControlCall): Promise<ControlReply> {
  const body = Buffer.from(JSON.stringify(call));
  const reply = await bus.request(subject.runControl(run), body, { timeoutMs: 15_000 });
  return JSON.parse(Buffer.from(reply).toString()) as ControlReply;
}

/**
 * An answer of somebody who does not say which question it answers: it is known by the milliseconds of the bus
 * (approval.A3), so it is given in a later one than the last event of the run.
 */
export async function approve(
  bus: Bus,
  run: string,
  approval: Partial<Approval> & { path: string },
): Promise<void> {
  const body = { accepted: true, roles: [], ...approval };
  const last = await bus.last(streams.runs, subject.runEvents(run));
  await until(() => Date.now() !== last?.at);
  await bus.append(streams.runAnswers, subject.runApproval(run), Buffer.from(JSON.stringify(body)));
}
