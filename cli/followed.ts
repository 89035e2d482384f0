/**
 * A follow route as a client command reads it: until it is over, refused or lost; and the end of the command itself, by
 * Ctrl-C or with its reader (`| head`).
 */

import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import type { Fault } from '../contract/errors.ts';
import { parseExact } from '../contract/exact-json.ts';
import { realClock } from '../supervision/clock.ts';
import { printable } from './printable.ts';
import { faultLine } from './request.ts';
import { identityHeaders, type Service } from './service.ts';

export type Outcome =
  /** The service closed at the end of what is followed. */
  | { readonly kind: 'over' }
  | { readonly kind: 'refused'; readonly said: string }
  | { readonly kind: 'lost'; readonly said: string; readonly opened: boolean };

/** What a shell reports of a command that Ctrl-C ended. */
export const INTERRUPTED = 130;
/** A service that restarts is back within seconds. */
export const AGAIN_MS = 1_000;
/** The service pings every connection within a minute: whoever receives nothing for longer has lost it. */
const SILENT_MS = 90_000;
/** The close code of a log that has ended. */
const FINISHED = 1000;
/** That of a token that has expired, or of access that has ended: with the same one it is refused ever after. */
const TOKEN_EXPIRED = 4401;
const SIGN_IN_AGAIN = 'sign in again, and give the new one (MCS_TOKEN or --token)';

/**
 * Follows until the connection is gone, and says how it went; reports `begun` when the route is open. A connection over
 * which nothing comes, no ping either, is gone although nobody has closed it: after `silentMs`.
 */
export function followOnce<Event>(
  service: Service,
  path: string,
  signal: AbortSignal,
  received: (event: Event) => void,
  begun: () => void = () => undefined,
  silentMs: number = SILENT_MS,
): Promise<Outcome> {
  return new Promise((resolve) => {
    const url = service.api.replace(/^http/, 'ws') + path;
    const socket = new WebSocket(url, { headers: identityHeaders(service) });
    let opened = false;
    const lost = (said: string): void => resolve({ kind: 'lost', said, opened });
    const stop = (): void => socket.terminate();
    signal.addEventListener('abort', stop);
    const silent = (): void => {
      lost(`nothing was received for ${Math.round(silentMs / 1_000)} s`);
      stop();
    };
    let timer = realClock.setTimeout(silent, silentMs);
    const alive = (): void => {
      realClock.clearTimeout(timer);
      timer = realClock.setTimeout(silent, silentMs);
    };
    socket.on('open', () => {
      opened = true;
      begun();
    });
    socket.on('ping', alive);
    socket.on('message', (data) => {
      alive();
      received(parseExact(String(data)) as Event);
    });
    socket.on('unexpected-response', (_request, response) => {
      void refusal(response).then((said) => {
        // A service on its way up or down is worth another try; a wrong name is not.
        if ((response.statusCode ?? 0) >= 500) lost(said);
        else resolve({ kind: 'refused', said });
        socket.terminate();
      });
    });
    socket.on('error', (error) => lost(`the service does not answer (${error.message || 'no connection'})`));
    socket.on('close', (code, reason) => {
      realClock.clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      if (code === FINISHED) resolve({ kind: 'over' });
      else if (code === TOKEN_EXPIRED)
        resolve({ kind: 'refused', said: `${endOf(reason)}: ${SIGN_IN_AGAIN}` });
      else lost(`the connection is lost (${printable(reason.toString()) || code})`);
    });
  });
}

/** As the service says it. */
function endOf(reason: Buffer): string {
  return printable(reason.toString()) || 'the token has expired';
}

export interface Follower<Event> {
  received(event: Event): void;
  /** The route is open: at the beginning, and after each loss. */
  opened?(): void;
  /** Why it is not, at each try. */
  lost(said: string): void;
}

/**
 * Follows until the signal, and after a loss again. What the service refused, or why it is not there at the first try;
 * undefined when it was ended.
 */
export async function followAgain<Event>(
  service: Service,
  path: string,
  signal: AbortSignal,
  follower: Follower<Event>,
): Promise<string | undefined> {
  const received = (event: Event): void => follower.received(event);
  const opened = (): void => follower.opened?.();
  for (let first = true; !signal.aborted; first = false) {
    const outcome = await followOnce<Event>(service, path, signal, received, opened);
    if (signal.aborted) break;
    const said = outcome.kind === 'over' ? 'the service closed' : outcome.said;
    if (outcome.kind === 'refused' || (first && outcome.kind === 'lost' && !outcome.opened)) return said;
    follower.lost(said);
    await pause(AGAIN_MS, signal);
  }
  return undefined;
}

/**
 * Follows as `followAgain` where the output is lines: losses are reported on stderr, once for each reason and not once
 * for each try. 0 when it was ended, 1 when the service refuses.
 */
export async function followInLines<Event>(
  service: Service,
  path: string,
  { signal }: AbortController,
  received: (event: Event) => void,
): Promise<number> {
  let reported = '';
  const refused = await followAgain<Event>(service, path, signal, {
    received,
    opened: () => {
      reported = '';
    },
    lost: (said) => {
      if (said !== reported) process.stderr.write(`-- ${said}; trying again\n`);
      reported = said;
    },
  });
  if (refused === undefined) return 0;
  process.stderr.write(`${refused}\n`);
  return 1;
}

const toEnd = new Set<AbortController>();

/** Aborts at Ctrl-C, and when nobody reads the output any more. A second Ctrl-C ends the process at once. */
export function whenEnded(): AbortController {
  const ended = new AbortController();
  if (toEnd.size === 0) {
    process.once('SIGINT', endAll);
    process.once('SIGTERM', endAll);
    process.stdout.off('error', endAll);
    process.stdout.on('error', endAll);
  }
  toEnd.add(ended);
  return ended;
}

function endAll(): void {
  process.off('SIGINT', endAll);
  process.off('SIGTERM', endAll);
  const all = [...toEnd];
  toEnd.clear();
  for (const ended of all) ended.abort();
}

/** Waits, or until the signal. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise<void>((resolve) => {
    const end = (): void => {
      realClock.clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = realClock.setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}

async function refusal(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part as Buffer);
  try {
    const { errors } = JSON.parse(Buffer.concat(parts).toString()) as { errors: Fault[] };
    return errors.map(faultLine).join('\n');
  } catch {
    return `the service answered ${response.statusCode}`;
  }
}
