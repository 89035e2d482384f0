/** Alarms in the order in which they need somebody, and what each says. Pure. */

import type { Alarm } from '../../../contract/alarm.ts';
import { type AlarmName, alarmKey, alarmOfReaction, alarmPath } from '../../../contract/alarm-name.ts';
import type { AlarmReaction } from '../../../contract/alarm-reaction.ts';
import type { RunSummary } from '../../../contract/run.ts';
import { numberIn } from '../../../contract/shown-value.ts';
import type { CatalogueMeasure } from '../data/catalogue.ts';
import { standingOf, valueText, withUnit } from '../parts/limits.ts';

export interface AlarmRow {
  readonly key: string;
  readonly target: string;
  /** `component[instance].alarm` */
  readonly path: string;
  readonly alarm: Alarm;
  /** ms since 1970; not a number where it never changed. */
  readonly changedAt: number;
  readonly canAcknowledge: boolean;
  /** ms since 1970; undefined where it is not shelved. */
  readonly shelvedUntil: number | undefined;
  /** The last run that it launched as its reaction. */
  readonly reaction: RunSummary | undefined;
  /** Those under way that go no further by themselves for now. */
  readonly held: readonly AlarmReaction[];
}

/** `runs`: newest first; `underWay`: the reactions of an alarm. */
export function alarmRows(
  alarms: readonly Alarm[],
  runs: readonly RunSummary[],
  underWay: (alarm: AlarmName) => readonly AlarmReaction[],
): AlarmRow[] {
  const reactions = new Map<string, RunSummary>();
  for (const run of runs) {
    const key = alarmOfReaction(run.by);
    if (key !== undefined && !reactions.has(key)) reactions.set(key, run);
  }
  const rows = alarms.map((alarm): AlarmRow => {
    const { target, record } = alarm;
    const key = alarmKey(alarm);
    return {
      key,
      target,
      path: alarmPath(alarm),
      alarm,
      changedAt: Date.parse(record.changed_at ?? ''),
      canAcknowledge: record.state === 'ACTIVE_UNACK' || record.state === 'CLEARED_UNACK',
      shelvedUntil: record.shelved_until === undefined ? undefined : Date.parse(record.shelved_until),
      reaction: reactions.get(key),
      held: underWay(alarm).filter(isHeld),
    };
  });
  return rows.sort((a, b) => urgencyOf(a) - urgencyOf(b) || newestFirst(a, b));
}

/** Whether it waits, or is suspended. */
function isHeld({ state }: AlarmReaction): boolean {
  return state.startsWith('waiting') || state === 'suspended';
}

/** What nobody has acknowledged before what somebody has, the critical before the rest; what is shelved last. */
function urgencyOf({ alarm: { record }, shelvedUntil }: AlarmRow): number {
  const place = ['ACTIVE_UNACK', 'CLEARED_UNACK', 'ACTIVE_ACK', 'NORMAL'].indexOf(record.state);
  return (shelvedUntil === undefined ? 0 : 100) + place * 10 + (record.severity === 'critical' ? 0 : 1);
}

function newestFirst(a: AlarmRow, b: AlarmRow): number {
  return b.changedAt - a.changedAt || (a.key < b.key ? -1 : 1);
}

export const STATE_WORDS = {
  ACTIVE_UNACK: 'active, not acknowledged',
  ACTIVE_ACK: 'active, acknowledged',
  CLEARED_UNACK: 'cleared, not acknowledged',
  NORMAL: 'normal',
} as const;

export interface ValueWords {
  /** With its unit; empty where the alarm is not of a measure. */
  readonly value: string;
  readonly crossed: string;
}

/** The value at the last transition and which limit it is beyond. */
export function valueWords({ record }: Alarm, measure: CatalogueMeasure | undefined): ValueWords {
  if (record.value === undefined) return { value: '', crossed: '' };
  return {
    value: withUnit(
      valueText(record.value),
      numberIn(record.value) !== undefined ? measure?.unit : undefined,
    ),
    crossed: standingOf(record.value, measure).crossed,
  };
}

/** `30 min` and the like, as the service takes them. */
export const TERMS = ['10 min', '30 min', '1 h', '4 h', '8 h'] as const;
