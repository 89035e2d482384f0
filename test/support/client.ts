/** A client of the API as tests need it: JSON requests and followed WebSockets. */

import WebSocket from 'ws';

export interface Answer<Body = unknown> {
  readonly status: number;
  readonly body: Body;
}

export interface ErrorBody {
  readonly errors: { code: string; message: string; help?: string }[];
}

export async function call<Body = unknown>(
  method: string,
  url: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer<Body>> {
  const response = await fetch(url, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as Body };
}

export const codes = (answer: Answer): string[] =>
  (answer.body as ErrorBody).errors.map((error) => error.code);

export interface Followed<Message> {
  readonly messages: Message[];
  /** Code and reason of the close. */
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly opened: Promise<void>;
  close(): void;
}

/** Follows a WebSocket route; an answer that is no upgrade rejects `opened` with its status. */
export function follow<Message>(url: string): Followed<Message> {
  const socket = new WebSocket(url.replace(/^http/, 'ws'));
  const messages: Message[] = [];
  socket.on('message', (data) => messages.push(JSON.parse(String(data)) as Message));
  const opened = new Promise<void>((resolve, reject) => {
    socket.on('open', () => resolve());
    socket.on('error', reject);
  });
  opened.catch(() => undefined);
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  return { messages, opened, closed, close: () => socket.terminate() };
}
