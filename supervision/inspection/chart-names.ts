/** What a person reads of a chart: names of events, guards and actions, however its author wrote them. */

const AFTER = /^xstate\.after\.(.+?)\.(?:[^.]+(?:\..*)?)$/;
const BUILT_IN = 'xstate.';
/** Names a function takes from the place where it is written: they say nothing. */
const PLACES: ReadonlySet<string> = new Set(['actions', 'entry', 'exit', 'guard']);

interface Named {
  readonly type?: unknown;
  readonly name?: unknown;
  readonly params?: unknown;
  readonly guards?: readonly unknown[];
}

/** `gateway.sent`, `after 30 s`, `always`, `any event`, `done`, `failed`. */
export function eventName(event: string): string {
  if (event === '') return 'always';
  if (event === '*') return 'any event';
  const [, delay] = AFTER.exec(event) ?? [];
  if (delay !== undefined) return `after ${delayName(delay)}`;
  if (event.startsWith('xstate.done.')) return 'done';
  if (event.startsWith('xstate.error.')) return 'failed';
  return event;
}

/** A number of milliseconds as a person says it; the name of a delay in words. */
function delayName(delay: string): string {
  const ms = Number(delay);
  if (!Number.isFinite(ms)) return delay.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 60_000) return `${ms / 1_000} s`;
  return ms % 60_000 === 0
    ? `${ms / 60_000} min`
    : `${Math.floor(ms / 60_000)} min ${(ms % 60_000) / 1_000} s`;
}

/** Undefined when there is no guard. */
export function guardName(guard: unknown): string | undefined {
  if (guard === undefined) return undefined;
  const { guards } = guard as Named;
  const name = plainName(guard, 'guard');
  if (guards === undefined) return name;
  const parts = guards.map((part) => guardName(part) ?? 'guard');
  return name === 'not' ? `not ${parts[0]}` : parts.join(` ${name} `);
}

/** The name of an action, or of what it does when it has none (`assign`, `emit`, `raise`). */
export function actionName(action: unknown): string {
  const name = plainName(action, 'action');
  return name.startsWith(BUILT_IN) ? name.slice(BUILT_IN.length) : name;
}

function plainName(named: unknown, otherwise: string): string {
  if (typeof named === 'string') return named;
  const { type, name } = (named ?? {}) as Named;
  if (typeof type === 'string' && type !== '') return type;
  const isOwn = typeof name === 'string' && name !== '' && !PLACES.has(name);
  return isOwn ? name : otherwise;
}
