/** Events as a mission at work has them: mostly states of telecommands, of fifty targets. */

import type { LoggedEvent } from '../contract/event.ts';
import { SET_BEGINS } from './archive-set.ts';

const STATES = ['PENDING', 'ENCODED', 'SENT', 'VERIFIED'] as const;
const PEOPLE = ['ada', 'grace', 'eve'] as const;
const TARGETS = 50;
/** One in so many is a change of mode, and one the transition of an alarm. */
const RARE = 100;
const APART_MS = 1_000;

/** The n-th, a second after the one before. */
export function madeEvent(n: number): LoggedEvent {
  const target = `sat${n % TARGETS}`;
  const at = { time: new Date(SET_BEGINS + n * APART_MS).toISOString(), target, source: `made:${n}` };
  const by = PEOPLE[n % PEOPLE.length]!;
  if (n % RARE === 0)
    return {
      ...at,
      kind: 'mode',
      severity: 'info',
      subject: target,
      state: 'safe',
      by,
      text: `${target} was set to mode safe by ${by}.`,
    };
  if (n % RARE === 1)
    return {
      ...at,
      kind: 'alarm',
      severity: 'warning',
      subject: `${target}.battery.1.voltage`,
      name: 'voltage',
      state: 'raised',
      text: `Alarm voltage of ${target} was raised: 6.4 V is below 6.5 V.`,
    };
  const state = STATES[n % STATES.length]!;
  const tc = `01J5ZK3M8QW7V9XH2C4T${String(n % 1_000_000).padStart(6, '0')}`;
  return {
    ...at,
    kind: 'telecommand',
    severity: state === 'PENDING' ? 'info' : 'detail',
    subject: tc,
    name: 'obc.set_watchdog',
    state,
    by,
    text: `obc.set_watchdog of ${target} is ${state}.`,
    data: JSON.stringify({ tc, state, target, telecommand: 'obc.set_watchdog', args: { period: n } }),
  };
}

/** Seconds from the first to behind the last of so many. */
export function spanMs(events: number): number {
  return events * APART_MS;
}
