/**
 * The derived measures of a platform with their expressions compiled, in the order in which they are computed. Part of
 * `load`. Mission Control Service, section 2.11.
 *
 * D1. A derived measure stands behind everything it is derived from; `compile` has refused those that lead to
 *     themselves.
 */

import { assert } from '../contract/assert.ts';
import { compileExpression } from './condition/compile.ts';
import type { MeasureTable } from './measure-table.ts';
import type { Derived, Measure } from './platform.ts';

/** Every derived measure of every instance; throws a defect where an expression does not hold. */
export function loadDerived(frame: MeasureTable): readonly Derived[] {
  const found = frame.measures
    .filter(({ definition }) => definition.derived !== undefined)
    .map((measure) => derivedOf(measure, frame));
  return Object.freeze(inOrder(found));
}

function derivedOf({ ordinal, component, instance, definition }: Measure, frame: MeasureTable): Derived {
  const source = definition.derived ?? '';
  const compiled = compileExpression(source, { platform: frame, own: component }, definition);
  assert(compiled.ok, `expression \`${source}\` compiled before`);
  const { temporal, spanMs, open } = compiled.value;
  const opened = (): ReturnType<typeof open> => open({ instance });
  return Object.freeze({
    ordinal,
    source,
    temporal,
    spanMs,
    reads: Object.freeze([...opened().reads]),
    open: opened,
  });
}

/** D1 */
function inOrder(found: readonly Derived[]): Derived[] {
  const byOrdinal = new Map(found.map((each) => [each.ordinal, each]));
  const placed = new Set<Derived>();
  const place = (derived: Derived): void => {
    if (placed.has(derived)) return;
    for (const ordinal of derived.reads) {
      const input = byOrdinal.get(ordinal);
      if (input !== undefined) place(input);
    }
    placed.add(derived);
  };
  for (const each of found) place(each);
  return [...placed];
}
