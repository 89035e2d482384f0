/** What people call a telecommand: `obc.set_watchdog`, `eps[2].reset`. */

/** From an event of its log, a submission or the context of its chart; undefined where none of these says it. */
export function telecommandLabel(named: unknown): string | undefined {
  const { component, instance, telecommand } = (named ?? {}) as Partial<Record<string, unknown>>;
  if (typeof component !== 'string' || typeof telecommand !== 'string') return undefined;
  return `${component}${typeof instance === 'string' ? `[${instance}]` : ''}.${telecommand}`;
}
