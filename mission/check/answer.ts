/**
 * The answer that verifies a telecommand written as a line. Mission Control Service, section 3.1 (ACK 3).
 *
 * W1. A line is an answer of success or of failure, never of both.
 */

import type { AnswerConfiguration } from '../configuration.ts';
import type { FaultsAt } from '../document/fault.ts';
import type { VerifyDocument } from '../document/platform.ts';
import { commonLine } from '../line/overlap.ts';
import { compilePattern, type Pattern } from '../line/pattern.ts';
import type { Enumeration } from '../platform.ts';
import { durationIn } from './quantity.ts';

/** What a telecommand is whose answer is checked. */
export interface AnswerSite {
  readonly isLine: boolean;
  readonly enumerations: ReadonlyMap<string, Enumeration>;
}

/** The answer awaited, at most as long as the whole verification; undefined when the document has none. */
export function checkAnswer(
  { answer, reports }: VerifyDocument,
  { isLine, enumerations }: AnswerSite,
  withinMs: number,
  faults: FaultsAt,
): AnswerConfiguration | undefined {
  if (answer === undefined) return undefined;
  const at = faults.in('answer');
  if (!isLine) at.fault('only a telecommand written as a line has an answer', 'add `line` to its encode');
  if (reports !== undefined) at.fault('reports and answer exclude each other', 'keep one of the two');
  const ok = checkPattern(answer.ok, enumerations, at.in('ok'));
  const error =
    answer.error === undefined ? undefined : checkPattern(answer.error, enumerations, at.in('error'));
  const both = ok === undefined || error === undefined ? undefined : commonLine(ok, error);
  if (both !== undefined)
    at.in('error').fault(`"${both}" would be success and failure`, 'make one of the patterns narrower');
  const own = answer.within === undefined ? undefined : durationIn(answer.within, at.in('within'));
  if (own === 0) at.in('within').fault('the time is zero', 'give the time an answer may take, like 2 s');
  if (own !== undefined && own > withinMs)
    at.in('within').fault(
      'it ends after the whole verification',
      'raise `within` of verify, or lower this one',
    );
  return {
    ok: answer.ok,
    ...(answer.error !== undefined && { error: answer.error }),
    withinMs: own ?? withinMs,
  };
}

/** The pattern; every fault of it is reported. */
export function checkPattern(
  source: string,
  enumerations: ReadonlyMap<string, Enumeration>,
  faults: FaultsAt,
): Pattern | undefined {
  const compiled = compilePattern(source, enumerations);
  if (compiled.ok) return compiled.value;
  for (const { message, help } of compiled.faults) faults.fault(message, help);
  return undefined;
}
