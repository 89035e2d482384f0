/**
 * A WebSocket to the editor, opened before that of the client: what the editor refuses is an HTTP answer here too.
 * Mission Control Service, section 4.9.
 */

import type { ClientRequest, IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { EDITOR_ANSWER_MS, EDITOR_MESSAGE_BYTES } from '../../contract/limits/editor.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Outgoing } from './request-headers.ts';
import { whyNot } from './unreachable.ts';
import { answerOf, type EditorAnswer, type Unreachable } from './upstream.ts';

export interface SocketAsked {
  readonly base: URL;
  readonly path: string;
  readonly headers: Outgoing;
  /** What the client offers, in its order. */
  readonly protocols: readonly string[];
  readonly clock: Clock;
  /** Aborted when the client goes before it is open, and when an answer in its place is over. */
  readonly gone: AbortSignal;
}

export type SocketAnswered =
  /** Open and not read yet: `resume` begins. */
  | { readonly kind: 'open'; readonly socket: WebSocket }
  | EditorAnswer
  | Unreachable
  | { readonly kind: 'invalid'; readonly why: string };

/** Opens it; never rejects. */
export function openEditorSocket(asked: SocketAsked): Promise<SocketAnswered> {
  const { base, clock, gone } = asked;
  return new Promise((resolve) => {
    const socket = newSocket(asked);
    if (socket === undefined)
      return resolve({ kind: 'invalid', why: 'header sec-websocket-protocol is not a list of names' });
    let isSettled = false;
    const settle = (answered: SocketAnswered): void => {
      if (isSettled) return;
      isSettled = true;
      clock.clearTimeout(timer);
      if (answered.kind === 'unreachable') socket.terminate();
      resolve(answered);
    };
    const lost = (why: string) => (): void => settle({ kind: 'unreachable', why });
    const timer = clock.setTimeout(lost('it does not answer in time'), EDITOR_ANSWER_MS);
    gone.addEventListener('abort', lost('nobody waits for it'));
    socket.on('open', () => {
      socket.pause();
      settle({ kind: 'open', socket });
    });
    socket.on('unexpected-response', (request: ClientRequest, response: IncomingMessage) => {
      // Whether or not the answer is read, or has an end.
      gone.addEventListener('abort', () => void request.destroy());
      settle(answerOf(request, response, base));
    });
    socket.on('error', (error) => settle({ kind: 'unreachable', why: whyNot(error) }));
  });
}

function newSocket({ base, path, headers, protocols }: SocketAsked): WebSocket | undefined {
  const url = `${base.protocol === 'https:' ? 'wss' : 'ws'}://${base.host}${path}`;
  try {
    return new WebSocket(url, [...protocols], {
      headers,
      maxPayload: EDITOR_MESSAGE_BYTES,
      perMessageDeflate: false,
      followRedirects: false,
      // Byte by byte (editor-path.P1): the library writes it as browsers would.
      finishRequest: (request) => {
        request.path = path;
        request.end();
      },
    });
  } catch {
    return undefined;
  }
}
