/**
 * Three-valued logic after Kleene: unknown is what could still be either. As small whole numbers, because conditions
 * are evaluated at the rate of telemetry. Mission Control Service, section 3.3.
 *
 * K1. `and` is the smaller, `or` the larger, `not` the mirror.
 */

import type { Truth } from './condition.ts';

export const FALSE = 0;
export const UNKNOWN = 1;
export const TRUE = 2;
export type Kleene = typeof FALSE | typeof UNKNOWN | typeof TRUE;

export function truthOf(value: Kleene): Truth {
  if (value === UNKNOWN) return null;
  return value === TRUE;
}

export function kleene(holds: boolean): Kleene {
  return holds ? TRUE : FALSE;
}

export function negated(value: Kleene): Kleene {
  return (TRUE - value) as Kleene;
}
