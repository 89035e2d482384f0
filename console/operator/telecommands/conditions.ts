/** What the conditions of a telecommand read, and what was received of that. Pure. */

import type { LiveValue } from '../data/live-value.ts';

export interface Found {
  readonly name: string;
  /** Undefined: never received. */
  readonly live: LiveValue | undefined;
  readonly isOld: boolean;
}

const NAME = /[A-Za-z_]\w*(?:\[[^\]]+\])?(?:\.[A-Za-z_]\w*)*/g;
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * The measures that a condition names, each once: by their whole name, or by that within the component, of its
 * instance where it has some. What is true of them is for the service to say.
 */
export function measuresIn(
  condition: string,
  component: string,
  instance: string | undefined,
  has: (name: string) => boolean,
): string[] {
  const prefix = instance === undefined ? component : `${component}[${instance}]`;
  const named = (condition.match(NAME) ?? []).flatMap(
    (word) => [word, `${prefix}.${word}`, word.replace(/^(\w+)\./, `$1[${instance}].`)].find(has) ?? [],
  );
  return [...new Set(named)];
}

/** `60 s` in ms; undefined where it is written in another way. */
export function msOf(quantity: string): number | undefined {
  const [, number, unit = ''] = /^\s*([\d.]+)\s*(ms|s|min|h|d)\s*$/.exec(quantity) ?? [];
  return number === undefined ? undefined : Number(number) * UNITS[unit]!;
}

export function foundOf(
  names: readonly string[],
  values: ReadonlyMap<string, LiveValue>,
  maxAgeMs: number | undefined,
  at: number,
): Found[] {
  return names.map((name) => {
    const live = values.get(name);
    const age = live === undefined ? 0 : at - Date.parse(live.sample.time);
    return { name, live, isOld: maxAgeMs !== undefined && age > maxAgeMs };
  });
}
