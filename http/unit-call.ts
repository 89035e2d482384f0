/**
 * A verb of a unit over the bus. Mission Control Service, section 4.8. Who may ask for what is decided by the route.
 */

import { assertNever } from '../contract/assert.ts';
import { subject } from '../contract/bus/subjects.ts';
import { UNIT_ANSWER_MS } from '../contract/limits/unit.ts';
import type { UnitVerb } from '../contract/unit.ts';
import { readUnitReply } from '../contract/unit-wire.ts';
import { askForCaller } from '../messaging/ask.ts';
import { refuse } from './errors.ts';
import type { RoutePorts } from './ports.ts';
import type { Handled } from './reply.ts';

/**
 * What the unit said; refuses with what it refused, or with its silence. Throws `Outage` while the bus is away.
 */
export async function callUnit(
  serial: string,
  verb: UnitVerb,
  call: object,
  { bus, log }: Pick<RoutePorts, 'bus' | 'log'>,
): Promise<Handled<object>> {
  const to = subject.unitVerb(serial, verb);
  const asked = await askForCaller(bus, { to, call, read: readUnitReply, timeoutMs: UNIT_ANSWER_MS });
  switch (asked.outcome) {
    case 'answered': {
      const { answer } = asked;
      if (answer.ok) return answer;
      return refuse('unit::refused', answer.faults.map(({ message }) => message).join('; '));
    }
    case 'unserved':
      return refuse('unit::unknown', `no unit ${serial} answers`, {
        help: 'GET /v1/units lists the units with when something last came from each.',
      });
    case 'unanswered':
      return refuse('unit::timeout', `unit ${serial} did not answer within ${UNIT_ANSWER_MS / 1_000} s`, {
        help: 'It may still do what was asked: read the fleet before asking again.',
      });
    case 'unreadable':
      log.error({ unit: serial, said: asked.said }, 'malformed reply from a unit');
      return refuse('unit::timeout', `malformed reply from unit ${serial}`, {
        help: 'It may have done what was asked: read the fleet before asking again.',
      });
    default:
      return assertNever(asked);
  }
}
