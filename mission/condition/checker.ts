/**
 * Gives meaning to the tree of a condition: what each part is, in which unit, and the closure that computes it. Reports
 * every fault it meets and goes on, so that one look at the document is enough.
 *
 * G1. A part whose fault was reported is reported no further fault.
 */

import { assertNever } from '../../contract/assert.ts';
import { unknownUnit } from '../quantity.ts';
import { findUnit, PLAIN } from '../unit.ts';
import { binaryTerm, negativeTerm } from './arithmetic.ts';
import { callTerm, durationOf } from './call.ts';
import { allOf, anyOf } from './chain.ts';
import { changesTerm, compareTerm, inTerm } from './comparison.ts';
import type { TruthRun } from './history.ts';
import { Plan } from './plan.ts';
import { nameTerm, referenceTerm, unknownWord } from './reference.ts';
import type { ConditionScope } from './scope.ts';
import type { ConditionFault, Node, QuantityNode } from './syntax.ts';
import { type Check, described, literal, type NumberTerm, type Term, type TruthTerm } from './term.ts';
import { kleene, negated, TRUE } from './truth.ts';
import { withinTerm } from './within.ts';

export class Checker implements Check {
  readonly plan = new Plan();
  readonly scope: ConditionScope;
  readonly faults: ConditionFault[] = [];

  constructor(scope: ConditionScope) {
    this.scope = scope;
  }

  term(node: Node): Term | undefined {
    switch (node.kind) {
      case 'and':
      case 'or':
        return this.#chain(node.kind, node.of);
      case 'not':
        return this.#not(node.of);
      case 'stable':
        return this.#stable(node.of, node.duration);
      case 'compare':
        return compareTerm(node, this);
      case 'in':
        return inTerm(node.left, node.list, this);
      case 'within':
        return withinTerm(node, this);
      case 'changes':
        return changesTerm(node.left, node.at, this);
      case 'binary':
        return binaryTerm(node, this);
      case 'negative':
        return negativeTerm(node.of, node.at, this);
      case 'call':
        return callTerm(node, this);
      case 'quantity':
        return this.#quantity(node);
      case 'boolean':
        return truth(() => kleene(node.value));
      case 'text':
        return { kind: 'text', bytes: false, run: () => node.value, literal: node.value };
      case 'name':
        return nameTerm(node.name, node.at, this);
      case 'reference':
        return referenceTerm(node, this);
      default:
        return assertNever(node);
    }
  }

  number(node: Node): NumberTerm | undefined {
    const term = this.term(node);
    if (term === undefined) return undefined;
    if (term.kind === 'word') return unknownWord(term.word, node.at, this);
    if (term.kind !== 'number') {
      return this.fault(node.at, `a number is expected, this is ${described(term)}`);
    }
    if (term.ageOf === undefined) return term;
    return this.fault(
      node.at,
      'an age must be alone on one side of a comparison',
      'write for example "age(x) > 60 s"',
    );
  }

  truth(node: Node): TruthTerm | undefined {
    const term = this.term(node);
    if (term === undefined || term.kind === 'truth') return term;
    if (term.kind === 'word') return unknownWord(term.word, node.at, this);
    return this.fault(
      node.at,
      `a condition is expected, this is ${described(term)}`,
      'compare it with something',
    );
  }

  fault(offset: number, message: string, help?: string): undefined {
    this.faults.push({ message, ...(help !== undefined && { help }), offset });
  }

  #chain(kind: 'and' | 'or', of: readonly Node[]): TruthTerm | undefined {
    const terms = of.map((node) => this.truth(node));
    const runs = terms.flatMap((term) => (term === undefined ? [] : [term.run]));
    if (runs.length < of.length) return undefined;
    return truth(kind === 'and' ? allOf(runs) : anyOf(runs));
  }

  #not(of: Node): TruthTerm | undefined {
    const run = this.truth(of)?.run;
    return run && truth((history) => negated(run(history)));
  }

  #stable(of: Node, duration: Node): TruthTerm | undefined {
    const timers = this.plan.timers.length;
    const run = this.truth(of)?.run;
    const durationMs = durationOf(duration, this);
    if (run === undefined || durationMs === undefined) return undefined;
    const hold = this.plan.hold(run, durationMs, timers);
    return truth((history) => {
      const now = run(history);
      return now === TRUE ? kleene(history.now >= history.holds[hold]!.due(durationMs)) : now;
    });
  }

  #quantity(node: QuantityNode): Term | undefined {
    const value = Number(node.text);
    if (!Number.isFinite(value)) return this.fault(node.at, `${node.text} is too large`);
    const unit = node.unit === null ? PLAIN : findUnit(node.unit);
    if (unit !== undefined) return literal(value, unit);
    const { message, help } = unknownUnit(node.unit ?? '');
    return this.fault(node.at, message, help);
  }
}

function truth(run: TruthRun): TruthTerm {
  return { kind: 'truth', run };
}
