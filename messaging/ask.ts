/**
 * One way to ask over the bus: a question with the reader of its answer, and what came of it.
 *
 * Q1. What came of a question is one of four: the answer; nobody serves the subject, which is a fact; no answer in
 *     time, after which it may have been done; a malformed reply. Each caller says, in one switch, what that means to
 *     it.
 * Q2. An outage of the bus itself is none of the four: it is thrown as `Outage`, as everywhere.
 * Q3. An answer is read without trust (`contract/reply.ts`), by the reader that its question brings. Of a malformed
 *     reply the reader returns `undefined`, and nothing of the bytes is used but their beginning, for people.
 * Q4. While those who serve may be on their way back behind an outage (bus.P5) the question reached nobody:
 *     `unanswered` says that it is not done, and a caller that can wait waits as for the bus (`askSettled`,
 *     `askWhileBusIsAway`).
 * Q5. Where those who serve share the work, one that sleeps may be given the question. One that may be answered twice
 *     names the subject that each of them serves (`all`): when nobody has answered for a while it is put to all of
 *     them, once, within the time that it has in any case. The first answer counts, whoever it is of; the others reach
 *     nobody. Whoever does not serve that subject loses nothing by it.
 * Q6. While the server is silent nothing is known of those who would answer. What a caller of the service wants is then
 *     not asked: it would be done when the server is back, long after the caller was refused (`askForCaller`).
 */

import { Outage } from '../contract/outage.ts';
import type { Bus, Headers } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import { pause } from './pause.ts';
import { retryWhileBusIsAway } from './while-bus-is-away.ts';

export interface Question<Answer> {
  /** Subject that the question is sent to. */
  readonly to: string;
  /** Sent as JSON; absent where the subject is enough. */
  readonly call?: object;
  /** The answer; undefined for a malformed reply. Never throws (Q3). */
  readonly read: (bytes: Uint8Array) => Answer | undefined;
  readonly timeoutMs: number;
  readonly headers?: Headers;
  /** Those who share the work, each of them (Q5); only where a question that is answered twice does no harm. */
  readonly all?: { readonly to: string; readonly afterMs: number; readonly clock: Clock };
}

/** What came of a question (Q1). */
export type Asked<Answer> =
  | { readonly outcome: 'answered'; readonly answer: Answer }
  /** Nobody serves the subject: nothing was done. */
  | { readonly outcome: 'unserved' }
  | {
      readonly outcome: 'unanswered';
      /** False: it reached nobody, and it is not known yet whether the subject is served (Q4). */
      readonly mayBeDone: boolean;
      readonly message: string;
    }
  | {
      readonly outcome: 'unreadable';
      readonly from: string;
      /** The beginning of what was answered. */
      readonly said: string;
    };

/** It is not known whether the question was received. */
export interface BusAway {
  readonly outcome: 'bus-away';
  readonly outage: Outage;
}

const SAID_CHARACTERS = 200;

/** Asks once. Throws `Outage` while the bus is away (Q2). */
export async function ask<Answer>(
  bus: Pick<Bus, 'request'>,
  question: Question<Answer>,
): Promise<Asked<Answer>> {
  const { to, read } = question;
  let bytes: Uint8Array;
  try {
    bytes = await replyTo(bus, question);
  } catch (error) {
    return silence(error);
  }
  const answer = read(bytes);
  return answer === undefined
    ? { outcome: 'unreadable', from: to, said: Buffer.from(bytes).toString('utf8', 0, SAID_CHARACTERS) }
    : { outcome: 'answered', answer };
}

/**
 * As `ask`, for a caller of the service. Throws `Outage` also while the server is silent, and instead of `unanswered`
 * where it has fallen silent since (Q6).
 */
export async function askForCaller<Answer>(
  bus: Pick<Bus, 'request' | 'silent'>,
  question: Question<Answer>,
): Promise<Asked<Answer>> {
  if (isSilent(bus)) throw new Outage('bus.unavailable', 'the message bus does not answer');
  const asked = await ask(bus, question);
  if (asked.outcome !== 'unanswered' || !isSilent(bus)) return asked;
  throw new Outage('bus.unavailable', 'the message bus does not answer any more', {
    remedy: 'What was asked may still be done: see what became of it before you ask again.',
  });
}

/**
 * As `ask`; throws `Outage` also while those who serve may be on their way back (Q4): for callers that wait for the bus
 * around it.
 */
export async function askSettled<Answer>(
  bus: Pick<Bus, 'request'>,
  question: Question<Answer>,
): Promise<Asked<Answer>> {
  const asked = await ask(bus, question);
  if (asked.outcome === 'unanswered' && !asked.mayBeDone)
    throw new Outage('bus.timeout', asked.message, { unsettled: true });
  return asked;
}

/** As `askSettled`, again until the bus answers; undefined once `signal` is aborted, whatever is under way. */
export async function askWhileBusIsAway<Answer>(
  bus: Pick<Bus, 'request'>,
  question: Question<Answer>,
  waiting: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Asked<Answer> | undefined> {
  return (await retryWhileBusIsAway(waiting, () => askSettled(bus, question)))?.value;
}

/** As `ask`, with an outage of the bus as one more outcome, for callers that handle it themselves. */
export async function askOrAway<Answer>(
  bus: Pick<Bus, 'request'>,
  question: Question<Answer>,
): Promise<Asked<Answer> | BusAway> {
  try {
    return await ask(bus, question);
  } catch (error) {
    if (error instanceof Outage) return { outcome: 'bus-away', outage: error };
    throw error;
  }
}

/** The first reply; rejects as the question to one of them does (Q5). */
async function replyTo<Answer>(
  bus: Pick<Bus, 'request'>,
  { to, call, timeoutMs, headers, all }: Question<Answer>,
): Promise<Uint8Array> {
  const data = call === undefined ? new Uint8Array() : Buffer.from(JSON.stringify(call));
  const put = (about: string, ms: number): Promise<Uint8Array> =>
    bus.request(about, data, { timeoutMs: ms, ...(headers !== undefined && { headers }) });
  const ofOne = put(to, timeoutMs);
  if (all === undefined || all.afterMs >= timeoutMs) return ofOne;
  const settled = new AbortController();
  const ofAll = async (): Promise<Uint8Array> => {
    await pause(all.clock, all.afterMs, settled.signal);
    return settled.signal.aborted ? ofOne : put(all.to, timeoutMs - all.afterMs).catch(() => ofOne);
  };
  return Promise.race([ofOne, ofAll()]).finally(() => settled.abort());
}

function isSilent({ silent = false }: Pick<Bus, 'silent'>): boolean {
  return silent;
}

function silence(error: unknown): Exclude<Asked<never>, { outcome: 'answered' }> {
  if (!(error instanceof Outage)) throw error;
  switch (error.code) {
    case 'bus.no-responder':
      return { outcome: 'unserved' };
    case 'bus.timeout':
      return { outcome: 'unanswered', mayBeDone: !error.unsettled, message: error.message };
    case 'bus.unavailable':
      throw error;
  }
}
