/** What a simulated unit can be made to do wrong, to see what everything around it makes of that. */

export const UNIT_FAULTS = {
  degraded: 'its heartbeats say that it is degraded',
  silent: 'it sends no heartbeats, and answers its verbs',
  mute: 'it answers no verb, and sends heartbeats',
  'selftest-fails': 'a check of its self-test fails',
  'stays-down': 'it does not come back from a reboot',
} as const;

export type UnitFault = keyof typeof UNIT_FAULTS;

export function isUnitFault(text: string): text is UnitFault {
  return Object.hasOwn(UNIT_FAULTS, text);
}
