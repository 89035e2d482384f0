/**
 * How far a run has come, by its log alone: each event moves it on. The chart lives by it and a new owner restores it
 * by the same function. Mission Control Service, section 3.2. What is under way inside a statement is not part of it: a
 * new owner begins the step again or asks.
 *
 * P1. `evolve` is the only way to get on: what is not in the log did not happen.
 * P2. Any beginning of a log is a place to go on from: every consequence of an event is derived from the progress
 *     behind it (`next.ts`), so it does not matter how many of them were written before a crash.
 * P4. What a new owner needs of the log is in it, and bounded: a log is read from its beginning or from any place on.
 * P3. A decision that was given holds until its step has ended or a suspension has put another in its place.
 */

import type { Program } from '../../contract/program.ts';
import type { RunEvent } from '../../contract/run-event.ts';
import { faultsBehind, type LoggedFault } from './fault-log.ts';
import { passNoteBehind } from './pass-note.ts';
import {
  blockBehind,
  type Frame,
  following,
  innermost,
  leafAt,
  listAt,
  pathAt,
  placeKey,
  retryDepth,
} from './place.ts';
import type { Course, Standing } from './standing.ts';
import { standingAfterTakeover } from './takeover.ts';

export interface Progress {
  /** Number of the last event. */
  readonly seq: number;
  readonly standing: Standing;
  readonly course: Course;
  /** Of the root procedure. */
  readonly procedure: 'before' | 'inside' | 'behind';
  /** Open nodes, outermost first. */
  readonly frames: readonly Frame[];
  /** Place of the last node that ended in the innermost open list; -1: none. */
  readonly after: number;
  /** The next node is begun again, not before `dueAt`. */
  readonly again: { readonly index: number; readonly attempt: number; readonly dueAt: number } | null;
  /** Why the run will end failed. */
  readonly failure: string | null;
  /** Telecommands sent by place of their step, in the order of its sendings: the last of each (`retry_of`). */
  readonly sent: Readonly<Record<string, readonly string[]>>;
  /** Sendings of the present attempt of the open step; one repeated counts once. */
  readonly sendings: number;
  /** The telecommand announced last, until its end is logged: one at most is under way in a run. */
  readonly announced: Announcement | null;
  /** One for each fault of the program, once its log has begun. */
  readonly faults: readonly LoggedFault[];
  /** What it says last of the pass of its plan. */
  readonly passNote: string | null;
}

/** A telecommand as the log announces it. */
type Announcement = Pick<SentEvent, 'tc' | 'path' | 'target' | 'telecommand'>;

type SentEvent = Extract<RunEvent, { event: 'telecommand_sent' }>;

export const BEFORE: Progress = {
  seq: 0,
  standing: { kind: 'going' },
  course: { kind: 'forward' },
  procedure: 'before',
  frames: [],
  after: -1,
  again: null,
  failure: null,
  sent: {},
  sendings: 0,
  announced: null,
  faults: [],
  passNote: null,
};

type Closing = Extract<RunEvent, { event: 'step_finished' | 'procedure_finished' }>;

/** The progress behind an event of the log. */
export function evolve(program: Program, before: Progress, event: RunEvent): Progress {
  const isRoot = event.event === 'procedure_started' && before.procedure === 'before';
  return settled(program, {
    ...moved(program, before, event),
    seq: event.seq,
    announced: announcedBehind(before.announced, event),
    faults: faultsBehind(program, before.faults, event, isRoot),
    passNote: passNoteBehind(program, before.passNote, event),
  });
}

function moved(program: Program, p: Progress, event: RunEvent): Progress {
  switch (event.event) {
    case 'procedure_started':
      return p.procedure === 'before' ? { ...p, procedure: 'inside' } : opened(program, p, 1);
    case 'step_started':
      return opened(program, p, event.attempt);
    case 'procedure_finished':
      return p.frames.length === 0 ? { ...p, procedure: 'behind' } : closed(program, p, event);
    case 'step_finished':
      return closed(program, p, event);
    case 'telecommand_sent':
      return sent(p, event);
    case 'decision_required':
      return { ...p, standing: { kind: 'deciding', reason: event.reason, question: event.seq } };
    case 'answered':
      return answered(program, p, event);
    case 'suspended':
      return { ...p, standing: suspendedBy(p.standing, event) };
    case 'continued':
      return continued(program, p, event);
    case 'taken_over':
      return takenOver(program, p, event.by);
    case 'finished':
      return { ...p, standing: { kind: 'over' } };
    default:
      return p;
  }
}

// Nodes ---------------------------------------------------------------------------------------------------------------

function opened(program: Program, p: Progress, attempt: number): Progress {
  const index = p.again?.index ?? following(listAt(program, p.frames), p.after)?.index ?? p.after + 1;
  const frames = [...p.frames, { index, attempt, changed: false }];
  const { standing } = p;
  // A node that was about to begin when the run stopped is simply begun by `replay`.
  const begun =
    standing.kind === 'verdict' && standing.choice === 'replay' && standing.depth === frames.length;
  return {
    ...p,
    frames,
    after: -1,
    again: null,
    sendings: 0,
    standing: begun ? { kind: 'going' } : standing,
  };
}

function closed(program: Program, p: Progress, event: Closing): Progress {
  const frame = p.frames.at(-1);
  if (frame === undefined) return p;
  const out = {
    ...p,
    frames: p.frames.slice(0, -1),
    after: frame.index,
    ...consequence(program, p, frame, event),
  };
  // What ended for good at the top is never sent again.
  return out.frames.length === 0 && out.again === null ? { ...out, sent: {} } : out;
}

function consequence(program: Program, p: Progress, frame: Frame, event: Closing): Partial<Progress> {
  const { standing } = p;
  if (standing.kind === 'verdict' && standing.depth === p.frames.length)
    return { standing: { kind: 'going' }, ...byVerdict(standing, frame, event.at, program, p) };
  return event.ok ? {} : byItself(program, p, frame, event);
}

/** What follows a node that a person, or a takeover, has ended. */
function byVerdict(
  { choice, reason }: Extract<Standing, { kind: 'verdict' }>,
  frame: Frame,
  at: string,
  program: Program,
  { frames }: Progress,
): Partial<Progress> {
  if (choice === 'skip') return {};
  if (choice === 'replay') return { again: anew(frame, Date.parse(at)) };
  return { course: { kind: 'failing' }, failure: `step ${pathAt(program, frames)} failed: ${reason}` };
}

/** What follows a node that failed and was asked nothing: it, or one around it, is begun again; or everything ends. */
function byItself(
  program: Program,
  { course, frames }: Progress,
  frame: Frame,
  event: Closing,
): Partial<Progress> {
  if (course.kind === 'failing' || course.kind === 'closing') return {};
  const retry = course.kind === 'retry' ? course : retryOf(program, frames, event);
  if (retry.depth < frames.length) return { course: retry };
  const node = innermost(program, frames);
  const delayMs = node?.kind === 'step' ? node.delayMs : 0;
  return { course: { kind: 'forward' }, again: anew(frame, Date.parse(event.at) + delayMs) };
}

function retryOf(
  program: Program,
  frames: readonly Frame[],
  event: Closing,
): Extract<Course, { kind: 'retry' }> {
  const reason = 'reason' in event ? (event.reason ?? '') : '';
  return { kind: 'retry', depth: retryDepth(program, frames) ?? frames.length, reason };
}

function anew({ index, attempt }: Frame, dueAt: number): Progress['again'] {
  return { index, attempt: attempt + 1, dueAt };
}

/** Ways into and out of `if failed` blocks, which the log does not tell. */
function settled(program: Program, p: Progress): Progress {
  if (p.procedure !== 'inside') return p;
  const list = listAt(program, p.frames);
  if (p.course.kind === 'failing') {
    const block = blockBehind(list, p.after);
    if (block !== undefined) {
      const frames = [...p.frames, { index: block, attempt: 1, changed: false }];
      return settled(program, { ...p, frames, after: -1, course: { kind: 'forward' } });
    }
  }
  const frame = p.frames.at(-1);
  if (frame === undefined || innermost(program, p.frames)?.kind !== 'if_failed') return p;
  const isDone = p.course.kind === 'forward' && p.again === null && following(list, p.after) === undefined;
  if (p.course.kind === 'forward' && !isDone) return p;
  const course: Course = isDone ? { kind: 'closing' } : p.course;
  return settled(program, { ...p, frames: p.frames.slice(0, -1), after: frame.index, course });
}

// Telecommands --------------------------------------------------------------------------------------------------------

function announcedBehind(before: Progress['announced'], event: RunEvent): Progress['announced'] {
  if (event.event === 'telecommand_finished') return event.tc === before?.tc ? null : before;
  if (event.event !== 'telecommand_sent') return before;
  const { tc, path, target, telecommand } = event;
  return { tc, path, target, telecommand };
}

function sent(p: Progress, event: SentEvent): Progress {
  const frames = event.changes_state ? p.frames.map((frame) => ({ ...frame, changed: true })) : p.frames;
  const key = placeKey(p.frames);
  const all = p.sent[key] ?? [];
  const last = all[p.sendings - 1];
  const isRepeated = p.sendings > 0 && event.retry_of !== undefined && event.retry_of === last;
  const place = isRepeated ? p.sendings - 1 : p.sendings;
  const ids = [...all.slice(0, place), event.tc, ...all.slice(place + 1)];
  return { ...p, frames, sent: { ...p.sent, [key]: ids }, sendings: place + 1 };
}

/** The telecommand that the next sending repeats; `isAgain` when it is of the same statement and attempt. */
export function repeats(p: Progress, isAgain: boolean): string | undefined {
  return p.sent[placeKey(p.frames)]?.[isAgain ? p.sendings - 1 : p.sendings];
}

/** Whether a telecommand that changes the state left in the open step since its attempt began. */
export function hasChanged(p: Progress): boolean {
  return p.frames.at(-1)?.changed ?? false;
}

// People --------------------------------------------------------------------------------------------------------------

function answered(program: Program, p: Progress, event: Extract<RunEvent, { event: 'answered' }>): Progress {
  const { accepted, value, by = 'nobody' } = event;
  if (p.standing.kind !== 'deciding')
    return accepted ? p : { ...p, standing: { kind: 'doubt', reason: `${by} answered no` } };
  if (!accepted) return ending(p, `${by} answered no to the decision on ${event.path}`);
  return decided(program, p, { choice: value, by, reason: p.standing.reason });
}

function continued(
  program: Program,
  p: Progress,
  event: Extract<RunEvent, { event: 'continued' }>,
): Progress {
  const { choice, by } = event;
  const deciding = openQuestion(p.standing);
  if (choice === 'replay' && deciding !== null)
    return { ...p, standing: { kind: 'doubt', reason: deciding } };
  const reason = choice === 'replay' ? `begun again by ${by}` : `counted as failed by ${by}`;
  return decided(program, p, { choice, by, reason: deciding ?? reason });
}

/** `reason`: why it ends, or failed, for the choices that end it. */
function decided(
  program: Program,
  p: Progress,
  { choice, by, reason }: { choice: unknown; by: string; reason: string },
): Progress {
  const leaf = leafAt(program, p.frames);
  const depth = leaf === undefined ? p.frames.length + 1 : p.frames.length;
  const again = p.again === null ? null : { ...p.again, dueAt: 0 };
  switch (choice) {
    case 'replay':
    case 'fail':
      return { ...p, again, standing: { kind: 'verdict', choice, depth, reason } };
    case 'skip':
      return { ...p, again, standing: { kind: 'verdict', choice, depth, reason: `skipped by ${by}` } };
    case 'abort':
      return ending(p, `aborted by ${by}`);
    default:
      return ending(p, `${by} decided ${JSON.stringify(choice ?? null)}, which is no choice`);
  }
}

function ending(p: Progress, reason: string): Progress {
  return { ...p, standing: { kind: 'ending', reason } };
}

function suspendedBy(standing: Standing, { seq, by }: Extract<RunEvent, { event: 'suspended' }>): Standing {
  return { kind: 'suspended', deciding: openQuestion(standing), since: seq, by };
}

function openQuestion(standing: Standing): string | null {
  if (standing.kind === 'suspended') return standing.deciding;
  return standing.kind === 'deciding' || standing.kind === 'doubt' ? standing.reason : null;
}

/** How far a step in progress came is not known: it is begun again, unless it changed the state (MC-STM-005, 028). */
function takenOver(program: Program, p: Progress, by: string): Progress {
  if (p.standing.kind !== 'going' || leafAt(program, p.frames) === undefined) return p;
  return { ...p, standing: standingAfterTakeover(by, { depth: p.frames.length, hasChanged: hasChanged(p) }) };
}
