/** Comparisons of scenarios: whether the operator and the value fit what is compared. */

import type { ScenarioStep } from '../../contract/bench/scenario.ts';

type Comparison = Pick<NonNullable<ScenarioStep['until']>, 'op' | 'value'>;

export interface OperandProblem {
  readonly field: 'op' | 'value';
  readonly reason: string;
}

/** Why something of this type cannot be compared so. */
export function operandProblem(
  type: 'number' | 'boolean' | readonly string[],
  { op, value }: Comparison,
): OperandProblem | undefined {
  const ordered = op !== '==' && op !== '!=';
  if (type === 'number')
    return typeof value === 'number'
      ? undefined
      : { field: 'value', reason: `is ${JSON.stringify(value)}, not a number` };
  if (ordered) return { field: 'op', reason: `is ${op}; this is not greater or less, use == or !=` };
  if (type === 'boolean')
    return typeof value === 'boolean'
      ? undefined
      : { field: 'value', reason: `is ${JSON.stringify(value)}, not true or false` };
  return type.includes(String(value)) && typeof value === 'string'
    ? undefined
    : { field: 'value', reason: `is ${JSON.stringify(value)}; one of ${type.join(', ')} fits` };
}
