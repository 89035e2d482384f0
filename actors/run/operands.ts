/**
 * The values of a statement at the moment it runs: known since the request was resolved, or an answer given in the same
 * step. Mission Control Service, section 4.2 rule 8.
 *
 * O1. An answer comes in its own unit; what takes it gets it in the unit it needs.
 * O2. What was resolved for the run is checked again with the answers in place: an answer may be out of the range of an
 *     argument although it is inside its own.
 */

import type { Operand, SendStatement } from '../../contract/program.ts';
import { accepted, type Result, refused } from '../../contract/result.ts';
import type { RunValue } from '../../contract/run-event.ts';
import type { ResolvedValue } from '../../contract/telecommand.ts';
import type { Answers } from '../../machines/run/protocol.ts';
import type { Mission } from '../../mission/mission.ts';
import type { Component, Telecommand } from '../../mission/platform.ts';
import { convert } from '../../mission/quantity.ts';
import { resolveArguments } from '../../mission/resolve-argument.ts';
import { resolveInstance } from '../../mission/resolve-instance.ts';
import { converts, findUnit } from '../../mission/unit.ts';

export interface SendValues {
  readonly instance?: string;
  readonly args: Readonly<Record<string, ResolvedValue>>;
}

/**
 * The value, a number in `unit` when both units are known; refuses an answer that was not given and a unit that does
 * not fit.
 */
export function operandValue(
  operand: Operand,
  answers: Answers,
  unit?: string,
): Result<ResolvedValue, string> {
  if ('value' in operand) return accepted(operand.value);
  const value = answerNamed(operand.name, answers);
  if (value === undefined) return refused(`$${operand.name} has no value`);
  if (typeof value !== 'number' || unit === undefined || operand.unit === undefined) return accepted(value);
  const [from, to] = [findUnit(operand.unit), findUnit(unit)];
  if (from === undefined || to === undefined || !converts(from, to)) {
    return refused(`$${operand.name} is in ${operand.unit}, which cannot be told in ${unit}`);
  }
  return accepted(convert(value, operand.unit, unit));
}

/** The value as a text that names something: an instance, a file, stored content. */
export function operandText(operand: Operand, answers: Answers): Result<string, string> {
  const value = operandValue(operand, answers);
  return value.ok ? accepted(String(value.value)) : value;
}

/**
 * Instance and arguments of a telecommand; refuses, all at once, values that are missing or do not fit the catalogue.
 */
export function sendValues(
  statement: SendStatement,
  mission: Mission,
  answers: Answers,
): Result<SendValues, string> {
  const component = mission.targets.get(statement.target)?.platform?.components.get(statement.component);
  const telecommand = component?.telecommands.get(statement.telecommand);
  if (component === undefined || telecommand === undefined) {
    return refused(
      `the catalogue of ${statement.target} has no ${statement.component}.${statement.telecommand}`,
    );
  }
  const faults: string[] = [];
  const args = argumentsOf(statement, telecommand, answers, faults);
  const instance = instanceOf(statement, component, telecommand, answers, faults);
  const [first, ...more] = faults;
  if (first !== undefined) return refused(first, ...more);
  return accepted({ args, ...(instance !== undefined && { instance }) });
}

function argumentsOf(
  { args }: SendStatement,
  telecommand: Telecommand,
  answers: Answers,
  faults: string[],
): Readonly<Record<string, ResolvedValue>> {
  const given: Record<string, ResolvedValue> = {};
  const before = faults.length;
  for (const [name, operand] of Object.entries(args)) {
    const unit = telecommand.args.find((argument) => argument.name === name)?.unit;
    const value = operandValue(operand, answers, unit);
    if (value.ok) given[name] = value.value;
    else faults.push(...value.faults.map((fault) => `argument "${name}": ${fault}`));
  }
  // An argument without its answer would be reported a second time.
  if (faults.length > before) return given;
  const resolved = resolveArguments(telecommand, given);
  faults.push(
    ...resolved.faults.map(({ message, help }) => (help === undefined ? message : `${message}; ${help}`)),
  );
  return resolved.values;
}

function instanceOf(
  statement: SendStatement,
  component: Component,
  telecommand: Telecommand,
  answers: Answers,
  faults: string[],
): string | undefined {
  const { instance } = statement;
  const text = instance === undefined ? undefined : operandText(instance, answers);
  if (text !== undefined && !text.ok) {
    faults.push(...text.faults);
    return undefined;
  }
  const resolved = resolveInstance(component, telecommand, undefined, text?.value);
  faults.push(...resolved.faults.map(({ message }) => message));
  return resolved.instance;
}

function answerNamed(name: string, answers: Answers): Exclude<RunValue, null> | undefined {
  return Object.hasOwn(answers, name) ? (answers[name] ?? undefined) : undefined;
}
