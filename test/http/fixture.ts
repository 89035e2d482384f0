/**
 * What the tests of the front end share: ports without a world, and clients. What they receive is held against the
 * interface description (`../support/conformance.ts`).
 */

import net from 'node:net';
import { Registry } from 'prom-client';
import WebSocket from 'ws';
import { followerCredentials } from '../../bus/follower-credentials.ts';
import { REFUSED_BODY_QUIET_MS } from '../../contract/limits/connection.ts';
import { Outage } from '../../contract/outage.ts';
import type { FollowRoute } from '../../http/follow.ts';
import type { FrontEndPorts } from '../../http/ports.ts';
import type { Route } from '../../http/route.ts';
import { type FrontEnd, serveRoutes } from '../../http/serve.ts';
import { MissionTokens } from '../../identity/mission-tokens.ts';
import { type Books, openBooks } from '../../messaging/books.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { checkAnswer, checkMessage, Description, describedBy } from '../support/conformance.ts';
import { until } from '../support/until.ts';

export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout: (fire, delayMs) => ({ timer: setTimeout(fire, delayMs) }),
  clearTimeout: ({ timer }) => clearTimeout(timer as NodeJS.Timeout),
};

/** Time passes `times` as fast: what takes half a minute is waited for in a few seconds. */
export function swiftClock(times: number): Clock {
  const [wall, began] = [Date.now(), performance.now()];
  const passed = (): number => Math.round((performance.now() - began) * times);
  return {
    ...realClock,
    now: () => wall + passed(),
    monotonic: passed,
    setTimeout: (fire, delayMs) => realClock.setTimeout(fire, delayMs / times),
  };
}

/** A clock for which a client that stands still with this process does not pause in the middle of a body. */
export const unhurriedClock: Clock = {
  ...realClock,
  setTimeout: (fire, delayMs) =>
    realClock.setTimeout(fire, delayMs === REFUSED_BODY_QUIET_MS ? 60_000 : delayMs),
};

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly fields: object;
  readonly message: string;
}

/** A log that keeps its lines. */
export function memoryLog(lines: LogLine[] = []): Log & { readonly lines: LogLine[] } {
  const at = (level: LogLine['level']) => (fields: object, message: string) =>
    void lines.push({ level, fields, message });
  const log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), lines };
  return { ...log, child: () => memoryLog(lines) };
}

function away(): never {
  throw new Outage('bus.unavailable', 'no bus in this test');
}

/** A bus that is never there: enough for the layer itself, whose own routes do not ask it. */
export const absentBus: Bus = {
  connected: false,
  onConnection: () => () => {},
  // As the real one, which loses it.
  publish: () => undefined,
  // As the real one, which takes them along to each connection.
  subscribe: () => ({ stop: async () => {} }),
  serve: () => ({ stop: async () => {} }),
  request: async () => away(),
  append: async () => away(),
  last: async () => away(),
  follow: async () => away(),
  stillHolds: async () => away(),
  holesUntil: async () => away(),
  leftUntil: async () => away(),
  bucket: () => ({
    get: async () => away(),
    put: async () => away(),
    overwrite: async () => away(),
    remove: async () => away(),
    watch: async () => away(),
    list: async () => away(),
    position: async () => away(),
  }),
  objects: () => ({
    size: async () => away(),
    wholeSize: async () => away(),
    keep: async () => away(),
    put: async () => away(),
    replace: async () => away(),
    read: async () => away(),
    remove: async () => away(),
  }),
  close: async () => {},
};

export function layerPorts(): FrontEndPorts & { readonly log: ReturnType<typeof memoryLog> } {
  const missions = { current: undefined, at: async () => undefined, onChange: () => () => {} };
  const log = memoryLog();
  return {
    bus: absentBus,
    missions,
    values: {
      current: () => undefined,
      watch: () => () => {},
      ready: new Promise(() => {}),
      position: () => undefined,
      upToDate: async () => {},
      stop: async () => {},
    },
    ...booksOf({ bus: absentBus, clock: realClock, log }),
    log,
    clock: realClock,
    registry: new Registry(),
    tokens: new MissionTokens({ missions, log, clock: realClock, fetch }),
    followers: followerCredentials(undefined),
    roles: () => ({ api: 'running' }),
  };
}

/** The books, without what stops them. */
export function booksOf(options: Parameters<typeof openBooks>[0]): Books {
  const { passes, schedules, rules, transfers, alarms } = openBooks(options);
  return { passes, schedules, rules, transfers, alarms };
}

/** A server of the given routes. */
export async function serveLayer(
  routes: readonly Route[],
  follows: readonly FollowRoute[] = [],
  ports: FrontEndPorts = layerPorts(),
): Promise<FrontEnd> {
  const frontEnd = await serveRoutes({ host: '127.0.0.1', port: 0, ports, routes, follows });
  describedBy(frontEnd.url, new Description(routes, follows));
  return frontEnd;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

type Init = NonNullable<Parameters<typeof fetch>[1]>;

export async function call(url: string, init: Init = {}): Promise<Answer> {
  const response = await fetch(url, init);
  const text = await response.text();
  const contentType = response.headers.get('content-type') ?? '';
  const body = contentType.startsWith('application/json') && text !== '' ? JSON.parse(text) : text;
  checkAnswer(init?.method ?? 'GET', url, { status: response.status, contentType, body });
  return { status: response.status, headers: response.headers, body };
}

export function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const text = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
  return call(url, { method: 'POST', body: text, headers });
}

export function codesOf(answer: Answer): string[] {
  return answer.body.errors.map(({ code }: { code: string }) => code);
}

/** A client that reads nothing while it sends, as simple ones do; rejects where it could not send all. */
export async function blindConnection(port: number): Promise<{
  sendAll(...parts: Buffer[]): Promise<void>;
  received(): string;
  closed(): boolean;
  destroy(): void;
}> {
  const socket = net.connect(port, '127.0.0.1');
  await new Promise((resolve) => socket.once('connect', resolve));
  let received = '';
  let isClosed = false;
  socket.on('data', (data) => {
    received += data.toString('latin1');
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    isClosed = true;
  });
  const send = (part: Buffer): Promise<void> =>
    new Promise((resolve, reject) => {
      socket.write(part, (error) => (error ? reject(error) : resolve()));
    });
  return {
    async sendAll(...parts) {
      socket.pause();
      try {
        for (const part of parts) await send(part);
      } finally {
        socket.resume();
      }
    },
    received: () => received,
    closed: () => isClosed,
    destroy: () => void socket.destroy(),
  };
}

/** A connection as bytes: what it received so far, and whether the server closed it. */
export async function rawConnection(port: number): Promise<{
  send(text: string | Uint8Array): void;
  received(): string;
  closed(): boolean;
  destroy(): void;
  socket: net.Socket;
}> {
  const socket = net.connect(port, '127.0.0.1');
  let text = '';
  let closed = false;
  socket.on('data', (data) => {
    text += data.toString('latin1');
  });
  socket.on('close', () => {
    closed = true;
  });
  socket.on('error', () => {});
  await new Promise((resolve) => socket.once('connect', resolve));
  return {
    send: (data) => void socket.write(data),
    received: () => text,
    closed: () => closed,
    destroy: () => socket.destroy(),
    socket,
  };
}

/** Whether an answer is there whole, by the length that its head names; one that names none is over with its head. */
export function isAnswered(received: string): boolean {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const [, length = '0'] = /^content-length: *(\d+)/im.exec(received.slice(0, end)) ?? [];
  return received.length - end - 4 >= Number(length);
}

export interface Followed {
  // biome-ignore lint/suspicious/noExplicitAny: messages of every shape
  readonly messages: any[];
  readonly texts: string[];
  readonly closed: { code: number; reason: string } | undefined;
  /** Of the refusal, when the upgrade was refused. */
  readonly refused: Answer | undefined;
  readonly opened: boolean;
  readonly socket: WebSocket;
  close(): void;
}

/** A follower; `opened` or `refused` is known when this resolves. */
export async function follow(url: string, headers: Record<string, string> = {}): Promise<Followed> {
  const socket = new WebSocket(url.replace(/^http/, 'ws'), { headers });
  const state = {
    messages: [] as unknown[],
    texts: [] as string[],
    closed: undefined as Followed['closed'],
    refused: undefined as Answer | undefined,
    opened: false,
    socket,
    close: () => socket.terminate(),
  };
  socket.on('open', () => {
    state.opened = true;
  });
  socket.on('message', (data) => {
    state.texts.push(data.toString());
    state.messages.push(JSON.parse(data.toString()));
    checkMessage(url, state.messages.at(-1));
  });
  socket.on('close', (code, reason) => {
    state.closed = { code, reason: reason.toString() };
  });
  socket.on('error', () => {});
  socket.on('unexpected-response', (_request, response) => {
    let text = '';
    response.on('data', (data) => {
      text += data;
    });
    response.on('end', () => {
      const [status, contentType] = [response.statusCode!, response.headers['content-type'] ?? ''];
      const body = JSON.parse(text);
      checkAnswer('GET', url, { status, contentType, body });
      state.refused = { status, headers: new Headers(), body };
    });
  });
  await until(() => state.opened || state.refused !== undefined, { what: `an answer to ${url}` });
  return state as Followed;
}
