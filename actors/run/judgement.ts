/**
 * What a run judges, ready to be followed: a condition of a procedure with its roles and names bound, or the readbacks
 * of a configure. Mission Control Service, sections 2.3 and 4.2.
 *
 * U1. Each role has ordinals of its own, also where two roles are one target: an evaluation reports its samples by
 *     ordinal alone.
 * U2. A condition that names what has no value cannot be judged; it is refused rather than waited for.
 */

import { assert } from '../../contract/assert.ts';
import type { AnswerType, ConditionStatement } from '../../contract/program.ts';
import { accepted, type Result, refused } from '../../contract/result.ts';
import type { ResolvedValue } from '../../contract/telecommand.ts';
import type { Answers, ReadbackJudgement } from '../../machines/run/protocol.ts';
import { compileCondition } from '../../mission/condition/compile.ts';
import type { Evaluation } from '../../mission/condition/condition.ts';
import { FileReads } from '../../mission/condition/file-reads.ts';
import type { ScopeName, ScopePlatform } from '../../mission/condition/scope.ts';
import { parseCondition } from '../../mission/condition/syntax.ts';
import { createEnumeration } from '../../mission/enumeration.ts';
import type { Mission } from '../../mission/mission.ts';
import type { Measure, Platform } from '../../mission/platform.ts';
import { ReadbackEvaluation } from './readback-evaluation.ts';

/** A measure that is read. */
export interface Watched {
  /** As the evaluation names it. */
  readonly ordinal: number;
  readonly target: string;
  readonly measure: Measure;
}

export interface Judgement {
  readonly evaluation: Evaluation;
  /** In the order of their keys, role by role. */
  readonly reads: readonly Watched[];
  /** Whether it looks at history or time: then real-time samples only may be fed. */
  readonly temporal: boolean;
  /** How far back it looks, ms. */
  readonly spanMs: number;
}

interface RolePlatform {
  readonly target: string;
  readonly platform: Platform;
  /** Ordinals of the role begin here. */
  readonly from: number;
  /** What the condition sees of it. */
  readonly scope: ScopePlatform;
}

/** The condition, opened; refuses, in words, names without a value and what the catalogue no longer has. */
export function openCondition(
  statement: ConditionStatement,
  mission: Mission,
  answers: Answers,
): Result<Judgement, string> {
  const names = namesOf(statement, answers);
  const missing = namesIn(statement.condition).filter((name) => !Object.hasOwn(names, name));
  if (missing.length > 0) return refused(missing.map((name) => `$${name} has no value`).join(', '));
  const roles = rolesOf(statement.targets, mission);
  const compiled = compileCondition(statement.condition, {
    roles: new Map([...roles].map(([role, { scope }]) => [role, scope])),
    names: typesOf(statement),
  });
  if (!compiled.ok) return refused(compiled.faults.map(({ message }) => message).join('; '));
  const { temporal, spanMs } = compiled.value;
  const files = new FileReads();
  const evaluation = compiled.value.open({ names, files });
  const reads = evaluation.reads.map((ordinal) => watchedIn([...roles.values()], files, ordinal));
  return accepted({ evaluation, reads, temporal, spanMs });
}

/** The readbacks, opened: true when the last sample of each is its value; refuses what the catalogue does not have. */
export function openReadbacks(
  { target, readbacks }: ReadbackJudgement,
  mission: Mission,
): Result<Judgement, string> {
  const platform = mission.targets.get(target)?.platform;
  const found = readbacks.map(({ component, instance, measure, value }) => {
    const of = instance === undefined ? component : `${component}[${instance}]`;
    const key = `${of}.${measure}`;
    const ordinal = platform?.ordinal(key);
    return { key, value, measure: ordinal === undefined ? undefined : platform?.measures[ordinal] };
  });
  const unknown = found.filter(({ measure }) => measure === undefined);
  if (unknown.length > 0) {
    return refused(`the catalogue of ${target} has no ${unknown.map(({ key }) => key).join(', ')}`);
  }
  const wanted = found.flatMap(({ measure, value }) => (measure === undefined ? [] : [{ measure, value }]));
  const reads = wanted.map(({ measure }, ordinal) => ({ ordinal, target, measure }));
  return accepted({ evaluation: new ReadbackEvaluation(wanted), reads, temporal: false, spanMs: 0 });
}

// Names
// -----------------------------------------------------------------------------------------------------------------

/** The names that have a value. */
function namesOf({ inputs, answers: declared }: ConditionStatement, answers: Answers) {
  const given = Object.entries(answers).filter(([name]) => Object.hasOwn(declared, name));
  const values: Record<string, ResolvedValue> = {};
  for (const [name, value] of [...Object.entries(inputs), ...given]) if (value !== null) values[name] = value;
  return values;
}

function typesOf({ inputTypes, answers }: ConditionStatement): ReadonlyMap<string, ScopeName> {
  const all = [...Object.entries(inputTypes), ...Object.entries(answers)];
  return new Map(all.map(([name, type]) => [name, scopeName(type)]));
}

function scopeName({ type, unit, values, of }: AnswerType): ScopeName {
  return {
    type,
    ...(unit !== undefined && { unit }),
    ...(values !== undefined && { enumeration: createEnumeration(type, values) }),
    ...(of !== undefined && { of }),
  };
}

/** Every `$name` of the text, instances included; none when the text is no condition. */
function namesIn(condition: string): string[] {
  const tree = parseCondition(condition);
  const found = new Set<string>();
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if ('kind' in node && node.kind === 'name' && 'name' in node) found.add(String(node.name));
    for (const part of Object.values(node)) walk(part);
  };
  if (tree.ok) walk(tree.value);
  return [...found];
}

// Roles
// -----------------------------------------------------------------------------------------------------------------

function rolesOf(
  targets: Readonly<Record<string, string>>,
  mission: Mission,
): ReadonlyMap<string, RolePlatform> {
  const roles = new Map<string, RolePlatform>();
  let from = 0;
  for (const [role, target] of Object.entries(targets)) {
    const platform = mission.targets.get(target)?.platform;
    if (platform === undefined) continue;
    roles.set(role, { target, platform, from, scope: scopeOf(platform, from) });
    from += platform.measures.length;
  }
  return roles;
}

/** U1 */
function scopeOf(platform: Platform, from: number): ScopePlatform {
  return {
    components: platform.components,
    ordinal: (key) => {
      const ordinal = platform.ordinal(key);
      return ordinal === undefined ? undefined : from + ordinal;
    },
  };
}

function watchedIn(roles: readonly RolePlatform[], files: FileReads, ordinal: number): Watched {
  const read = files.read(ordinal);
  const role = roles.findLast(({ from, scope }) =>
    read === undefined ? from <= ordinal : scope === read.platform,
  );
  const { target, platform, from } = role!;
  const measure = read === undefined ? platform.measures[ordinal - from] : files.measure(platform, ordinal);
  assert(measure !== undefined, 'U1: what is read is a measure');
  return { ordinal, target, measure };
}
