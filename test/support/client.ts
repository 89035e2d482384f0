/**
 * A client of the API as tests need it: JSON requests and followed WebSockets. What it receives is held against the
 * interface description (`conformance.ts`).
 */

import WebSocket from 'ws';
import { checkAnswer, checkMessage } from './conformance.ts';

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
  const parsed: unknown = text === '' ? undefined : JSON.parse(text);
  const contentType = response.headers.get('content-type') ?? '';
  checkAnswer(method, url, { status: response.status, contentType, body: parsed });
  return { status: response.status, body: parsed as Body };
}

export const codes = (answer: Answer): string[] =>
  (answer.body as ErrorBody).errors.map((error) => error.code);

/** The service answered a follow route with a refusal. */
export class Refused extends Error {
  readonly status: number;

  constructor(url: string, status: number, body: string) {
    super(`${url} answered ${status}: ${body}`);
    this.status = status;
  }
}

export interface Followed<Message> {
  readonly messages: Message[];
  /** Code and reason of the close; rejects when the service answered without an upgrade. */
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly opened: Promise<void>;
  close(): void;
}

/** Follows a WebSocket route; an answer that is no upgrade rejects `opened` with its status. */
export function follow<Message>(url: string): Followed<Message> {
  const socket = new WebSocket(url.replace(/^http/, 'ws'));
  const messages: Message[] = [];
  socket.on('message', (data) => {
    const message = JSON.parse(String(data)) as Message;
    checkMessage(url, message);
    messages.push(message);
  });
  const refused = new Promise<never>((_resolve, reject) => {
    socket.on('unexpected-response', (_request, response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        const [status, text] = [response.statusCode ?? 0, Buffer.concat(parts).toString()];
        const contentType = response.headers['content-type'] ?? '';
        checkAnswer('GET', url, { status, contentType, body: JSON.parse(text) });
        reject(new Refused(url, status, text));
      });
    });
    socket.on('error', reject);
  });
  const opened = Promise.race([
    refused,
    new Promise<void>((resolve) => void socket.on('open', () => resolve())),
  ]);
  const closed = Promise.race([
    refused,
    new Promise<{ code: number; reason: string }>((resolve) => {
      socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
    }),
  ]);
  for (const each of [refused, opened, closed]) each.catch(() => undefined);
  return { messages, opened, closed, close: () => socket.terminate() };
}

/**
 * Every message of a log route, which the service closes by itself; rejects when it closed otherwise than at the end.
 */
export async function readLog<Message>(url: string): Promise<Message[]> {
  const { closed, messages } = follow<Message>(url);
  const { code, reason } = await closed;
  if (code !== 1000 || messages.length === 0) {
    throw new Error(`${url} closed with ${code} ${JSON.stringify(reason)} after ${messages.length} messages`);
  }
  return messages;
}
