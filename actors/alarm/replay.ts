/**
 * The events that the chart of an alarm received, read back from its events alone: for replaying any alarm, at rest or
 * not. Architecture, "The inspector".
 *
 * A1. An event says what the chart received: cause, severity, operator, term. Reactions are not in it.
 * A2. The stream forgets after its age: the chart is then put where the first event that is left began.
 */

import type { AlarmEvent } from '../../contract/alarm.ts';
import type { alarmMachine } from '../../machines/alarm/alarm.ts';
import type { AlarmChartEvent } from '../../machines/alarm/protocol.ts';
import type { Bus } from '../../ports/bus.ts';
import type { EntityEvent, EntityLog, LoggedStep } from '../../ports/entity.ts';
import { eventsOf } from './alarm-event.ts';
import { restored, SHELVING_TERM, validName } from './record-store.ts';

/** The events of an alarm that the stream still has; undefined when there are none. Throws `Outage`. */
export async function alarmHistory(bus: Bus, key: string): Promise<EntityLog | undefined> {
  const name = validName(key);
  return name && logOf(key, await eventsOf(bus, name));
}

/** The log as its chart went through it. */
export function logOf(key: string, events: readonly AlarmEvent[]): EntityLog | undefined {
  const [first] = events;
  if (first === undefined) return undefined;
  const steps = events.map((event) => stepOf(event));
  const begun = first.seq === 1 ? steps : [{ ...steps[0]!, put: before(key, first) }, ...steps.slice(1)];
  return { input: { key }, byTurn: true, steps: begun, from: first.seq };
}

function stepOf(event: AlarmEvent): LoggedStep {
  const { at, state, cause, by } = event;
  const detail = by === undefined ? cause : `${cause} by ${by}`;
  return { at: Date.parse(at), event: state, detail, record: event, told: [told(event)] };
}

/** A1 */
function told({ at: time, state, cause, severity, value, by = '', seq, ...event }: AlarmEvent): EntityEvent {
  const at = Date.parse(time);
  const known = (chartEvent: AlarmChartEvent): EntityEvent => chartEvent;
  switch (cause) {
    case 'acknowledged':
      return known({ type: 'operator.acknowledge', at, by });
    case 'shelved':
      return known({ type: 'operator.shelve', at, by, until: Date.parse(event.shelved_until ?? time) });
    case 'unshelved':
      return by === '' ? { type: SHELVING_TERM } : known({ type: 'operator.unshelve', at, by });
    case 'condition': {
      const active = state === 'ACTIVE_UNACK' || state === 'ACTIVE_ACK';
      return known({
        type: 'condition.changed',
        at,
        severity: active ? (severity ?? 'warning') : null,
        evaluated: { position: seq, at },
        ...(value !== undefined && { value }),
      });
    }
  }
}

/** The chart as it stood before an event (A2). */
function before(key: string, { previous, seq, severity, cause, shelved_until, at }: AlarmEvent): unknown {
  const wasShelved = cause === 'unshelved' || (cause !== 'shelved' && shelved_until !== undefined);
  const record = {
    previous,
    state: previous,
    seq: seq - 1,
    ...(severity !== undefined && { severity }),
    ...(wasShelved && { shelved_until: shelved_until ?? at }),
  };
  const stored = { record, epoch: 0, evaluated: { position: seq - 1, at: 0 } };
  const { snapshot } = restored(key, stored, 0).envelope;
  return snapshot as ReturnType<typeof alarmMachine.getPersistedSnapshot>;
}
