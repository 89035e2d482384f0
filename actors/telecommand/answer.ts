/**
 * Answers that do not name the telecommand they answer: lines of a text protocol. Mission Control Service, section 3.1
 * (ACK 3).
 *
 * N1. The answer is the first report with the reference of the telecommand that was received from its sending on and
 *     inside its time, and after the answer before. What comes after it is of a later telecommand.
 * N2. Until then no other telecommand of the target leaves, so there is only one that it can be of.
 * N3. A late answer, one that comes when its time was over, is taken for the answer of the telecommand sent by then.
 *     Nothing in a line could tell; documents give the time generously.
 * N4. A frame that may have left may be answered, and one asked to leave again after that twice: the next telecommand
 *     waits as long as an answer may take. A new owner that finds such a telecommand over does not know of it.
 */

import type { VerificationReport } from '../../contract/batch.ts';
import { ANSWER_STAMP_MS } from '../../contract/limits/link.ts';
import type { AwaitedAnswer } from '../../mission/platform.ts';
import type { Clock, TimerHandle } from '../../ports/clock.ts';

/** Time from the gateway to here of an answer that came at the last moment. */
const TRANSIT_MS = 250;
/** Whoever looks this long after the sending is a new owner, and reads first what was said before. */
const LATE_AFTER_MS = 500;
const LATE_LOOK_MS = 5_000;

/** Whether a report was received in the time of the answer (N1). */
export function isInTime(report: VerificationReport, answer: AwaitedAnswer, sentAt: number): boolean {
  return report.at >= sentAt - ANSWER_STAMP_MS && report.at <= sentAt + answer.withinMs;
}

/** Calls `missed` when the time of the answer is over and everything said in it has been read. */
export function awaitAnswer(
  clock: Clock,
  answer: AwaitedAnswer,
  sentAt: number,
  missed: () => void,
): TimerHandle {
  const now = clock.now();
  const over = sentAt + answer.withinMs + TRANSIT_MS;
  const look = now - sentAt > LATE_AFTER_MS ? now + LATE_LOOK_MS : now;
  return clock.setTimeout(missed, Math.max(over, look) - now);
}

/** What is said of a telecommand that was not answered. */
export function noAnswer({ withinMs }: AwaitedAnswer): string {
  return `no answer within ${withinMs / 1000} s of sending`;
}
