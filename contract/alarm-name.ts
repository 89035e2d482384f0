/**
 * How alarms are named in keys and paths, and how a run says that it is the reaction of one. Mission Control Service,
 * section 2.4. Pure, without a schema: pages load it.
 */

import { NAME_CHARACTERS } from './limits/request.ts';
import { NO_INSTANCE } from './token.ts';

/** Which alarm is meant. */
export interface AlarmName {
  readonly target: string;
  readonly component: string;
  readonly instance?: string;
  readonly alarm: string;
}

/** `component[instance].alarm` or `component.alarm`, each name a token. */
const NAME = `([A-Za-z0-9_-]{1,${NAME_CHARACTERS}})`;
export const ALARM_PATH_PATTERN = `^${NAME}(?:\\[${NAME}\\])?\\.${NAME}$`;
const ALARM_PATH = new RegExp(ALARM_PATH_PATTERN);

/** `<target>.<component>.<instance>.<alarm>`: key of the record and, with `-<seq>`, identifier of its events. */
export function alarmKey({ target, component, instance = NO_INSTANCE, alarm }: AlarmName): string {
  return `${target}.${component}.${instance}.${alarm}`;
}

/** The name behind a key; undefined where it is none. */
export function alarmNamed(key: string): AlarmName | undefined {
  const [target, component, instance, alarm, ...more] = key.split('.');
  if (!target || !component || !instance || !alarm || more.length > 0) return undefined;
  return { target, component, ...(instance !== NO_INSTANCE && { instance }), alarm };
}

/** `component[instance].alarm`, as people and paths write it. */
export function alarmPath({ component, instance, alarm }: AlarmName): string {
  return `${component}${instance === undefined ? '' : `[${instance}]`}.${alarm}`;
}

/** What `alarmPath` writes, read; undefined for another form. */
export function alarmAt(path: string): Omit<AlarmName, 'target'> | undefined {
  const [, component, instance, alarm] = ALARM_PATH.exec(path) ?? [];
  if (component === undefined || alarm === undefined || instance === NO_INSTANCE) return undefined;
  return { component, ...(instance !== undefined && { instance }), alarm };
}

/** Name of the alarm that reports a failed reaction (section 4.4 reaction rule 6). */
export function reactionAlarm(alarm: string): string {
  return `${alarm}-reaction`;
}

const REACTION_BY = 'alarm ';

/** Who a reaction is of: the `by` of its run, and of the suspensions it causes (section 4.4 reaction rule 4). */
export function reactionBy(key: string): string {
  return `${REACTION_BY}${key}`;
}

/** Key of the alarm a run is the reaction to; undefined when it is none. */
export function alarmOfReaction(by: string | undefined): string | undefined {
  const key = by?.startsWith(REACTION_BY) ? by.slice(REACTION_BY.length) : undefined;
  return key === undefined || alarmNamed(key) === undefined ? undefined : key;
}
