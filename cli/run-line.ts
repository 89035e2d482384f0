/**
 * The log of a run as a terminal shows it: a line per event in the words of `contract/run-words.ts`, indented by its
 * step, questions with how they are answered. Pure.
 *
 * L1. What comes from documents, operators and spacecraft is text to show: no control character of it reaches the
 *     terminal.
 * L2. A line is never cut: reasons and questions are what is read here.
 */

import { CHOICES, type PendingQuestion, type RunSummary } from '../contract/run.ts';
import type { RunEvent } from '../contract/run-event.ts';
import { answerPlace, wantedWords } from '../contract/run-question.ts';
import { answerCommand, type RunTone, type RunWords, runWords } from '../contract/run-words.ts';
import { printable } from './printable.ts';

/** What colours mean, for a terminal that has them; the rest has none. */
const CODES: Partial<Readonly<Record<RunTone, string>>> = { good: '32', bad: '31', asks: '33' };
const ESCAPE = '\u001b';

export interface RunLook {
  readonly colour: boolean;
  /** How far the run is, `3/30`, in front of the steps; empty: not known. */
  readonly progress: string;
  /** The procedure of the run: its own beginning and end are not reported twice. */
  readonly procedure: string;
}

interface LineParts {
  readonly tone: RunTone;
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
  { kind, question, answer }: Pick<PendingQuestion, 'kind' | 'question' | 'answer'>,
): string {
  if (kind === 'decision') return `decide: ${answerCommand(run, CHOICES.join('|'), question)}`;
  const command = answerCommand(
    run,
    answerPlace({ kind, ...(answer !== undefined && { answer }) }),
    question,
  );
  return answer === undefined
    ? `answer: ${command}, or the value asked for`
    : `answer: ${command}, VALUE: ${wantedWords(answer)}`;
}

/** One word for where a run stands. */
export function stateOf({ started_at, suspended, pending, finished }: Partial<RunSummary>): string {
  if (finished !== undefined) return finished ? 'passed' : 'FAILED';
  if (suspended === true) return 'suspended';
  if (pending !== undefined) return pending.kind === 'ask' ? 'asks' : 'decision';
  return started_at === undefined ? 'submitted' : 'running';
}

function partsOf(event: RunEvent, { procedure }: RunLook): LineParts | undefined {
  const said = runWords(event);
  const { what, tone, text, inputs = '', notes = [] } = said;
  const line = (parts: string): LineParts => ({ tone, text: [parts, ...notes].join(', ') });
  switch (event.event) {
    case 'started':
      return inputs === '' ? line(text) : { tone, text, more: [`inputs ${inputs}`] };
    case 'procedure_started':
    case 'procedure_finished':
      return event.path === procedure ? undefined : line(`call ${event.path}${verdictOf(said)}`);
    case 'step_started':
    case 'step_finished':
      return line(`${what} ${event.path}${verdictOf(said)}`);
    case 'telecommand_sent':
      return line(`${what} ${text}  ${event.tc}`);
    case 'telecommand_finished':
    case 'answered':
    case 'answer_refused':
      return line(text);
    case 'logged':
      return line(`"${text}"`);
    case 'mode_changed':
      return line(`${what} of ${text}`);
    case 'asked':
      return question(
        `? ${[text, ...notes].join(', ')}`,
        answerHelp(event.run, {
          kind: 'ask',
          question: event.seq,
          ...(event.answer !== undefined && { answer: event.answer }),
        }),
      );
    case 'decision_required':
      return question(
        `? step ${event.path} failed: ${text}`,
        answerHelp(event.run, { kind: 'decision', question: event.seq }),
      );
    case 'suspended':
      return question(
        `${what} ${text}`,
        `resume: mcs run resume ${event.run} [--choice ${CHOICES.join('|')}]`,
      );
    case 'finished':
      return line(event.ok ? 'passed' : `run${verdictOf(said)}`);
    default:
      return line(`${what} ${text}${verdictOf(said)}`);
  }
}

export function verdictOf({ verdict }: RunWords): string {
  if (verdict === undefined) return '';
  const { ok, reason } = verdict;
  if (ok) return ' ok';
  return ` FAILED${reason === undefined ? '' : `: ${reason}`}`;
}

function question(text: string, help: string): LineParts {
  return { tone: 'asks', text, more: [help] };
}

/** What a step does stands under it. */
function depthOf(event: RunEvent): number {
  if (!('path' in event)) return 0;
  const depth = event.path.split('/').length;
  const heads = ['step_started', 'step_finished', 'procedure_started', 'procedure_finished'];
  return heads.includes(event.event) ? depth - 1 : depth;
}

/** L1. */
function dressed(tone: RunTone, line: string, { colour }: RunLook): string {
  const clean = printable(line);
  const code = CODES[tone];
  return colour && code !== undefined ? `${ESCAPE}[${code}m${clean}${ESCAPE}[0m` : clean;
}
