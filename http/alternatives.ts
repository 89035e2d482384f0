/**
 * Which alternative of a union was meant, so that a refusal names the field that is wrong and not the union. Pure.
 *
 * N1. An alternative is meant when the value carries its literal (`"protocol": "csp"`): what it lacks is then said of
 *     that alternative alone. A literal that none has, or that is missing, is what is wrong.
 */

import type { Validator } from 'typebox/compile';

export type Problem = ReturnType<Validator['Errors']>[number];

export type Meant =
  /** Problems of the alternative that was meant. */
  | { readonly problems: readonly Problem[] }
  /** The field that tells alternatives apart, and what it may be; undefined where no literals tell them apart. */
  | { readonly field: string; readonly literals: readonly unknown[] };

/** What was meant where no alternative of a union fits; undefined where nothing tells the alternatives apart. */
export function meantAlternative(union: Problem, all: readonly Problem[]): Meant | undefined {
  const groups = groupsOf(union, all);
  const literals = groups.flatMap((group) => group.filter((problem) => isLiteral(problem, union)));
  if (literals.length > 0) {
    const meant = groups.filter((group) => !group.some((problem) => isLiteral(problem, union)));
    if (meant.length === 1) return { problems: meant[0]! };
    if (meant.length > 1) return undefined;
    const allowed = literals.map(({ params }) => (params as { allowedValue: unknown }).allowedValue);
    return { field: literals[0]!.instancePath, literals: allowed };
  }
  const missing = groups.map((group) => group.flatMap((problem) => requiredOf(problem, union)));
  const [field] = (missing[0] ?? []).filter((name) => missing.every((names) => names.includes(name)));
  return groups.length < 2 || field === undefined
    ? undefined
    : { field: `${union.instancePath}/${field}`, literals: [] };
}

/** The problems of each alternative with this value. */
function groupsOf({ schemaPath, instancePath }: Problem, all: readonly Problem[]): Problem[][] {
  const groups = new Map<string, Problem[]>();
  const prefix = `${schemaPath}/anyOf/`;
  for (const problem of all) {
    const isOfValue =
      problem.instancePath === instancePath || problem.instancePath.startsWith(`${instancePath}/`);
    if (!isOfValue || !problem.schemaPath.startsWith(prefix)) continue;
    const [number = ''] = problem.schemaPath.slice(prefix.length).split('/', 1);
    groups.set(number, [...(groups.get(number) ?? []), problem]);
  }
  return [...groups.values()];
}

/** A field of the value itself that has another literal. */
function isLiteral({ keyword, instancePath }: Problem, union: Problem): boolean {
  if (keyword !== 'const' || !instancePath.startsWith(`${union.instancePath}/`)) return false;
  return !instancePath.slice(union.instancePath.length + 1).includes('/');
}

function requiredOf({ keyword, instancePath, params }: Problem, union: Problem): string[] {
  if (keyword !== 'required' || instancePath !== union.instancePath) return [];
  return [...(params as { requiredProperties: readonly string[] }).requiredProperties];
}
