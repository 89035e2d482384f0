/**
 * One procedure being resolved: its place in the tree, the targets of its roles, the values of its inputs, and where
 * what does not hold is collected. Mission Control Service, section 4.2 rule 1.
 *
 * S1. A role or input that is not here although the procedure has it did not hold: it was reported where it was given,
 *     and what needs it is skipped.
 */

import { assert } from '../../../contract/assert.ts';
import type { ErrorCode, Fault } from '../../../contract/errors.ts';
import type { AnswerType, Operand } from '../../../contract/program.ts';
import type { RunValue } from '../../../contract/run-event.ts';
import type { ResolvedValue } from '../../../contract/telecommand.ts';
import type { Environment, Mission } from '../../mission.ts';
import { fault } from '../../resolve-link.ts';
import type { Procedure, Written } from '../procedure.ts';
import { pointer } from './pointer.ts';
import type { RoleTarget } from './target.ts';

export interface Invocation {
  readonly mission: Mission;
  /** Undefined when it is unknown: what depends on it is skipped. */
  readonly environment: Environment | undefined;
  readonly uploads: ReadonlySet<string>;
  readonly procedure: Procedure;
  /** Before the paths of its steps: empty, or the path of its call and `/`. */
  readonly prefix: string;
  readonly targets: ReadonlyMap<string, RoleTarget>;
  readonly inputs: ReadonlyMap<string, BoundInput>;
  /** Collected over the whole tree. */
  readonly faults: Fault[];
  readonly warnings: string[];
}

export interface BoundInput {
  /** Null: an optional one without value. */
  readonly value: RunValue;
  readonly type: AnswerType;
  /** The input of the request it comes from; of a value in the library, `/run`. */
  readonly at: string;
}

/** A leaf step being resolved: the answers given so far are names in it. */
export interface Leaf {
  readonly frame: Invocation;
  /** Whole. */
  readonly path: string;
  readonly answers: Map<string, AnswerType>;
}

/** What is written in a statement, as far as it is known now. */
export type Meaning =
  | {
      readonly kind: 'value';
      readonly value: ResolvedValue;
      /** Of a number that came from an input; a literal is in the unit of where it stands. */
      readonly unit: string | undefined;
      readonly at: string;
    }
  | { readonly kind: 'answer'; readonly operand: Operand }
  | { readonly kind: 'absent'; readonly input: string; readonly at: string }
  | { readonly kind: 'unknown' };

export function meaningOf(written: Written, { frame, answers }: Leaf): Meaning {
  if ('value' in written) return { kind: 'value', value: written.value, unit: undefined, at: pointer('run') };
  const { name } = written;
  const answer = answers.get(name);
  if (answer !== undefined) return { kind: 'answer', operand: { name, ...unitOf(answer) } };
  return inputMeaning(name, frame);
}

export function inputMeaning(
  name: string,
  { procedure, inputs }: Invocation,
): Exclude<Meaning, { kind: 'answer' }> {
  const bound = inputs.get(name);
  if (bound === undefined) {
    assert(procedure.inputs.has(name), `S1: ${name} is an input or an answer of ${procedure.name}`);
    return { kind: 'unknown' };
  }
  const { value, type, at } = bound;
  if (value === null) return { kind: 'absent', input: name, at };
  return { kind: 'value', value, unit: type.unit, at };
}

export function unitOf({ unit }: AnswerType): { readonly unit?: string } {
  return unit === undefined ? {} : { unit };
}

/** Reports what a step cannot do with the request. */
export function reportFault(
  { frame, path }: Leaf,
  code: ErrorCode,
  message: string,
  help: string | undefined,
  at: string,
): void {
  frame.faults.push(fault(code, `step ${path}: ${message}`, help, at));
}

/** The value, or the answer to come; undefined when it is unknown or absent, which is then reported. */
export function operandOf(meaning: Meaning, leaf: Leaf, user: string): Operand | undefined {
  if (meaning.kind === 'value') return { value: meaning.value };
  if (meaning.kind === 'answer') return meaning.operand;
  if (meaning.kind === 'absent') {
    const message = `${user} needs input "${meaning.input}", but it has no value`;
    reportFault(leaf, 'run::missing-input', message, 'give it one', meaning.at);
  }
  return undefined;
}
