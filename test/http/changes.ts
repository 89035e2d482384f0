/** Both services with routes that change something, for tests of what a transport does to requests. */

import Type from 'typebox';
import { defineFollow } from '../../http/follow.ts';
import { defineRoute } from '../../http/route.ts';
import type { FrontEnd } from '../../http/serve.ts';
import { serveBench } from './bench/fixture.ts';
import { scriptedBench } from './bench/scripted.ts';
import { serveLayer } from './fixture.ts';

export interface Service {
  readonly port: number;
  /** Requests that change something, by what they carry: the head line, and the body. */
  readonly changes: Readonly<Record<string, readonly [line: string, body: string]>>;
  /** Path of a WebSocket. */
  readonly follow: string;
  /** Changes that have begun, in order. */
  begun(): readonly string[];
  /** Keeps changes from being answered until the result is called. */
  hold(): () => void;
  close(): Promise<void>;
}

export async function missionControl(): Promise<Service> {
  const begun: string[] = [];
  let gate: Promise<void> = Promise.resolve();
  const shared = { summary: 'a change', replies: { 200: Type.Object({}) }, errors: [] } as const;
  const done = async (what: string) => {
    begun.push(what);
    await gate;
    return { ok: true, value: { status: 200, body: {} } } as const;
  };
  const routes = [
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/v1/json',
      operationId: 'json',
      body: Type.Object({ n: Type.Number() }),
      handle: ({ body }) => done(`json ${body.n}`),
    }),
    defineRoute({
      ...shared,
      method: 'PUT',
      path: '/v1/bare',
      operationId: 'bare',
      handle: () => done('bare'),
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/v1/content',
      operationId: 'content',
      content: { maxBytes: 1_000_000 },
      async handle({ content }) {
        let bytes = 0;
        for await (const piece of content!.pieces()) bytes += piece.length;
        return done(`content ${bytes}`);
      },
    }),
  ];
  const greeting = defineFollow({
    path: '/v1/greeting',
    operationId: 'greeting',
    summary: 'a greeting',
    policy: 'log',
    errors: [],
    message: Type.Object({ hello: Type.String() }),
    open(_request, _ports, writer) {
      writer.push('{"hello":"world"}');
      return { ok: true, value: { stop: async () => undefined } };
    },
  });
  const frontEnd: FrontEnd = await serveLayer(routes, [greeting]);
  return {
    port: frontEnd.port,
    follow: '/v1/greeting',
    changes: {
      'a JSON body': ['POST /v1/json', '{"n":1}'],
      'no body': ['PUT /v1/bare', ''],
      'content read in pieces': ['POST /v1/content', 'x'.repeat(100)],
    },
    begun: () => begun,
    hold() {
      let release = (): void => undefined;
      gate = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    },
    close: () => frontEnd.close(),
  };
}

export async function bench(): Promise<Service> {
  const script = scriptedBench();
  const served = await serveBench(script.bench);
  return {
    port: served.port,
    follow: '/ws/transmit',
    changes: {
      'a JSON body': ['POST /api/v1/radio/gain', '{"tx_gain_db":-10}'],
      'no body': ['POST /api/v1/datapath/enable', ''],
      'a body of bytes': ['POST /api/v1/datapath/measure?blocks=1', 'x'.repeat(100)],
      'a body and a client that may give up': ['POST /api/v1/datapath/capture', '{"blocks":1}'],
    },
    begun: () => script.asked.map(({ what }) => what),
    hold() {
      let release = (): void => undefined;
      script.gate = new Promise<void>((resolve) => {
        release = resolve;
      });
      return release;
    },
    close: () => served.close(),
  };
}

/** The request as it is sent. */
export const text = ([line, body]: readonly [string, string], extra = ''): string =>
  `${line} HTTP/1.1\r\nHost: 127.0.0.1\r\n${extra}Content-Length: ${body.length}\r\n\r\n${body}`;
export const chunked = ([line, body]: readonly [string, string], trailer: string): string =>
  `${line} HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n` +
  `${body.length.toString(16)}\r\n${body}\r\n0\r\n${trailer}\r\n`;
export const answers = (received: string): string[] => received.match(/HTTP\/1\.1 \d+/g) ?? [];
