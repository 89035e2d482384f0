/**
 * From the text of a condition (or of a derived measure) to something that can be followed. Everything is typed and
 * checked for units here; nothing is looked up at evaluation, and no code is generated. Mission Control Service,
 * section 2.11 (catalogue) and section 4.4 (evaluation).
 *
 * D1. A refusal lists every fault that does not follow from another, in the order of the text.
 */

import { accepted, type Result, refused, refusedAll } from '../../contract/result.ts';
import { Checker } from './checker.ts';
import type { Bindings, Condition, Evaluation, ExpressionEvaluation, Truth } from './condition.ts';
import { Following } from './following.ts';
import type { NumberRun, TruthRun } from './history.ts';
import type { Plan } from './plan.ts';
import { declaredUnit } from './reference.ts';
import type { ConditionScope, ScopeMeasure } from './scope.ts';
import { type ConditionFault, type Node, parseCondition } from './syntax.ts';
import { described, inUnit, type Term } from './term.ts';
import { TRUE, truthOf, UNKNOWN } from './truth.ts';

export interface CompiledCondition extends Condition {
  /** How far back it looks, at most, ms; the sample before that may count too (`changes`). */
  readonly spanMs: number;
}

/** The text of a derived measure, compiled. */
export interface Expression {
  readonly source: string;
  readonly temporal: boolean;
  /** How far back it looks, at most, ms. */
  readonly spanMs: number;
  open(bindings: Bindings): ExpressionEvaluation;
}

/** The condition; refuses syntax, unknown names, units and kinds that do not go together. */
export function compileCondition(
  text: string,
  scope: ConditionScope,
): Result<CompiledCondition, ConditionFault> {
  const compiled = checked(text, scope, (checker, root) => checker.truth(root)?.run);
  if (!compiled.ok) return compiled;
  const { plan, run } = compiled.value;
  return accepted({
    source: text,
    temporal: plan.temporal,
    spanMs: plan.spanMs,
    open: (bindings) => new FollowedCondition(plan, run, bindings),
  });
}

/**
 * The expression, expressed in the unit of `measure`; refuses what a condition is refused for and another kind or unit.
 */
export function compileExpression(
  text: string,
  scope: ConditionScope,
  measure: Pick<ScopeMeasure, 'type' | 'unit' | 'enumeration'>,
): Result<Expression, ConditionFault> {
  const compiled = checked(text, scope, (checker, root) => valueRun(checker, root, measure));
  if (!compiled.ok) return compiled;
  const { plan, run } = compiled.value;
  return accepted({
    source: text,
    temporal: plan.temporal,
    spanMs: plan.spanMs,
    open: (bindings) => new FollowedExpression(plan, run, bindings),
  });
}

class FollowedCondition extends Following implements Evaluation {
  readonly #run: TruthRun;

  constructor(plan: Plan, run: TruthRun, bindings: Bindings) {
    super(plan, bindings);
    this.#run = run;
  }

  truth(nowMs: number): Truth {
    return truthOf(this.#run(this.at(nowMs)));
  }
}

class FollowedExpression extends Following implements ExpressionEvaluation {
  readonly #run: NumberRun;

  constructor(plan: Plan, run: NumberRun, bindings: Bindings) {
    super(plan, bindings);
    this.#run = run;
  }

  value(nowMs: number): number | null {
    return finite(this.#run(this.at(nowMs))) ?? null;
  }

  groundTimeMs(nowMs: number): number | undefined {
    return finite(this.at(nowMs).oldestAt);
  }
}

function checked<Run>(
  text: string,
  scope: ConditionScope,
  give: (checker: Checker, root: Node) => Run | undefined,
): Result<{ plan: Plan; run: Run }, ConditionFault> {
  const tree = parseCondition(text);
  if (!tree.ok) return tree;
  const checker = new Checker(scope);
  const run = give(checker, tree.value);
  if (checker.faults.length > 0) {
    return refusedAll([...checker.faults].sort((a, b) => a.offset - b.offset));
  }
  if (run === undefined) return refused({ message: 'not a condition', offset: 0 });
  return accepted({ plan: checker.plan, run });
}

function valueRun(
  checker: Checker,
  root: Node,
  measure: Pick<ScopeMeasure, 'type' | 'unit' | 'enumeration'>,
): NumberRun | undefined {
  const term = checker.term(root);
  if (term === undefined) return undefined;
  const run = runOf(term, measure);
  if (run !== undefined) return run;
  const wanted =
    measure.enumeration?.name ?? (measure.unit === undefined ? measure.type : `in ${measure.unit}`);
  return checker.fault(
    root.at,
    `the measure is ${wanted}, this is ${described(term)}`,
    'correct one of them',
  );
}

function runOf(
  term: Term,
  { type, unit, enumeration }: Pick<ScopeMeasure, 'type' | 'unit' | 'enumeration'>,
): NumberRun | undefined {
  if (enumeration !== undefined) {
    return term.kind === 'enum' && term.enumeration.name === enumeration.name ? term.run : undefined;
  }
  if (type === 'string' || type === 'bytes') return undefined;
  if (type === 'bool') return term.kind === 'truth' ? truthNumber(term.run) : undefined;
  if (term.kind !== 'number' || term.ageOf !== undefined) return undefined;
  return inUnit(term, declaredUnit(unit))?.run;
}

function truthNumber(run: TruthRun): NumberRun {
  return (history) => {
    const truth = run(history);
    return truth === UNKNOWN ? Number.NaN : Number(truth === TRUE);
  };
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}
