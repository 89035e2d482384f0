/** `ask` and `confirm`: what a person is asked. Mission Control Service, section 4.2. */

import type { FaultsAt } from '../../document/fault.ts';
import type { AskDocument, ConfirmDocument } from '../../document/statement.ts';
import type { Statement } from '../procedure.ts';
import { checkAnswerType } from './answer-type.ts';
import { positiveTimeIn } from './duration.ts';
import type { Names } from './names.ts';
import { compileText } from './text.ts';

/**
 * The question; its answer, if it has a name, is known in the rest of the step. Without timeout it has no bound
 * (longest.D1).
 */
export function compileAsk(document: AskDocument, names: Names, faults: FaultsAt): Statement {
  const { as, type: written, timeout } = document;
  const prompt = compileText(document.ask, names, faults.in('ask'));
  const { roles, unsoundRoles } = names.header;
  const site = { roles, lenient: unsoundRoles.size > 0 };
  const type = written === undefined ? undefined : checkAnswerType(written, site, faults.in('type'));
  if (as === undefined && written !== undefined)
    faults.in('type').fault('the answer has a type and no name', 'add `as` with a name, or leave type out');
  if (as !== undefined && written === undefined)
    faults.in('as').fault(`the answer ${as} has no type`, 'add `type`, like { type: f64, unit: dB }');
  if (as !== undefined) names.answer(as, type, faults.in('as'));
  const timeoutMs = timeout === undefined ? null : positiveTimeIn(timeout, faults.in('timeout'));
  return { kind: 'ask', prompt, as, type, timeoutMs, longestMs: timeoutMs };
}

/** The confirmation; it waits for a person of the role without bound (longest.D1). */
export function compileConfirm(document: ConfirmDocument, names: Names, faults: FaultsAt): Statement {
  const prompt = compileText(document.confirm, names, faults.in('confirm'));
  return { kind: 'confirm', prompt, role: document.role, longestMs: null };
}
