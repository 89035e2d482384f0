/**
 * The body of a request, read strictly: UTF-8, JSON, the shape of its schema, no unknown and no repeated name. Mission
 * Control Service, "Conventions". Whether the values mean anything is the handler's question.
 *
 * Y1. A refusal lists every problem, each with its path, up to `PROBLEMS_LISTED`.
 * Y2. Nothing is gathered for a body that is in order: the cost of a good body is one parse, one check, one scan.
 */

import { isUtf8 } from 'node:buffer';
import type { Validator } from 'typebox/compile';
import { Settings } from 'typebox/system';
import type { Fault } from '../contract/errors.ts';
import { refuse } from './errors.ts';
import { countKeys, countNames, repeatedNames } from './json-text.ts';
import type { Handled, Refusal } from './reply.ts';

/** A megabyte of unknown fields must not become a hundred megabytes of answer; nobody mends more at once. */
const PROBLEMS_LISTED = 100;

type Problem = ReturnType<Validator['Errors']>[number];

/** The value of the body; refuses with `api::invalid-body` what is not JSON of the shape. */
export function readJsonBody(bytes: Buffer, validator: Validator): Handled<unknown> {
  if (!isUtf8(bytes)) return refuse('api::invalid-body', 'the body is not UTF-8 text');
  const text = bytes.toString();
  const parsed = parse(text);
  if ('problem' in parsed) return notJson(parsed.problem, bytes.length);
  const { value } = parsed;
  const fits = validator.Check(value);
  const repeats = countNames(bytes) !== countKeys(value);
  if (fits && !repeats) return { ok: true, value };
  return refusalOf([
    ...(repeats ? repeatedNames(text).map(repeatedFault) : []),
    ...(fits ? [] : shapeFaults(value, validator)),
  ]);
}

function parse(text: string): { value: unknown } | { problem: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

function notJson(problem: string, size: number): Refusal {
  const message = size === 0 ? 'the body is empty' : `the body is not JSON: ${problem}`;
  return refuse('api::invalid-body', message, { help: 'Send one JSON object.' });
}

function refusalOf(faults: Fault[]): Refusal {
  const more = faults.length - PROBLEMS_LISTED;
  const listed = faults.slice(0, PROBLEMS_LISTED);
  if (more > 0) listed.push({ code: 'api::invalid-body', message: `and at least ${more} more` });
  const [first, ...rest] = listed;
  if (first === undefined) return refuse('api::invalid-body', 'the body has not the expected shape');
  return { ok: false, faults: [first, ...rest] };
}

function repeatedFault(path: string): Fault {
  return { code: 'api::invalid-body', message: `${path} stands twice in the body`, path };
}

function shapeFaults(value: unknown, validator: Validator): Fault[] {
  const problems = problemsOf(value, validator);
  const alternatives = problems
    .filter(({ keyword }) => keyword === 'anyOf')
    .map(({ schemaPath }) => schemaPath);
  const known = Object.keys((validator.Type() as { properties?: object }).properties ?? {});
  return problems
    .filter(({ schemaPath }) => !alternatives.some((path) => schemaPath.startsWith(`${path}/anyOf/`)))
    .flatMap((problem) => faultsOf(problem, problems, known));
}

/** TypeBox keeps the bound on errors globally (default 8), so it is raised for the one call. */
function problemsOf(value: unknown, validator: Validator): Problem[] {
  const { maxErrors } = Settings.Get();
  Settings.Set({ maxErrors: PROBLEMS_LISTED * 4 });
  try {
    return validator.Errors(value);
  } finally {
    Settings.Set({ maxErrors });
  }
}

function faultsOf(problem: Problem, all: readonly Problem[], known: readonly string[]): Fault[] {
  const { instancePath } = problem;
  const fault = (path: string, message: string, help?: string): Fault => ({
    code: 'api::invalid-body',
    message,
    ...(help !== undefined && { help }),
    ...(path !== '' && { path }),
  });
  switch (problem.keyword) {
    // An unknown field meets a schema that is false; `additionalProperties` lists the same names once more.
    case 'boolean':
      return [unknownField(instancePath, known, fault)];
    case 'additionalProperties':
      return [];
    case 'required':
      return problem.params.requiredProperties.map((name) =>
        fault(`${instancePath}/${name}`, `${instancePath}/${name} is missing`),
      );
    case 'anyOf':
      return [fault(instancePath, `${instancePath} must be ${alternativesOf(problem, all)}`)];
    default:
      return [fault(instancePath, `${instancePath === '' ? 'the body' : instancePath} ${problem.message}`)];
  }
}

function unknownField(
  path: string,
  known: readonly string[],
  fault: (path: string, message: string, help?: string) => Fault,
): Fault {
  const isTop = path.lastIndexOf('/') === 0;
  return fault(
    path,
    `${path} is not a known field`,
    isTop ? `Known fields: ${known.join(', ')}.` : undefined,
  );
}

function alternativesOf(problem: Problem, all: readonly Problem[]): string {
  const types = all.flatMap((other) =>
    other.keyword === 'type' && other.schemaPath.startsWith(`${problem.schemaPath}/anyOf/`)
      ? [String(other.params.type)]
      : [],
  );
  return types.length > 0 ? types.join(' or ') : 'one of the shapes of the schema';
}
