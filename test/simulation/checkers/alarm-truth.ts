/** What alarms must say of the samples: Mission Control Service, sections 2.4, 3.3 and 4.4 (evaluation). */

import type { Severity } from '../../../contract/alarm.ts';
import { byAlarm, lastRecords, type RecordedAlarmEvent } from '../alarm-history.ts';
import type { History } from '../history.ts';
import { bodyOf, keyOf } from '../run-history.ts';
import { type Crossing, crossingsOf, isTemporal } from './alarm-reference.ts';
import type { Checker } from './checker.ts';

export const standsAsMeasured: Checker = {
  name: 'stands-as-measured',
  overRewinds: 'kept-if-even',
  promise:
    'in the end an alarm is active, with its severity, where the last samples say so, and nowhere else',
  *check(history) {
    const records = lastRecords(history.alarms.written);
    for (const [key, crossings] of crossingsOf(history)) {
      const record = records.get(key)?.record;
      const isActive = record?.state.startsWith('ACTIVE') === true;
      const stands = isActive ? (record.severity ?? null) : null;
      const { severity, at } = crossings.at(-1)!;
      if (stands !== severity && !isYoung(key, at, history))
        yield `${key} is ${record?.state ?? 'not recorded'} (${stands}), the samples say ${severity} since ${new Date(at).toISOString()}`;
    }
  },
};

export const everyCrossingOnce: Checker = {
  name: 'every-crossing-once',
  promise:
    'each change of what the samples say is one transition, in order, at its time, whoever led and whoever died',
  *check(history) {
    const logs = byAlarm(history.alarms.events);
    const begins = beginnings(history);
    for (const [key, crossings] of crossingsOf(history)) {
      const begin = begins.get(key.split('.')[0] ?? '');
      if (begin === undefined || isTemporal(key)) continue;
      const before = crossings.findLast(({ position }) => position <= begin);
      // How an alarm stands that nobody has looked at before is reported when it is found, or by the message it was
      // found behind.
      if (before !== undefined && (before.severity !== null || before.position === begin)) continue;
      const wanted = toldOf(crossings.filter(({ position }) => position > begin));
      const reported = (logs.get(key) ?? []).filter(({ event }) => event.cause === 'condition');
      yield* differences(key, wanted, reported);
    }
  },
};

function* differences(
  key: string,
  wanted: readonly Crossing[],
  announced: readonly RecordedAlarmEvent[],
): Iterable<string> {
  for (let n = 0; n < Math.max(wanted.length, announced.length); n += 1) {
    const [said, says] = [announced[n]?.event, wanted[n]];
    const is = said && shown({ severity: severityOf(said), at: Date.parse(said.at), value: said.value });
    const ought = says && shown({ ...says, value: says.value });
    if (is === ought) continue;
    return yield `${key}: change ${n + 1} is ${is ?? 'not told'}, the samples say ${ought ?? 'nothing'}`;
  }
}

/** A first one that says that nothing is wrong changes nothing. */
function toldOf(crossings: readonly Crossing[]): readonly Crossing[] {
  return crossings[0]?.severity === null ? crossings.slice(1) : crossings;
}

function severityOf({ state, severity }: RecordedAlarmEvent['event']): Severity | null {
  return state.startsWith('ACTIVE') ? (severity ?? null) : null;
}

function shown({ severity, at, value }: { severity: Severity | null; at: number; value: unknown }): string {
  return `${severity} at ${new Date(at).toISOString()}${value === undefined ? '' : ` with ${String(value)}`}`;
}

/** Up to where the values of each target are not evaluated, because nobody had taken it over yet. */
function beginnings({ members }: History): Map<string, number> {
  const begins = new Map<string, number>();
  for (const message of members) {
    const [kind, role, target = ''] = keyOf(message).split('.');
    if (kind !== 'checkpoint' || role !== 'alarms' || begins.has(target)) continue;
    begins.set(target, bodyOf<{ position: number }>(message).position);
  }
  return begins;
}

/** What has to hold for a while may not have held for long enough, or be turning now. */
const STABLE_MS = 2_000;
const CLOCKS_MS = 2_500;

function isYoung(key: string, at: number, { alarms }: History): boolean {
  if (key.endsWith('.sag')) return alarms.endedAt - at < STABLE_MS + CLOCKS_MS;
  return alarms.endedAt - at < CLOCKS_MS;
}
