/**
 * Alarms as people read them: a line each, with a sign for the eye, words for the severity and the state, and what was
 * done about it. Pure. Mission Control Service, section 2.4.
 *
 * L1. What comes from documents, operators and spacecraft is text to show: no control character of it reaches the
 *     terminal.
 * L2. Nothing is said by colour alone.
 */

import type { Alarm, AlarmEvent, AlarmState } from '../contract/alarm.ts';
import { alarmPath } from '../contract/alarm-name.ts';
import type { AlarmReaction } from '../contract/alarm-reaction.ts';
import { reactionWords } from '../contract/alarm-reaction-words.ts';
import { printable } from './printable.ts';
import { valueText } from './value-text.ts';

/** What a line says beside the name of its alarm. */
type ShownAlarm = Pick<AlarmEvent, 'state' | 'severity' | 'value' | 'by' | 'shelved_until'> & {
  readonly cause?: AlarmEvent['cause'];
};

const RED = '31';
const YELLOW = '33';
const DIM = '2';
const ESCAPE = '\u001b';
/** Longest state and severity, so that columns stand below each other. */
const STATE_WIDTH = 'CLEARED_UNACK'.length;
const SEVERITY_WIDTH = 'critical'.length;

/** What an operator has to look at first, least first. */
const URGENCY: Readonly<Record<AlarmState, number>> = {
  ACTIVE_UNACK: 0,
  CLEARED_UNACK: 1,
  ACTIVE_ACK: 2,
  NORMAL: 3,
};

/** Lines of a list, what needs somebody first. */
export function listLines(alarms: readonly Alarm[], colour: boolean): string[] {
  const sorted = alarms.toSorted((a, b) => urgency(a) - urgency(b));
  const width = Math.max(0, ...sorted.map((alarm) => nameOf(alarm).length));
  return sorted.flatMap((alarm) => {
    const { active_since, changed_at } = alarm.record;
    const since = alarm.record.state === 'NORMAL' ? changed_at : (active_since ?? changed_at);
    const facts = [since && `since ${timeOf(since)}`, ...standingFacts(alarm.record)];
    return [
      dressed(alarm.record, rowOf(alarm.record, nameOf(alarm).padEnd(width), facts), colour),
      ...reactionLines(alarm),
    ];
  });
}

/** A line for each of its reactions under way. */
export function reactionLines({ target, reactions = [] }: Alarm): string[] {
  return reactions.map((reaction) => `    reaction ${reactionLine(target, reaction)}`);
}

/** What a reaction does; which decisions there are is said by `mcs run answer`. */
export function reactionLine(target: string, reaction: AlarmReaction): string {
  const { procedure, run } = reaction;
  const named = run === undefined ? procedure : `${procedure}, run ${run},`;
  return printable(`${named} ${reactionWords(target, reaction, timeOf)}`);
}

/** The line of a transition. */
export function eventLine(event: AlarmEvent, colour: boolean): string {
  const facts = eventFacts(event);
  return dressed(event, `${event.at.slice(11, 23)}  ${rowOf(event, nameOf(event), facts)}`, colour);
}

function urgency({ record: { state, severity } }: Alarm): number {
  return 2 * URGENCY[state] + (severity === 'critical' ? 0 : 1);
}

function nameOf(alarm: Parameters<typeof alarmPath>[0]): string {
  return `${alarm.target} ${alarmPath(alarm)}`;
}

function rowOf(reported: ShownAlarm, name: string, facts: readonly (string | undefined)[]): string {
  const said = facts.filter((fact) => fact !== undefined).join(', ');
  const words = [
    signOf(reported),
    (reported.state === 'NORMAL' ? 'normal' : (reported.severity ?? '')).padEnd(SEVERITY_WIDTH),
    reported.state.padEnd(STATE_WIDTH),
    name,
    (reported.value === undefined ? '' : valueText(reported.value)).padEnd(8),
    said,
  ];
  return words.join('  ').trimEnd();
}

/** `!!` and `!` while the condition lasts, `~` when it is over and nobody has seen it. */
function signOf({ state, severity }: ShownAlarm): string {
  if (state === 'NORMAL') return '  ';
  if (state === 'CLEARED_UNACK') return '~ ';
  return severity === 'critical' ? '!!' : '! ';
}

/** How it stands: the last one who did something is reported while it still says something. */
function standingFacts({ by, cause, shelved_until }: ShownAlarm): (string | undefined)[] {
  return [
    cause === 'acknowledged' && by !== undefined ? `acknowledged by ${by}` : undefined,
    shelved_until === undefined ? undefined : `shelved until ${timeOf(shelved_until)}`,
  ];
}

function eventFacts({ cause, by, previous, state, shelved_until }: AlarmEvent): (string | undefined)[] {
  const who = by === undefined ? '' : ` by ${by}`;
  const until = shelved_until === undefined ? undefined : `shelved until ${timeOf(shelved_until)}`;
  switch (cause) {
    case 'acknowledged':
      return [`acknowledged${who}`, until];
    case 'shelved':
      return [`${until ?? 'shelved'}${who}`];
    case 'unshelved':
      return [by === undefined ? 'its shelving ended' : `unshelved${who}`];
    case 'condition':
      return [state === previous ? 'severity changed' : `was ${previous}`, until];
  }
}

export function timeOf(text: string): string {
  return `${text.slice(0, 10)} ${text.slice(11, 19)}Z`;
}

/** L1, L2. */
function dressed({ state, severity }: ShownAlarm, line: string, colour: boolean): string {
  const text = printable(line);
  if (!colour) return text;
  const isActive = state === 'ACTIVE_UNACK' || state === 'ACTIVE_ACK';
  const code = isActive ? (severity === 'critical' ? RED : YELLOW) : state === 'NORMAL' ? DIM : undefined;
  return code === undefined ? text : `${ESCAPE}[${code}m${text}${ESCAPE}[0m`;
}
