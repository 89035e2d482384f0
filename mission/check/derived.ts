/**
 * Derived measures: their expressions compile, read something, and none depends on itself. Mission Control Service,
 * section 2.11.
 */

import { compileExpression } from '../condition/compile.ts';
import type { ConditionScope } from '../condition/scope.ts';
import type { ComponentConfiguration } from '../configuration.ts';
import type { FaultsAt } from '../document/fault.ts';
import type { MeasureTable } from '../measure-table.ts';
import type { Measure } from '../platform.ts';
import { checkExpression } from './condition.ts';

type Inputs = ReadonlyMap<number, readonly number[]>;

/** Reports expressions that do not compile or read nothing, and measures that are derived from themselves. */
export function checkDerived(
  components: readonly ComponentConfiguration[],
  frame: MeasureTable,
  faults: FaultsAt,
): void {
  for (const { name, measures } of components) {
    const definitions = new Map(frame.components.get(name)?.measures.map((each) => [each.name, each]));
    for (const { name: measure, derived } of measures) {
      const definition = definitions.get(measure);
      if (derived === undefined || definition === undefined) continue;
      const at = faults.in('components', name, 'measures', measure, 'derived');
      checkExpression(derived, scopeOf(frame, name), definition, at);
    }
  }
  checkInputs(frame, faults);
}

function checkInputs(frame: MeasureTable, faults: FaultsAt): void {
  const derived = frame.measures.filter(({ definition }) => definition.derived !== undefined);
  const inputs = new Map(derived.flatMap((measure) => inputsOf(measure, frame)));
  const reported = new Set<string>();
  for (const { component, definition, ordinal } of derived) {
    const name = `${component}.${definition.name}`;
    const at = faults.in('components', component, 'measures', definition.name, 'derived');
    const ring = ringThrough(ordinal, inputs);
    if (reported.has(name)) continue;
    if (ring !== undefined) {
      const path = ring.map((each) => frame.measures[each]!.key).join(' from ');
      at.fault(`${name} is derived from itself: ${path}`, 'derive it from measures that do not need it');
    } else if (inputs.get(ordinal)?.length === 0) {
      at.fault(
        'it reads no measure, so no sample ever gives it a value',
        'name a measure it is derived from',
      );
    } else continue;
    reported.add(name);
  }
}

function inputsOf(
  { component, instance, definition, ordinal }: Measure,
  frame: MeasureTable,
): [number, readonly number[]][] {
  const compiled = compileExpression(definition.derived ?? '', scopeOf(frame, component), definition);
  return compiled.ok ? [[ordinal, compiled.value.open({ instance }).reads]] : [];
}

function scopeOf(platform: MeasureTable, own: string): ConditionScope {
  return { platform, own, withoutFiles: 'a derived measure reads no files' };
}

/** The shortest way from a measure over what it is made of back to itself, both ends included. */
function ringThrough(goal: number, inputs: Inputs): readonly number[] | undefined {
  const ways: number[][] = [[goal]];
  const seen = new Set<number>();
  for (let way = ways.shift(); way !== undefined; way = ways.shift()) {
    for (const next of inputs.get(way.at(-1)!) ?? []) {
      if (next === goal) return [...way, next];
      if (seen.has(next)) continue;
      seen.add(next);
      ways.push([...way, next]);
    }
  }
  return undefined;
}
