/**
 * The log of a run in words: what an event says, in which tone, what it links to and which samples it rests on; and the
 * commands that answer what a run waits for. Pure.
 */

import type { EntityName } from '../../contract/inspection.ts';
import type { RunEvent, RunSample } from '../../contract/run.ts';
import { isGoodTcEnd } from '../../contract/telecommand-state.ts';
import { duration } from '../moment.ts';
import type { Pending } from './run-picture.ts';

type Tone = 'ok' | 'bad' | 'warn' | 'accent' | 'muted' | '';

export interface EventWords {
  /** One word or two: what kind of event. */
  readonly what: string;
  readonly tone: Tone;
  readonly text: string;
  /** Path of the step; absent for what is of the whole run. */
  readonly path?: string;
  readonly link?: EntityName;
  readonly samples?: readonly RunSample[];
}

/** The service a command goes to unless it names another one. */
const USUAL_ORIGIN = 'http://127.0.0.1:8400';

/** The event as people read it. */
export function wordsFor(event: RunEvent): EventWords {
  const at = 'path' in event ? { path: event.path } : {};
  return { ...at, ...wordsOf(event) };
}

function wordsOf(event: RunEvent): EventWords {
  switch (event.event) {
    case 'started':
      return { what: 'started', tone: 'accent', text: beginning(event) };
    case 'procedure_started':
      return { what: 'procedure', tone: 'muted', text: `${event.path} begins` };
    case 'procedure_finished':
      return outcome('procedure', event.ok, `${event.path} ended`);
    case 'step_started':
      return {
        what: 'step',
        tone: 'accent',
        text: `begins${attemptOf(event.attempt)}${inputsOf(event.inputs)}`,
      };
    case 'step_finished':
      return outcome('step', event.ok, event.ok ? 'passed' : 'failed', event.reason);
    case 'checked':
      return {
        ...outcome(event.statement.replace('_', ' '), event.ok, event.condition, event.reason),
        samples: event.samples,
      };
    case 'logged':
      return { what: 'log', tone: '', text: event.message, samples: event.samples };
    case 'mode_changed':
      return { what: 'mode', tone: '', text: `${event.target} is now ${event.mode}` };
    case 'finished':
      return outcome('finished', event.ok, event.ok ? 'passed' : 'failed', event.reason);
    default:
      return event.event === 'telecommand_sent' || event.event === 'telecommand_finished'
        ? telecommand(event)
        : conversation(event);
  }
}

type Telecommand = Extract<RunEvent, { event: 'telecommand_sent' | 'telecommand_finished' }>;

function telecommand(event: Telecommand): EventWords {
  if (event.event === 'telecommand_sent') {
    const { target, telecommand: name, changes_state, retry_of, tc } = event;
    const effect = changes_state ? ', changes the state' : '';
    const again = retry_of === undefined ? '' : `, retry of ${retry_of}`;
    const link = { kind: 'telecommand', id: `${target}.${tc}` };
    return { what: 'send', tone: 'accent', text: `${target} ${name}${effect}${again}`, link };
  }
  const { state, detail, acks } = event;
  const ok = isGoodTcEnd(state);
  const chain = acks.length > 1 ? ` (${acksText(acks)})` : '';
  const why = detail === undefined ? '' : `: ${detail}`;
  return { what: 'telecommand', tone: ok ? 'ok' : 'bad', text: `${state}${why}${chain}` };
}

/** What passed between the first link of the chain and each further one. */
function acksText(acks: readonly { readonly state: string; readonly at: string }[]): string {
  const [first] = acks;
  return acks
    .slice(1)
    .map(({ state, at }) => `${state} after ${duration(Date.parse(at) - Date.parse(first!.at))}`)
    .join(', ');
}

type Conversation = Exclude<
  RunEvent,
  {
    event:
      | Telecommand['event']
      | 'started'
      | 'procedure_started'
      | 'procedure_finished'
      | 'step_started'
      | 'step_finished'
      | 'checked'
      | 'logged'
      | 'mode_changed'
      | 'finished';
  }
>;

function conversation(event: Conversation): EventWords {
  switch (event.event) {
    case 'asked':
      return { what: 'asks', tone: 'warn', text: `${event.prompt}${ofRole(event.role)}` };
    case 'answered':
      return { what: 'answered', tone: event.accepted ? 'ok' : 'bad', text: answerText(event) };
    case 'answer_refused':
      return { what: 'refused', tone: 'bad', text: `answer of ${event.by ?? 'nobody'}: ${event.reason}` };
    case 'decision_required':
      return { what: 'decision', tone: 'warn', text: event.reason };
    case 'suspended':
      return { what: 'suspended', tone: 'warn', text: `by ${event.by}` };
    case 'continued':
      return { what: 'continued', tone: 'accent', text: `${event.choice}, by ${event.by}` };
    case 'taken_over':
      return { what: 'taken over', tone: 'warn', text: `by ${event.by}` };
  }
}

function answerText({ accepted, value, by, role }: RunEvent & { event: 'answered' }): string {
  const said = accepted ? (value === undefined ? 'yes' : String(value)) : 'no';
  return `${said}, by ${by ?? 'itself'}${ofRole(role)}`;
}

function beginning(event: RunEvent & { event: 'started' }): string {
  const { procedure, library, environment, targets, by, inputs } = event;
  const where = Object.entries(targets)
    .map(([role, target]) => `${role} ${target}`)
    .join(', ');
  return `${procedure} of ${library} in ${environment}, ${where}${by === undefined ? '' : `, by ${by}`}${inputsOf(inputs)}`;
}

function inputsOf(inputs: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(inputs).map(
    ([name, value]) => `${name} ${value === null ? 'none' : String(value)}`,
  );
  return given.length === 0 ? '' : `; ${given.join(', ')}`;
}

function attemptOf(attempt: number): string {
  return attempt > 1 ? `, attempt ${attempt}` : '';
}

function ofRole(role: string | undefined): string {
  return role === undefined ? '' : ` (role ${role})`;
}

function outcome(what: string, ok: boolean, text: string, reason?: string): EventWords {
  return { what, tone: ok ? 'ok' : 'bad', text: reason === undefined ? text : `${text}: ${reason}` };
}

/** `obc.temperature of sat1 = 21.5`, one per sample. */
export function sampleText({ target, component, instance, measure, value }: RunSample): string {
  const of = instance === undefined ? component : `${component}[${instance}]`;
  return `${target} ${of}.${measure} = ${value === null ? 'no value' : String(value)}`;
}

export interface Command {
  readonly text: string;
  /** What it does. */
  readonly means: string;
}

/** The commands that answer a question or decide about a step, this one and no later one. */
export function answerCommands(run: string, { kind, question }: Pending, origin: string): Command[] {
  const command = (word: string, means: string): Command => ({
    text: `mcs run answer ${run} ${word} --question ${question}${serviceOption(origin)}`,
    means,
  });
  if (kind === 'ask')
    return [command('yes', 'yes, or the value asked for'), command('no', 'no: the step fails')];
  return CHOICES.map(([choice, means]) => command(choice, means));
}

/** The commands that let a suspended run go on. */
export function resumeCommands(run: string, origin: string): Command[] {
  return CHOICES.map(([choice, means]) => ({
    text: `mcs run resume ${run} --choice ${choice}${serviceOption(origin)}`,
    means,
  }));
}

const CHOICES: readonly (readonly [string, string])[] = [
  ['replay', 'the step once more'],
  ['skip', 'it counts as passed'],
  ['fail', 'it counts as failed: on to “if failed”'],
  ['abort', 'the run ends here'],
];

function serviceOption(origin: string): string {
  return origin === USUAL_ORIGIN ? '' : ` --api ${origin}`;
}
