/** Alarms in the log: raised, acknowledged, shelved, over. */

import { type AlarmEvent, readAlarmEvent } from '../../contract/alarm.ts';
import { alarmKey, alarmPath } from '../../contract/alarm-name.ts';
import type { LoggedEvent } from '../../contract/event.ts';
import { shownValue } from '../../contract/shown-value.ts';
import type { StreamMessage } from '../../ports/bus.ts';
import { eventOf, momentOf } from './event-of.ts';

/** What messages of ALARMS say. */
export function readAlarm(message: StreamMessage): readonly LoggedEvent[] | undefined {
  const event = readAlarmEvent(message.data);
  const isWhole =
    event !== undefined &&
    [event.target, event.component, event.alarm, event.state, event.cause].every(
      (each) => typeof each === 'string',
    );
  return isWhole ? [alarmEvent(message, event)] : undefined;
}

export function alarmEvent({ at }: Pick<StreamMessage, 'at'>, event: AlarmEvent): LoggedEvent {
  const { target, state, by, severity } = event;
  const isRaised = event.cause === 'condition' && isActive(state);
  return eventOf(
    {
      time: momentOf(event.at, at),
      kind: 'alarm',
      severity: isRaised ? (severity ?? 'warning') : 'info',
      target,
      subject: alarmKey(event),
      name: alarmPath(event),
      state,
      text: textOf(event),
      link: `/v1/alarms?target=${target}`,
      ...(by !== undefined && { by }),
    },
    event,
  );
}

function isActive(state: string): boolean {
  return state === 'ACTIVE_UNACK' || state === 'ACTIVE_ACK';
}

function textOf(event: AlarmEvent): string {
  const { target, cause, state, previous, severity, value, by = 'somebody', shelved_until: until } = event;
  const name = `Alarm ${alarmPath(event)} of ${target}`;
  if (cause === 'acknowledged') return `${name} was acknowledged by ${by}.`;
  if (cause === 'shelved')
    return `${name} was shelved by ${by}${until === undefined ? '' : ` until ${until}`}.`;
  if (cause === 'unshelved')
    return event.by === undefined
      ? `The shelving of alarm ${alarmPath(event)} of ${target} is over.`
      : `${name} was unshelved by ${by}.`;
  const at = value === undefined ? '' : `, value ${shownValue(value)}`;
  if (!isActive(state)) return `${name} is over${at}.`;
  return `${name} ${isActive(previous) ? 'changed' : 'was raised'}: ${severity ?? 'warning'}${at}.`;
}
