/**
 * The body of a request, read strictly: UTF-8, JSON, the shape of its schema, no unknown and no repeated name. Mission
 * Control Service, "Conventions". Whether the values mean anything is the handler's question.
 *
 * Y1. A refusal lists every problem, each with its path, up to `ERRORS_LISTED`, and counts the others.
 * Y2. Nothing is gathered for a body that is in order: the cost of a good body is one parse, one check, two scans.
 * Y4. A part with more entries than fit is refused alone, before any of them is looked at (body-size.Z1).
 * Y3. Nothing is made of a body that is deeper than `BODY_DEPTH`: lists within one another cost many times what as many
 *     bytes of others do.
 */

import { isUtf8 } from 'node:buffer';
import type { Validator } from 'typebox/compile';
import { Settings } from 'typebox/system';
import { isDeeperThan } from '../contract/json-bytes.ts';
import { BODY_DEPTH, ERRORS_LISTED } from '../contract/limits/request.ts';
import { meantAlternative, type Problem } from './alternatives.ts';
import { type TooLarge, tooLarge } from './body-size.ts';
import { countKeys, countNames, repeatedNames } from './json-text.ts';
import { type AnyFault, type Handled, type Refusal, refusal } from './reply.ts';

/** The value of the body; refuses with `code` what is not JSON of the shape. */
export function readJsonBody(bytes: Buffer, validator: Validator, code: string): Handled<unknown, AnyFault> {
  if (!isUtf8(bytes)) return refusal(code, 'the body is not UTF-8 text');
  if (isDeeperThan(BODY_DEPTH, bytes)) {
    const message = `the body has more than ${BODY_DEPTH} lists and objects within one another`;
    return refusal(code, message, { help: 'Send one JSON object of the shape that the route describes.' });
  }
  const text = bytes.toString();
  const parsed = parse(text);
  if ('problem' in parsed) return notJson(parsed.problem, bytes.length, code);
  const { value } = parsed;
  const large = bytes.length > SMALL_BODY_BYTES ? tooLarge(value, validator.Type() as object) : undefined;
  if (large !== undefined) return refusalOf([sizeFault(large)], code);
  const fits = validator.Check(value);
  const repeats = countNames(bytes) !== countKeys(value);
  if (fits && !repeats) return { ok: true, value };
  return refusalOf(
    [
      ...(repeats
        ? repeatedNames(text).map((path) => ({ path, message: `${path} occurs twice in the body` }))
        : []),
      ...(fits ? [] : shapeFaults(value, validator)),
    ],
    code,
  );
}

function parse(text: string): { value: unknown } | { problem: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

function notJson(problem: string, size: number, code: string): Refusal<AnyFault> {
  const message = size === 0 ? 'the body is empty' : `the body is not JSON: ${problem}`;
  return refusal(code, message, { help: 'Send one JSON object.' });
}

/** No part of a smaller one costs anything. */
const SMALL_BODY_BYTES = 4_096;

function sizeFault({ path, entries, most }: TooLarge): ShapeFault {
  return faultAt(path, `${path === '' ? 'the body' : path} has ${entries} entries; at most ${most} fit`);
}

/** A fault without its code, which is the same for all of them. */
type ShapeFault = Omit<AnyFault, 'code'>;

function refusalOf(faults: readonly ShapeFault[], code: string): Refusal<AnyFault> {
  const [first, ...rest] = faults.slice(0, ERRORS_LISTED).map((fault) => ({ code, ...fault }));
  if (first === undefined) return refusal(code, 'the body does not have the expected shape');
  const more = faults.length - ERRORS_LISTED;
  return { ok: false, faults: [first, ...rest], ...(more > 0 && { more }) };
}

function shapeFaults(value: unknown, validator: Validator): ShapeFault[] {
  const known = Object.keys((validator.Type() as { properties?: object }).properties ?? {});
  return faultsAmong(problemsOf(value, validator), known);
}

/** Problems inside a union stand for the union, unless it is known which of its alternatives was meant. */
function faultsAmong(problems: readonly Problem[], known: readonly string[]): ShapeFault[] {
  const alternatives = new Set(
    problems.filter(({ keyword }) => keyword === 'anyOf').map(({ schemaPath }) => `${schemaPath}/anyOf/`),
  );
  return problems
    .filter(({ schemaPath }) => ![...alternatives].some((path) => schemaPath.startsWith(path)))
    .flatMap((problem) => faultsOf(problem, problems, known));
}

/** TypeBox keeps the bound on errors globally (default 8), so it is raised for the one call. */
function problemsOf(value: unknown, validator: Validator): Problem[] {
  const { maxErrors } = Settings.Get();
  Settings.Set({ maxErrors: ERRORS_LISTED * 4 });
  try {
    return validator.Errors(value);
  } finally {
    Settings.Set({ maxErrors });
  }
}

function faultsOf(problem: Problem, all: readonly Problem[], known: readonly string[]): ShapeFault[] {
  const { instancePath } = problem;
  switch (problem.keyword) {
    // An unknown field meets a schema that is false; `additionalProperties` lists the same names once more.
    case 'boolean':
      return [unknownField(instancePath, known)];
    case 'additionalProperties':
      return [];
    case 'required':
      return problem.params.requiredProperties.map((name) =>
        faultAt(`${instancePath}/${name}`, `${instancePath}/${name} is missing`),
      );
    case 'anyOf':
      return unionFaults(problem, all, known);
    default:
      return [faultAt(instancePath, `${instancePath === '' ? 'the body' : instancePath} ${problem.message}`)];
  }
}

function unionFaults(problem: Problem, all: readonly Problem[], known: readonly string[]): ShapeFault[] {
  const { instancePath } = problem;
  const meant = meantAlternative(problem, all);
  if (meant === undefined)
    return [faultAt(instancePath, `${instancePath} must be ${alternativesOf(problem, all)}`)];
  if ('problems' in meant) return faultsAmong(meant.problems, known);
  const { field, literals } = meant;
  const words = literals.map((literal) => JSON.stringify(literal)).join(' or ');
  return [faultAt(field, literals.length === 0 ? `${field} is missing` : `${field} must be ${words}`)];
}

function unknownField(path: string, known: readonly string[]): ShapeFault {
  const isTop = path.lastIndexOf('/') === 0;
  return faultAt(
    path,
    `${path} is not a known field`,
    isTop ? `Known fields: ${known.join(', ')}.` : undefined,
  );
}

function faultAt(path: string, message: string, help?: string): ShapeFault {
  return { message, ...(help !== undefined && { help }), ...(path !== '' && { path }) };
}

function alternativesOf(problem: Problem, all: readonly Problem[]): string {
  const types = all.flatMap((other) =>
    other.keyword === 'type' && other.schemaPath.startsWith(`${problem.schemaPath}/anyOf/`)
      ? [String(other.params.type)]
      : [],
  );
  return types.length > 0 ? types.join(' or ') : 'one of the shapes of the schema';
}
