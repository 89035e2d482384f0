/**
 * The log of a run in words: what each event says, once for the command line and for the inspector. How it is laid out,
 * coloured and linked is theirs. Pure, without a schema: pages load it.
 */

import type { Choice } from './run.ts';
import type { RunEvent, RunSample } from './run-event.ts';
import { wantedWords } from './run-question.ts';
import { isGoodTcEnd } from './telecommand-state.ts';

/** The unit of a value by its name; undefined where it has none, or none is known. */
export type UnitOf = (name: string) => string | undefined;

/** What a reader is to notice. */
export type RunTone = 'good' | 'bad' | 'asks' | 'begins' | 'quiet' | 'plain';

export interface RunWords {
  /** One word or two: what kind of event. */
  readonly what: string;
  readonly tone: RunTone;
  /** What it says; empty where its kind, its path and its verdict say it all. */
  readonly text: string;
  /** What else is to be said of it. */
  readonly notes?: readonly string[];
  /** Inputs with their values; empty: none. */
  readonly inputs?: string;
  /** Of an event that passes or fails. */
  readonly verdict?: { readonly ok: boolean; readonly reason?: string | undefined };
  readonly samples?: readonly RunSample[];
}

type Of<Kind extends RunEvent['event']> = Extract<RunEvent, { event: Kind }>;

const SENTENCES: { readonly [Kind in RunEvent['event']]: (event: Of<Kind>, unitOf?: UnitOf) => RunWords } = {
  started: (event, unitOf) => ({
    what: 'started',
    tone: 'begins',
    text: beginning(event),
    inputs: pairsText(event.inputs, unitOf),
  }),
  procedure_started: () => ({ what: 'procedure', tone: 'quiet', text: '' }),
  procedure_finished: ({ ok }) => judged('procedure', '', { ok }),
  step_started: ({ attempt, inputs }, unitOf) => ({
    what: 'step',
    tone: 'begins',
    text: '',
    notes: attempt > 1 ? [`attempt ${attempt}`] : [],
    inputs: pairsText(inputs, unitOf),
  }),
  step_finished: (event) => judged('step', '', event),
  telecommand_sent: ({ target, telecommand, changes_state, retry_of }) => ({
    what: 'send',
    tone: 'begins',
    text: `${target} ${telecommand}`,
    notes: [
      changes_state ? 'changes the state' : [],
      retry_of === undefined ? [] : `retry of ${retry_of}`,
    ].flat(),
  }),
  telecommand_finished: ({ state, detail }) => ({
    what: 'telecommand',
    tone: isGoodTcEnd(state) ? 'good' : 'bad',
    text: detail === undefined ? state : `${state}: ${detail}`,
  }),
  checked: (event) => ({
    ...judged(event.statement.replace('_', ' '), event.condition, event),
    samples: event.samples,
  }),
  logged: ({ message, samples }) => ({
    what: 'log',
    tone: message.startsWith('warning: ') ? 'asks' : 'plain',
    text: message,
    samples,
  }),
  mode_changed: ({ target, mode }) => ({ what: 'mode', tone: 'plain', text: `${target} is now ${mode}` }),
  asked: ({ prompt, role, answer, deadline }) => ({
    what: 'asks',
    tone: 'asks',
    text: `${prompt}${ofRole(role)}`,
    notes: [
      answer === undefined ? [] : wantedWords(answer),
      deadline === undefined ? [] : `until ${deadline.slice(11, 19)}Z`,
    ].flat(),
  }),
  answered: (event) => ({ what: 'answered', tone: event.accepted ? 'good' : 'bad', text: answer(event) }),
  answer_refused: ({ by, reason }) => ({
    what: 'refused',
    tone: 'bad',
    text: `answer of ${by ?? 'nobody'} not taken: ${reason}`,
  }),
  decision_required: ({ reason }) => ({ what: 'decision', tone: 'asks', text: reason }),
  suspended: ({ by }) => ({ what: 'suspended', tone: 'asks', text: `by ${by}` }),
  continued: ({ by, choice }) => ({ what: 'resumed', tone: 'begins', text: `by ${by}: ${choice}` }),
  taken_over: ({ by }) => ({ what: 'taken over', tone: 'asks', text: `by ${by}` }),
  finished: (event) => judged('finished', '', event),
};

/** `unitOf`: of the inputs of the procedure in which it happened. */
export function runWords(event: RunEvent, unitOf?: UnitOf): RunWords {
  return (SENTENCES[event.event] as (event: RunEvent, unitOf?: UnitOf) => RunWords)(event, unitOf);
}

/** What each decision means. */
export const MEANING_OF: Readonly<Record<Choice, string>> = {
  replay: 'the step once more',
  skip: 'it counts as passed',
  fail: 'it counts as failed: on to “if failed”',
  abort: 'the run ends here',
};

/** The command that answers a question, this one and no later one. */
export function answerCommand(run: string, word: string, question: number | undefined): string {
  return `mcs run answer ${run} ${word}${question === undefined ? '' : ` --question ${question}`}`;
}

function judged(what: string, text: string, { ok, reason }: NonNullable<RunWords['verdict']>): RunWords {
  return { what, tone: ok ? 'good' : 'bad', text, verdict: { ok, reason } };
}

function beginning({ procedure, library, environment, targets, by }: Of<'started'>): string {
  const who = by === undefined ? '' : `, by ${by}`;
  return `${procedure} of ${library} in ${environment}, ${pairsText(targets)}${who}`;
}

function answer({ accepted, value, by, role }: Of<'answered'>): string {
  const said = `${accepted ? 'yes' : 'no'}${value === undefined ? '' : `: ${value}`}`;
  return `${said}, ${by === undefined ? 'acknowledged automatically' : `by ${by}`}${ofRole(role)}`;
}

function ofRole(role: string | undefined): string {
  return role === undefined ? '' : ` (role ${role})`;
}

/** `sat=sat1 mode=SAFE`; with units `exposure=20 ms, mode=SAFE`. */
export function pairsText(values: Readonly<Record<string, unknown>>, unitOf?: UnitOf): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}=${valueText(value, unitOf?.(name))}`)
    .join(unitOf === undefined ? ' ' : ', ');
}

/** A text may have a unit of its own, and is left as it is. */
export function valueText(value: unknown, unit: string | undefined): string {
  if (value === null) return 'none';
  return typeof value === 'number' && unit !== undefined ? `${value} ${unit}` : String(value);
}
