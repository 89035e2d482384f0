/**
 * The log of a run as people read it: a line per event, indented by its step, questions with how they are answered.
 * Pure.
 *
 * L1. What comes from documents, operators and spacecraft is text to show: no control character of it reaches the
 *     terminal.
 * L2. A line is never cut: reasons and questions are what is read here.
 */

import { CHOICES, type PendingQuestion, type RunEvent, type RunSummary } from '../contract/run.ts';
import { isGoodTcEnd } from '../contract/telecommand-state.ts';

/** What colours mean, for a terminal that has them. */
type Tone = 'good' | 'bad' | 'asks' | 'dim' | 'plain';

const CODES: Readonly<Record<Tone, string>> = { good: '32', bad: '31', asks: '33', dim: '2', plain: '0' };
const ESCAPE = '\u001b';

export interface RunLook {
  readonly colour: boolean;
  /** How far the run is, `3/30`, in front of the steps; empty: not known. */
  readonly progress: string;
  /** The procedure of the run: its own beginning and end are not reported twice. */
  readonly procedure: string;
}

interface LineParts {
  readonly tone: Tone;
  readonly text: string;
  /** Lines under it. */
  readonly more?: readonly string[];
}

/** The lines of an event, without their ends; none for one that another event reports already. */
export function runLines(event: RunEvent, look: RunLook): string[] {
  const reported = partsOf(event, look);
  if (reported === undefined) return [];
  const { tone, text, more = [] } = reported;
  const lead = `${event.at.slice(11, 23)}  ${look.progress.padStart(5)}  `;
  const indent = '  '.repeat(depthOf(event));
  const under = more.map((line) => `${' '.repeat(lead.length)}${indent}  ${line}`);
  return [`${lead}${indent}${text}`, ...under].map((line) => dressed(tone, line, look));
}

/** How the question is answered, as a command. */
export function answerHelp(
  run: string,
  { kind, question }: Pick<PendingQuestion, 'kind' | 'question'>,
): string {
  const bound = question === undefined ? '' : ` --question ${question}`;
  return kind === 'decision'
    ? `decide: mcs run answer ${run} ${CHOICES.join('|')}${bound}`
    : `answer: mcs run answer ${run} yes|no${bound}, or the value asked for`;
}

/** One word for where a run stands. */
export function stateOf({ started_at, suspended, pending, finished }: Partial<RunSummary>): string {
  if (finished !== undefined) return finished ? 'passed' : 'FAILED';
  if (suspended === true) return 'suspended';
  if (pending !== undefined) return pending.kind === 'ask' ? 'asks' : 'decision';
  return started_at === undefined ? 'submitted' : 'running';
}

function partsOf(event: RunEvent, { procedure }: RunLook): LineParts | undefined {
  switch (event.event) {
    case 'started':
      return beginning(event);
    case 'procedure_started':
      return event.path === procedure ? undefined : plain(`call ${event.path}`);
    case 'procedure_finished':
      return event.path === procedure ? undefined : outcome(`call ${event.path}`, event.ok);
    case 'step_started':
      return plain(`step ${event.path}${event.attempt > 1 ? `, attempt ${event.attempt}` : ''}`);
    case 'step_finished':
      return outcome(`step ${event.path}`, event.ok, event.reason);
    case 'telecommand_sent':
    case 'telecommand_finished':
      return telecommand(event);
    case 'checked':
      return outcome(`${event.statement.replace('_', ' ')} ${event.condition}`, event.ok, event.reason);
    case 'logged':
      return plain(`"${event.message}"`);
    case 'mode_changed':
      return plain(`mode of ${event.target} is ${event.mode}`);
    case 'finished':
      return event.ok ? { tone: 'good', text: 'passed' } : outcome('run', false, event.reason);
    default:
      return conversation(event);
  }
}

type Conversation = Extract<
  RunEvent,
  {
    event:
      | 'asked'
      | 'answered'
      | 'answer_refused'
      | 'decision_required'
      | 'suspended'
      | 'continued'
      | 'taken_over';
  }
>;

/** What the run and people say to each other. */
function conversation(event: Conversation): LineParts {
  const { run } = event;
  switch (event.event) {
    case 'asked': {
      const whom = event.role === undefined ? '' : ` (role ${event.role})`;
      return question(`? ${event.prompt}${whom}`, answerHelp(run, { kind: 'ask', question: event.seq }));
    }
    case 'decision_required':
      return question(
        `? step ${event.path} failed: ${event.reason}`,
        answerHelp(run, { kind: 'decision', question: event.seq }),
      );
    case 'answered': {
      const value = event.value === undefined ? '' : `: ${event.value}`;
      return plain(`${event.accepted ? 'yes' : 'no'}${value}, ${event.by ?? 'acknowledged automatically'}`);
    }
    case 'answer_refused':
      return { tone: 'bad', text: `answer of ${event.by ?? 'nobody'} not taken: ${event.reason}` };
    case 'suspended':
      return question(
        `suspended by ${event.by}`,
        `resume: mcs run resume ${run} [--choice ${CHOICES.join('|')}]`,
      );
    case 'continued':
      return plain(`resumed by ${event.by}: ${event.choice}`);
    case 'taken_over':
      return { tone: 'asks', text: `taken over by ${event.by}` };
  }
}

function beginning({
  procedure,
  library,
  environment,
  targets,
  by,
  inputs,
}: RunEvent & { event: 'started' }): LineParts {
  const who = by === undefined ? '' : `, by ${by}`;
  const given = pairs(inputs);
  return {
    tone: 'plain',
    text: `${procedure} of ${library} in ${environment}, ${pairs(targets)}${who}`,
    ...(given !== '' && { more: [`inputs ${given}`] }),
  };
}

function pairs(values: Readonly<Record<string, unknown>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}=${value === null ? 'none' : String(value)}`)
    .join(' ');
}

function telecommand(event: RunEvent & { event: 'telecommand_sent' | 'telecommand_finished' }): LineParts {
  if (event.event === 'telecommand_sent') {
    const again = event.retry_of === undefined ? '' : `, retry of ${event.retry_of}`;
    return plain(`send ${event.target} ${event.telecommand}  ${event.tc}${again}`);
  }
  const ok = isGoodTcEnd(event.state);
  const why = event.detail === undefined ? '' : `: ${event.detail}`;
  return { tone: ok ? 'good' : 'bad', text: `${event.state}${why}` };
}

function outcome(what: string, ok: boolean, reason?: string): LineParts {
  if (ok) return { tone: 'good', text: `${what} ok` };
  return { tone: 'bad', text: `${what} FAILED${reason === undefined ? '' : `: ${reason}`}` };
}

function question(text: string, help: string): LineParts {
  return { tone: 'asks', text, more: [help] };
}

function plain(text: string): LineParts {
  return { tone: 'plain', text };
}

/** What a step does stands under it. */
function depthOf(event: RunEvent): number {
  if (!('path' in event)) return 0;
  const depth = event.path.split('/').length;
  const heads = ['step_started', 'step_finished', 'procedure_started', 'procedure_finished'];
  return heads.includes(event.event) ? depth - 1 : depth;
}

/** L1. */
function dressed(tone: Tone, line: string, { colour }: RunLook): string {
  const clean = line.replace(/\p{Cc}/gu, '.');
  return colour && tone !== 'plain' ? `${ESCAPE}[${CODES[tone]}m${clean}${ESCAPE}[0m` : clean;
}
