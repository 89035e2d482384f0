/**
 * When "nobody serves it" is a fact. Behind a restart of the bus everybody comes back at a time of his own: for as long
 * as a living process may take for that (`MEMBER_TTL_MS`), whoever is asked and is not there may be on his way back.
 *
 * S1. While the connection is younger than that, a subject that nobody serves is asked again within the time of the
 *     request. Nobody takes a request twice by this: it is asked again only where the server says that nobody took it.
 * S2. What is not there when the time of the request is over, and the connection is still that young, is a silence
 *     (`bus.timeout`, `unsettled`), never a `bus.no-responder`.
 */

import { Outage } from '../contract/outage.ts';

const AGAIN_MS = 100;

interface Settling {
  readonly subject: string;
  readonly timeoutMs: number;
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<void>;
  /** Until the connection is old enough; 0 when it is. */
  readonly unsettledMs: () => number;
}

/** The answer of `ask`, which is given the time left. */
export async function askUntilSettled<Value>(
  ask: (leftMs: number) => Promise<Value>,
  { subject, timeoutMs, now, pause, unsettledMs }: Settling,
): Promise<Value> {
  const end = now() + timeoutMs;
  for (;;) {
    try {
      return await ask(Math.max(1, end - now()));
    } catch (error) {
      const isAbsent = error instanceof Outage && error.code === 'bus.no-responder';
      if (!isAbsent || unsettledMs() <= 0) throw error;
      if (end - now() <= AGAIN_MS)
        throw new Outage('bus.timeout', `no responder on ${subject} yet: the bus has only just come back`, {
          cause: error,
          unsettled: true,
        });
      await pause(AGAIN_MS);
    }
  }
}
