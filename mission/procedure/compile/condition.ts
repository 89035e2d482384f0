/** `expect`, `check` and `wait_until`. Mission Control Service, section 4.2. */

import { CHECK_MAX_AGE_MS } from '../../../contract/limits/run.ts';
import type { AnswerType } from '../../../contract/program.ts';
import { checkCondition, checkInstantCondition } from '../../check/condition.ts';
import type { ConditionScope, ScopeName } from '../../condition/scope.ts';
import { parseCondition } from '../../condition/syntax.ts';
import type { FaultsAt } from '../../document/fault.ts';
import type { CheckDocument, ExpectDocument, WaitUntilDocument } from '../../document/statement.ts';
import { createEnumeration } from '../../enumeration.ts';
import type { Statement } from '../procedure.ts';
import { positiveTimeIn } from './duration.ts';
import type { Names } from './names.ts';

/** `expect` holds on a sample that comes within its time. */
export function compileExpect(document: ExpectDocument, names: Names, faults: FaultsAt): Statement {
  const withinMs = positiveTimeIn(document.within, faults.in('within'));
  const mentioned = mentionedIn(document.expect, names, faults.in('expect'), checkCondition);
  if (mentioned !== undefined && mentioned.roles.size === 0)
    faults
      .in('expect')
      .fault('it names no measure, so no sample can satisfy it', 'name one, or write a check');
  return {
    kind: 'expect',
    condition: document.expect,
    withinMs,
    longestMs: withinMs,
    answers: answersOf(mentioned, names),
  };
}

/** `check` holds now, on samples that are not too old. */
export function compileCheck(document: CheckDocument, names: Names, faults: FaultsAt): Statement {
  const { max_age } = document;
  const maxAgeMs = max_age === undefined ? CHECK_MAX_AGE_MS : positiveTimeIn(max_age, faults.in('max_age'));
  const mentioned = mentionedIn(document.check, names, faults.in('check'), checkInstantCondition);
  const answers = answersOf(mentioned, names);
  return { kind: 'check', condition: document.check, answers, maxAgeMs, longestMs: 0 };
}

/** `wait_until` holds now or before its time is over. */
export function compileWaitUntil(document: WaitUntilDocument, names: Names, faults: FaultsAt): Statement {
  const withinMs = positiveTimeIn(document.timeout, faults.in('timeout'));
  const mentioned = mentionedIn(document.wait_until, names, faults.in('wait_until'), checkCondition);
  return {
    kind: 'wait_until',
    condition: document.wait_until,
    withinMs,
    longestMs: withinMs,
    answers: answersOf(mentioned, names),
  };
}

interface Mentioned {
  /** First segments of references: roles, and words of enumerations. */
  readonly roles: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
}

/** What the condition names; undefined when it could not be compiled for a reason reported elsewhere. */
function mentionedIn(
  text: string,
  names: Names,
  faults: FaultsAt,
  check: typeof checkCondition,
): Mentioned | undefined {
  const tree = parseCondition(text);
  const found = { roles: new Set<string>(), names: new Set<string>() };
  if (tree.ok) collect(tree.value, found);
  const unsound =
    [...found.roles].some((role) => names.header.unsoundRoles.has(role)) ||
    [...found.names].some((name) => names.isUnsound(name));
  if (unsound) return undefined;
  check(text, scopeOf(names), faults);
  for (const name of found.names) {
    if (names.maybeNull(name))
      faults.fault(
        `$${name} may be null, but null is not a value here`,
        `give the input ${name} another default`,
      );
  }
  return found;
}

/**
 * The scope of conditions and texts of the step. Here they are only checked: whoever follows one gives two roles of one
 * platform ordinals of their own.
 */
export function scopeOf(names: Names): ConditionScope {
  const roles = new Map([...names.header.roles].map(([role, { compiled }]) => [role, compiled]));
  return { roles, names: new Map([...names.all()].map(([name, type]) => [name, scopeName(type)])) };
}

function scopeName({ type, unit, values, of }: AnswerType): ScopeName {
  const enumeration = values === undefined ? undefined : createEnumeration(type, values);
  return { type, unit, enumeration, of };
}

/** Goes through the tree whatever its nodes are: references and names stand anywhere in it. */
function collect(node: unknown, into: { roles: Set<string>; names: Set<string> }): void {
  if (typeof node !== 'object' || node === null) return;
  if (Array.isArray(node)) {
    for (const each of node) collect(each, into);
    return;
  }
  const { kind, name, path } = node as { kind?: unknown; name?: unknown; path?: unknown };
  if (kind === 'name' && typeof name === 'string') into.names.add(name);
  if (kind === 'reference' && Array.isArray(path) && path.length > 1) into.roles.add(path[0].name);
  for (const each of Object.values(node)) collect(each, into);
}

function answersOf(mentioned: Mentioned | undefined, names: Names): Record<string, AnswerType> {
  const answers: Record<string, AnswerType> = {};
  for (const name of mentioned?.names ?? []) {
    const type = names.isAnswer(name) ? names.typeOf(name) : undefined;
    if (type !== undefined) answers[name] = type;
  }
  return answers;
}
