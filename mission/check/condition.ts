/** Conditions and expressions in mission documents: compiled once to find their faults, kept as text. */

import { compileCondition, compileExpression } from '../condition/compile.ts';
import type { ConditionScope, ScopeMeasure } from '../condition/scope.ts';
import type { FaultsAt } from '../document/fault.ts';

/** Reports every fault of a condition. */
export function checkCondition(text: string, scope: ConditionScope, faults: FaultsAt): void {
  const compiled = compileCondition(text, scope);
  if (!compiled.ok) reportAll(compiled.faults, text, faults);
}

/** Reports every fault of a condition that is judged once, on current values: nothing in it may need a history. */
export function checkInstantCondition(text: string, scope: ConditionScope, faults: FaultsAt): void {
  const compiled = compileCondition(text, scope);
  if (!compiled.ok) return reportAll(compiled.faults, text, faults);
  if (!compiled.value.temporal) return;
  faults.fault(
    'it is evaluated once, on current values, and could never be true: it needs more than one sample',
    'leave out `stable for`, `changes` and functions over a window; a derived measure can carry such a value',
  );
}

/** Reports every fault of the expression of a derived measure. */
export function checkExpression(
  text: string,
  scope: ConditionScope,
  measure: ScopeMeasure,
  faults: FaultsAt,
): void {
  const compiled = compileExpression(text, scope, measure);
  if (!compiled.ok) reportAll(compiled.faults, text, faults);
}

interface TextFault {
  readonly message: string;
  readonly help?: string;
  readonly offset: number;
}

function reportAll(found: readonly TextFault[], text: string, faults: FaultsAt): void {
  for (const { message, help, offset } of found) {
    faults.fault(`${message} (at character ${offset + 1} of \`${text}\`)`, help ?? 'correct the condition');
  }
}
