/**
 * A command of a person to the alarm service over the bus: it alone writes alarms. Mission Control Service, section
 * 4.4. What is asked of it is decided by the route.
 */

import { type AlarmCall, type AlarmTold, readAlarmReply } from '../contract/alarm.ts';
import type { AlarmName } from '../contract/alarm-name.ts';
import { assertNever } from '../contract/assert.ts';
import { subject } from '../contract/bus/subjects.ts';
import { askForCaller } from '../messaging/ask.ts';
import { refuse } from './errors.ts';
import type { RoutePorts } from './ports.ts';
import type { Handled, Reply } from './reply.ts';

/**
 * 202 once it is recorded; refuses with what the service refused, or with its silence. Throws `Outage` while the bus is
 * away.
 */
export async function askAlarmService(
  name: AlarmName,
  call: AlarmCall,
  timeoutMs: number,
  { bus }: Pick<RoutePorts, 'bus'>,
): Promise<Handled<Reply>> {
  const asked = await askForCaller(bus, {
    to: subject.alarmControl(name.target),
    call,
    read: readAlarmReply,
    timeoutMs,
  });
  switch (asked.outcome) {
    case 'answered': {
      const { answer } = asked;
      return answer.outcome === 'accepted' ? told(name) : refuse('alarm::refused', answer.reason);
    }
    case 'unserved':
      return refuse('alarm::no-service', 'no alarm service runs at the moment', {
        help: 'A standby takes over within reconciler.leader_ttl; without one, start a process with the role alarms.',
      });
    case 'unanswered':
      return refuse('alarm::timeout', `the alarm service did not answer within ${timeoutMs} ms`, {
        help: 'It may still carry the command out: read the alarm.',
      });
    case 'unreadable':
      return refuse('alarm::timeout', 'malformed reply from the alarm service', {
        help: 'It may have carried the command out: read the alarm. Processes of one version understand each other.',
      });
    default:
      return assertNever(asked);
  }
}

function told({ target, component, instance, alarm }: AlarmName): Handled<Reply> {
  const body: AlarmTold = { target, component, ...(instance !== undefined && { instance }), alarm };
  return { ok: true, value: { status: 202, body } };
}
