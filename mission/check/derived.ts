/**
 * Derived measures: their expressions compile, and none depends on itself. Mission Control Service, section 2.11.
 */

import { compileExpression } from '../condition/compile.ts';
import type { ComponentConfiguration } from '../configuration.ts';
import type { FaultsAt } from '../document/fault.ts';
import type { Frame } from '../frame.ts';
import type { Measure } from '../platform.ts';
import { checkExpression } from './condition.ts';

/** Reports expressions that do not compile and measures that are derived from themselves. */
export function checkDerived(
  components: readonly ComponentConfiguration[],
  frame: Frame,
  faults: FaultsAt,
): void {
  for (const { name, measures } of components) {
    for (const { name: measure, derived } of measures) {
      const definition = frame.components.get(name)?.measures.find((each) => each.name === measure);
      if (derived === undefined || definition === undefined) continue;
      const at = faults.in('components', name, 'measures', measure, 'derived');
      checkExpression(derived, { platform: frame, own: name }, definition, at);
    }
  }
  checkCycles(frame, faults);
}

function checkCycles(frame: Frame, faults: FaultsAt): void {
  const inputs = new Map(frame.measures.map((measure) => [measure.ordinal, inputsOf(measure, frame)]));
  const reported = new Set<string>();
  for (const measure of frame.measures) {
    const { component, definition, ordinal } = measure;
    const name = `${component}.${definition.name}`;
    if (reported.has(name) || !reaches(ordinal, ordinal, inputs)) continue;
    reported.add(name);
    faults
      .in('components', component, 'measures', definition.name, 'derived')
      .fault(`${name} is derived from itself`, 'derive it from measures that do not need it');
  }
}

function inputsOf({ component, instance, definition }: Measure, frame: Frame): readonly number[] {
  if (definition.derived === undefined) return [];
  const compiled = compileExpression(definition.derived, { platform: frame, own: component }, definition);
  return compiled.ok ? compiled.value.open({ instance }).reads : [];
}

/** Whether `goal` is among what `from` is made of, directly or not. */
function reaches(from: number, goal: number, inputs: ReadonlyMap<number, readonly number[]>): boolean {
  const seen = new Set<number>();
  const open = [...(inputs.get(from) ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === goal) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    open.push(...(inputs.get(next) ?? []));
  }
  return false;
}
