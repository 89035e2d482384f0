/**
 * What the chart of a run receives and what it asks for: its input, events, effects and records. The chart (`run.ts`)
 * moves by these alone; `actors/run/` carries the effects out. Mission Control Service, section 3.2.
 *
 * P1. Every effect with a reply is answered by exactly one event carrying its `ticket`; a reply whose ticket is no
 *     longer awaited (the instruction was interrupted) is skipped.
 * P2. A record is one log event, numbered by the chart from 1 without a gap; effects emitted in the same macrostep run
 *     once it is stored.
 * P3. What was asked for by a run and is under way when it is interrupted (a telecommand) goes on by itself; it leaves
 *     only while the run holds its target.
 */

import type {
  AskStatement,
  ConditionStatement,
  ConfigureStatement,
  Program,
  ProgramFault,
  ProgramStatement,
  SendStatement,
  TextPart,
} from '../../contract/program.ts';
import type { Ack, RunEvent as LogEvent, RunSample, RunValue } from '../../contract/run-event.ts';

export interface RunInput {
  readonly run: string;
  readonly ir: string;
  readonly program: Program;
  /** Requester; absent for an anonymous launch. */
  readonly by?: string;
  /** Time of take-up. */
  readonly at: number;
  /** Who asked for a suspension before the chart lived (`OpenRun.suspendBy`). */
  readonly suspendBy?: string;
}

/** Where a run stood for its log: what a new owner begins with (`foldRun`). */
export interface FoldedRun {
  readonly input: RunInput;
  readonly events: readonly LogEvent[];
}

/** One record of the log. */
export interface RunRecord {
  readonly type: 'record';
  readonly event: LogEvent;
  /** Position in the stream of answers of the approval that caused it. */
  readonly source?: number;
}

/** What people ask, with the key under which `effect.reply` answers them. */
export type RunCommand =
  | { type: 'command.suspend'; at: number; by: string; request: string }
  /** By a reaction: the instruction is interrupted at once (MC-STM-015). */
  | { type: 'command.preempt'; at: number; by: string; request: string }
  /** `seen`: number of the last event that the log had; a later suspension is not meant. Absent: whichever stands. */
  | { type: 'command.resume'; at: number; by: string; choice: string; request: string; seen?: number }
  | { type: 'command.abort'; at: number; by: string; request: string };

/** An approval as it came over the bus, its token checked by the actor. */
export interface AnswerGiven {
  type: 'answer';
  at: number;
  path: string;
  accepted: boolean;
  value?: RunValue;
  by?: string;
  roles: readonly string[];
  /** Whether a token was verified and its subject is `by`. */
  verified: boolean;
  /** Why the identity does not hold (`token expired`); the chart refuses it where the environment asks for a token. */
  identityFault?: string;
  /** Position in the stream of answers. */
  source: number;
  /** Number of the event that asked what it answers, where it says so. */
  question?: number;
  /** Number of the last event that the log had when it was given: what was asked later it does not answer. */
  seen: number;
}

/** How the pass of its plan stands, in words; `isStored`: it is among the passes. */
export interface PassSeen {
  type: 'pass.seen';
  at: number;
  text: string;
  isStored: boolean;
}

export type RunChartEvent =
  | RunCommand
  | AnswerGiven
  | { type: 'prepared'; at: number; ticket: number }
  /** `takenBy`: a reaction took a target from it, and it is suspended by that. */
  | { type: 'not-prepared'; at: number; ticket: number; reason: string; takenBy?: string }
  /** `mayLeave`: telecommands that no gateway has confirmed to hold back, as people read it. */
  | {
      type: 'released';
      at: number;
      ticket: number;
      mayLeave?: readonly string[];
      uploads?: readonly string[];
    }
  /** Files that the run uploads and that are not done with, as people read it. */
  | { type: 'uploads.seen'; at: number; ticket: number; uploads: readonly string[] }
  /** A telecommand reached a final state, or could not be submitted (`REJECTED` with the reason, no acks). */
  | {
      type: 'telecommand.ended';
      at: number;
      ticket: number;
      tc: string;
      state: string;
      detail?: string;
      acks: readonly Ack[];
    }
  | {
      type: 'judged';
      at: number;
      ticket: number;
      ok: boolean;
      reason?: string;
      samples: readonly RunSample[];
    }
  | { type: 'written'; at: number; ticket: number; text: string; samples: readonly RunSample[] }
  /** A typed answer read: its value in the unit of the answer, or why it is none. */
  | { type: 'answer.read'; at: number; ticket: number; value: RunValue }
  | { type: 'answer.unreadable'; at: number; ticket: number; reason: string }
  /** A mode was written, a transfer created; or not, with the reason. */
  | { type: 'done'; at: number; ticket: number }
  | { type: 'failed'; at: number; ticket: number; reason: string }
  /** A wait is over, a question timed out (armed with `effect.wake`). */
  | { type: 'woken'; at: number; ticket: number }
  /** A fault was switched, or the simulator refused to (MC-SIM-007); see `SwitchEnd`. */
  | { type: 'fault.switched'; at: number; fault: number; on: boolean; staysOn?: true }
  | { type: 'fault.refused'; at: number; fault: number; on: boolean; reason: string; mayBeDone?: true }
  | PassSeen
  /** The new owner is there: `by` is its instance. */
  | { type: 'recovered'; at: number; by: string; uploads?: readonly string[] };

export type RunEffect =
  /**
   * Check that every target is ready, then take its lease (or find it held by this very run). At its start a reaction
   * waits for the reaction of another alarm from `since` on; `again`: a new owner makes sure of targets it had.
   */
  | { type: 'effect.prepare'; ticket: number; since?: number; again?: true }
  /**
   * Give every lease back, once nothing can leave any more; `soon`: a reaction waits for it; `uploads`: then say what
   * became of the files that are uploaded.
   */
  | { type: 'effect.release'; ticket: number; soon?: true; uploads?: true }
  /** Before the end: what became of the files that are uploaded. */
  | { type: 'effect.uploads'; ticket: number }
  /** Submit the telecommand under this identifier and follow it to its final state. */
  | {
      type: 'effect.send';
      ticket: number;
      tc: string;
      path: string;
      statement: SendStatement;
      answers: Answers;
    }
  | {
      type: 'effect.judge';
      ticket: number;
      path: string;
      statement: ConditionStatement | ReadbackJudgement;
      /** When the statement began, ms since 1970: an `expect` needs a sample after it. */
      since: number;
      answers: Answers;
    }
  /** Write a text out, with the samples it shows. */
  | { type: 'effect.write'; ticket: number; parts: readonly TextPart[]; answers: Answers }
  | { type: 'effect.read-answer'; ticket: number; statement: AskStatement; value: RunValue | undefined }
  /** Make this the mode of the target. */
  | { type: 'effect.set-mode'; ticket: number; target: string; mode: string }
  | {
      type: 'effect.transfer';
      ticket: number;
      path: string;
      statement: Extract<ProgramStatement, { kind: 'download' | 'upload' }>;
      answers: Answers;
    }
  /** Answer `woken` at `at`, ms since 1970. */
  | { type: 'effect.wake'; ticket: number; at: number }
  /** Stay awake until a person answers: never replied to. */
  | { type: 'effect.await'; ticket: number }
  /** Switch a fault at `at`, ms since 1970; `index` is its place in the program. */
  | { type: 'effect.fault'; index: number; fault: ProgramFault; on: boolean; at: number }
  | { type: 'effect.reply'; request: string; outcome: 'accepted' | 'over' }
  | { type: 'effect.reply'; request: string; outcome: 'refused'; reason: string }
  /** The run is over: archive its report, and forget it. */
  | { type: 'effect.archive' }
  /** Pending in a restored run only: its new owner answers `recovered`, once what is announced is withdrawn. */
  | { type: 'effect.recover'; announced?: Announced };

/** A telecommand of the log whose end is not in it: whether it was submitted nobody knows. */
export interface Announced {
  readonly tc: string;
  readonly path: string;
  readonly statement: SendStatement;
}

/** Readbacks of a configure, judged like an `expect`. */
export interface ReadbackJudgement {
  readonly kind: 'readbacks';
  readonly target: string;
  readonly readbacks: ConfigureStatement['readbacks'];
  readonly withinMs: number;
}

/** Answers given so far in the step, by name. */
export type Answers = Readonly<Record<string, RunValue>>;
