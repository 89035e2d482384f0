/** Statements of procedures in words, for outlines that people read. Mission Control Service, section 4.2. */

import { assertNever } from '../../contract/assert.ts';
import type { AnswerType } from '../../contract/program.ts';
import { formatDuration } from '../quantity.ts';
import type { Statement, Text, Written } from './procedure.ts';

/** `send sat.power.switch (channel: payload, on: false)`. */
export function statementWords(statement: Statement): string {
  switch (statement.kind) {
    case 'send':
      return sendWords(statement);
    case 'expect':
      return `expect ${statement.condition}, within ${formatDuration(statement.withinMs ?? 0)}`;
    case 'check':
      return `check ${statement.condition}, on samples of the last ${formatDuration(statement.maxAgeMs ?? 0)}`;
    case 'wait_until':
      return `wait until ${statement.condition}, at most ${formatDuration(statement.withinMs ?? 0)}`;
    case 'wait':
      return `wait ${formatDuration(statement.ms)}`;
    case 'log':
      return `log "${textWords(statement.message)}"`;
    case 'ask':
      return askWords(statement);
    case 'confirm':
      return `confirm "${textWords(statement.prompt)}", by ${statement.role}`;
    case 'configure':
      return `configure ${statement.role} for ${statement.mode}, readbacks within ${formatDuration(statement.withinMs)}`;
    case 'set_mode':
      return `set the mode of ${statement.role} to ${statement.mode}`;
    case 'download':
      return `download ${fileWords(statement)}, priority ${statement.priority}`;
    case 'upload':
      return `upload $${statement.content.name} to ${fileWords(statement)}`;
    default:
      return assertNever(statement);
  }
}

function sendWords(statement: Extract<Statement, { kind: 'send' }>): string {
  const args = [...statement.args].map(([name, value]) => `${name}: ${writtenWords(value)}`);
  const link = statement.link === undefined ? '' : ` over ${statement.link}`;
  const again = statement.retry === 0 ? '' : `, sent again up to ${times(statement.retry)}`;
  return `send ${telecommandWords(statement)}${args.length > 0 ? ` (${args.join(', ')})` : ''}${link}${again}`;
}

/** `sat.battery[1].set_heater`, with `$name` for an instance that is a name. */
export function telecommandWords({
  role,
  component,
  instance,
  telecommand,
}: Extract<Statement, { kind: 'send' }>): string {
  return `${role}.${component.name}${instanceWords(instance)}.${telecommand.name}`;
}

function askWords({ prompt, as, type, timeoutMs }: Extract<Statement, { kind: 'ask' }>): string {
  const answer = as === undefined || type === undefined ? '' : `, the answer is $${as}, ${typeWords(type)}`;
  const timeout = timeoutMs === null ? '' : `, at most ${formatDuration(timeoutMs)}`;
  return `ask "${textWords(prompt)}"${answer}${timeout}`;
}

function fileWords({
  role,
  component,
  file,
}: {
  role: string;
  component: string;
  file: { name: string };
}): string {
  return `${role}.${component}[$${file.name}]`;
}

/** The text with what it shows in braces, as written. */
export function textWords(text: Text): string {
  return text.map(partWords).join('');
}

function partWords(part: Text[number]): string {
  if (typeof part === 'string') return part;
  if ('name' in part) return `{$${part.name}}`;
  return `{${part.role}.${part.component}${instanceWords(part.instance)}.${part.measure}}`;
}

function instanceWords(instance: Written | undefined): string {
  return instance === undefined ? '' : `[${writtenWords(instance)}]`;
}

export function writtenWords(written: Written): string {
  return 'name' in written ? `$${written.name}` : String(written.value);
}

/** `f64 in ms, 0.1 to 500`, `instance of battery`, `ObcMode (BOOT, SAFE, NOMINAL)`. */
export function typeWords({ type, unit, of, values, range }: AnswerType): string {
  if (of !== undefined) return `${type} of ${of}`;
  if (values !== undefined) return `${type} (${values.map(([name]) => name).join(', ')})`;
  const kind = unit === undefined ? type : `${type} in ${unit}`;
  if (range === undefined) return kind;
  const [least, most] = range;
  if (least === null || most === null)
    return `${kind}, ${least === null ? `at most ${most}` : `at least ${least}`}`;
  return `${kind}, ${least} to ${most}`;
}

export function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}
