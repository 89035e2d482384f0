/**
 * The events that would do something to a chart now: a transition of an active state lists them and its guard lets them
 * pass. What a chart lists only to ignore is not among them.
 */

import type { AnyMachineSnapshot } from 'xstate';
import { shown } from './story.ts';

interface Example {
  readonly type: string;
}

/**
 * Their types in alphabetical order; of a type with examples one example must pass. Throws when a guard cannot judge an
 * event without its fields and there is no example.
 */
export function acceptedTypes(
  snapshot: AnyMachineSnapshot,
  examples: readonly Example[],
  at: number,
): string[] {
  if (snapshot.status !== 'active') return [];
  const types = new Set([...listedTypes(snapshot), ...examples.map(({ type }) => type)]);
  return [...types].sort().filter((type) => {
    const given = examples.filter((example) => example.type === type);
    return (given.length === 0 ? [{ type }] : given).some((event) => passes(snapshot, event, at));
  });
}

/** Types that the active states list, without deadlines and wildcards. */
function listedTypes(snapshot: AnyMachineSnapshot): string[] {
  const types = snapshot._nodes.flatMap((node) => [...node.transitions.keys()] as string[]);
  return types.filter((type) => !type.startsWith('xstate.') && !type.includes('*'));
}

function passes(snapshot: AnyMachineSnapshot, event: Example, at: number): boolean {
  try {
    return snapshot.can({ at, ...event });
  } catch (cause) {
    throw new Error(`a guard cannot judge ${shown(event)}: give an example of it`, { cause });
  }
}
