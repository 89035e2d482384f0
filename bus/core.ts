/**
 * Messages that are kept nowhere: publish, subscribe, serve and request. Mission Control Service, section 6.
 *
 * It knows no streams; a subject of request and reply must be in none, or the stream answers first.
 */

import type { Msg } from 'nats';
import type { CoreMessage, Headers, ServeOptions, Stoppable } from '../ports/bus.ts';
import type { Log } from '../ports/log.ts';
import { checkFilter, checkHeaders, checkName, checkSubject } from './address.ts';
import type { Connection } from './connection.ts';
import { isOwnInbox } from './identity.ts';
import { plainBytes, ReceivedMessage } from './message.ts';
import { askUntilSettled } from './settling.ts';

interface Queue {
  readonly queue?: string;
}

/** Sends to whoever listens now; lost while disconnected. */
export function publish(connection: Connection, subject: string, data: Uint8Array, headers?: Headers): void {
  checkSubject(subject);
  connection.send(subject, data, headers === undefined ? {} : { headers: checkHeaders(headers) });
}

export function subscribe(
  connection: Connection,
  subject: string,
  handle: (message: CoreMessage) => void,
  { queue }: Queue = {},
): Stoppable {
  if (queue !== undefined) checkName(queue);
  return connection.subscribe(checkFilter(subject), (message) => handle(new ReceivedMessage(message)), queue);
}

/**
 * Replies with what `answer` resolves to; a rejection is logged and nobody is answered. What was asked before it is
 * stopped is still given to `answer`: the server has said that somebody serves the subject. What wants its answer
 * where it may not go (ports/bus.P6) is left out, which is a warning once: who tries that may try it without end.
 */
export function serve(
  connection: Connection,
  log: Log,
  subject: string,
  answer: (message: CoreMessage) => Promise<Uint8Array>,
  { queue, asker }: ServeOptions = {},
): Stoppable {
  if (queue !== undefined) checkName(queue);
  let isWarned = false;
  const refuse = ({ subject: about, reply }: Msg): void => {
    log[isWarned ? 'debug' : 'warn']({ subject: about, reply }, 'an answer was wanted at a foreign subject');
    isWarned = true;
  };
  const respond = async (message: Msg) => {
    try {
      const reply = await answer(new ReceivedMessage(message));
      if (message.reply) connection.send(message.reply, reply);
    } catch (error) {
      log.error({ err: error, subject: message.subject }, 'request was not answered');
    }
  };
  const take = (message: Msg): void => {
    const { subject: about, reply } = message;
    if (asker !== undefined && reply && !isOwnInbox(asker, about, reply)) refuse(message);
    else void respond(message);
  };
  return connection.subscribe(checkFilter(subject), take, queue, true);
}

/**
 * The reply; rejects with `bus.no-responder`, `bus.timeout`, or `bus.unavailable` when the connection is or gets lost.
 * A young connection waits for those who are not back yet (`settling.ts`).
 */
export async function request(
  connection: Connection,
  subject: string,
  data: Uint8Array,
  { timeoutMs, headers }: { timeoutMs: number; headers?: Headers },
): Promise<Uint8Array> {
  checkSubject(subject);
  if (headers !== undefined) checkHeaders(headers);
  const ask = async (leftMs: number): Promise<Uint8Array> => {
    const start = performance.now();
    await connection.ready(start + leftMs, false);
    const left = leftMs - (performance.now() - start);
    return plainBytes((await connection.request(subject, data, left, headers)).data);
  };
  return askUntilSettled(ask, {
    subject,
    timeoutMs,
    now: () => performance.now(),
    pause: (ms) => new Promise((resolve) => void setTimeout(resolve, ms)),
    unsettledMs: () => connection.unsettledMs,
  });
}
