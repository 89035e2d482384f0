/**
 * The log of a run as the inspector shows it: the words of `contract/run-words.ts`, what an event links to and which
 * samples it rests on; and the commands that answer what a run waits for. Pure.
 */

import type { EntityName } from '../../contract/inspection.ts';
import type { RunEvent, RunSample } from '../../contract/run-event.ts';
import { wantedWords } from '../../contract/run-question.ts';
import {
  answerCommand,
  MEANING_OF,
  type RunTone,
  type RunWords,
  runWords,
  type UnitOf,
} from '../../contract/run-words.ts';
import { shownValue } from '../../contract/shown-value.ts';
import { duration } from '../moment.ts';
import type { Pending } from './run-picture.ts';

/** Classes of the style sheet. */
const TONES = {
  good: 'ok',
  bad: 'bad',
  asks: 'warn',
  begins: 'accent',
  quiet: 'muted',
  plain: '',
} as const satisfies Record<RunTone, string>;

export interface EventWords {
  /** One word or two: what kind of event. */
  readonly what: string;
  readonly tone: (typeof TONES)[RunTone];
  readonly text: string;
  /** Path of the step; absent for what is of the whole run. */
  readonly path: string | undefined;
  readonly link: EntityName | undefined;
  readonly samples: readonly RunSample[] | undefined;
}

/** The service a command goes to unless it names another one. */
const USUAL_ORIGIN = 'http://127.0.0.1:8400';

/** The event as people read it. */
export function wordsFor(event: RunEvent, unitOf?: UnitOf): EventWords {
  const said = runWords(event, unitOf);
  const { what, samples } = said;
  return {
    what,
    tone: TONES[said.tone],
    text: textOf(event, said),
    path: 'path' in event ? event.path : undefined,
    link: linkOf(event),
    samples,
  };
}

function textOf(event: RunEvent, said: RunWords): string {
  const { text, notes = [], inputs = '' } = said;
  const head = [text === '' ? bareText(said) : text, ...notes].join(', ');
  const reason = said.verdict?.reason;
  const why = reason === undefined ? '' : `: ${reason}`;
  const given = inputs === '' ? '' : `; ${inputs}`;
  return `${head}${why}${given}${chainOf(event)}`;
}

function bareText({ verdict }: RunWords): string {
  if (verdict === undefined) return 'begins';
  return verdict.ok ? 'passed' : 'failed';
}

function linkOf(event: RunEvent): EntityName | undefined {
  if (event.event !== 'telecommand_sent') return undefined;
  return { kind: 'telecommand', id: `${event.target}.${event.tc}` };
}

/** What passed between the first link of the chain and each further one. */
function chainOf(event: RunEvent): string {
  if (event.event !== 'telecommand_finished' || event.acks.length < 2) return '';
  const [first, ...further] = event.acks;
  const begin = Date.parse(first!.at);
  const after = further.map(({ state, at }) => `${state} after ${duration(Date.parse(at) - begin)}`);
  return ` (${after.join(', ')})`;
}

/** `obc.temperature of sat1 = 21.5`, one per sample. */
export function sampleText({ target, component, instance, measure, value }: RunSample): string {
  const of = instance === undefined ? component : `${component}[${instance}]`;
  return `${target} ${of}.${measure} = ${value === null ? 'no value' : shownValue(value)}`;
}

export interface Command {
  readonly text: string;
  /** What it does. */
  readonly means: string;
}

/** The commands that answer a question or decide about a step, this one and no later one. */
export function answerCommands(run: string, { kind, question, answer }: Pending, origin: string): Command[] {
  const command = (word: string, means: string): Command => ({
    text: `${answerCommand(run, word, question)}${serviceOption(origin)}`,
    means,
  });
  const no = command('no', 'no: the step fails');
  if (kind === 'ask' && answer !== undefined) return [command('VALUE', `VALUE: ${wantedWords(answer)}`), no];
  if (kind === 'ask') return [command('yes', 'yes'), no];
  return Object.entries(MEANING_OF).map(([choice, means]) => command(choice, means));
}

/** The commands that let a suspended run go on. */
export function resumeCommands(run: string, origin: string): Command[] {
  return Object.entries(MEANING_OF).map(([choice, means]) => ({
    text: `mcs run resume ${run} --choice ${choice}${serviceOption(origin)}`,
    means,
  }));
}

function serviceOption(origin: string): string {
  return origin === USUAL_ORIGIN ? '' : ` --api ${origin}`;
}
