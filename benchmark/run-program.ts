/**
 * Programs that runs are measured with, as resolution stores them. They hold no target, so nothing but the executor,
 * its bus and its log is under measure.
 */

import { monotonicFactory } from 'ulid';
import { shardOf } from '../actors/run/open-runs.ts';
import { buckets } from '../contract/bus/buckets.ts';
import { header } from '../contract/bus/headers.ts';
import { streams } from '../contract/bus/streams.ts';
import { subject } from '../contract/bus/subjects.ts';
import type { Program, ProgramStatement } from '../contract/program.ts';
import { programDocument } from '../mission/procedure/program-document.ts';
import type { Bus } from '../ports/bus.ts';

const HOUR_MS = 3_600_000;
const newRun = monotonicFactory();

/** One step for each list of statements. */
function programOf(config: string, steps: readonly (readonly ProgramStatement[])[]): Program {
  return {
    format: 1,
    config,
    procedure: 'benchmark',
    library: 'benchmark@1.0.0',
    environment: 'bench',
    targets: {},
    inputs: {},
    policy: { identity: 'declared', humanOrchestration: true, hazardousConfirmation: [] },
    leases: [],
    faults: [],
    sends: false,
    hazardous: false,
    maxDurationMs: HOUR_MS,
    steps: steps.map((statements, n) => ({
      kind: 'step',
      path: `s${n + 1}`,
      attempts: 1,
      delayMs: 0,
      statements,
    })),
  };
}

/** One step that logs so many lines. */
export function lines(config: string, count: number): Program {
  return programOf(config, [
    Array.from(
      { length: count },
      (_, n) => ({ kind: 'log', message: [`line ${n} of a procedure`] }) as const,
    ),
  ]);
}

/** Two steps of a line each: about the shortest procedure anybody writes. */
export function short(config: string): Program {
  const line = [{ kind: 'log', message: ['said'] } as const];
  return programOf(config, [line, line]);
}

/** Waits for as long as anybody looks. */
export function waiting(config: string): Program {
  return programOf(config, [[{ kind: 'wait', ms: HOUR_MS }]]);
}

/** Fails at once, and waits for a decision: a value that does not fit is refused before anything is sent. */
export function failing(config: string): Program {
  return programOf(config, [
    [
      {
        kind: 'send',
        target: 'sat1',
        link: 'uhf',
        environment: 'bench',
        component: 'obc',
        telecommand: 'set_watchdog',
        args: { period: { value: 5 } },
        changesState: true,
        hazardous: false,
        retry: 0,
      },
    ],
  ]);
}

/** Stores a program as a launch does; its name. */
export async function storeProgram(bus: Bus, program: Program): Promise<string> {
  const { ir, canonical } = programDocument(program);
  await bus.bucket(buckets.programs).put(ir, Buffer.from(canonical), 0);
  return ir;
}

/** Submits a run as a launch does. */
export async function submitRun(bus: Bus, run: string, ir: string, config: string): Promise<void> {
  await bus.append(streams.runSubmissions, subject.runSubmit, Buffer.from(JSON.stringify({ run, ir })), {
    id: run,
    headers: { [header.config]: config },
  });
}

/** The identifier of a run; of that shard, if one is named. */
export function runId(shard?: string): string {
  let run = newRun();
  while (shard !== undefined && shardOf(run) !== shard) run = newRun();
  return run;
}
