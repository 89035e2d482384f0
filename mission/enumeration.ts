/** Enumerations of a platform: names for numbers. Part of the catalogue; Mission Control Service, section 2.11. */

import type { Enumeration } from './platform.ts';

/** The enumeration; numbers and names are each unique in it. */
export function createEnumeration(name: string, values: readonly (readonly [string, number])[]): Enumeration {
  const numbers = new Map(values);
  const names = new Map(values.map(([text, number]) => [number, text]));
  return Object.freeze({
    name,
    names: Object.freeze([...numbers.keys()]),
    nameOf: (number: number) => names.get(number),
    numberOf: (text: string) => numbers.get(text),
  });
}
