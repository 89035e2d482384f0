/** A real editor behind a real front end: what it was asked, and what it answers. */

import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { FrontEndPorts } from '../../../http/ports.ts';
import { type FrontEnd, serveRoutes } from '../../../http/serve.ts';
import { layerPorts } from '../fixture.ts';

export type Answering = (request: IncomingMessage, response: ServerResponse) => void;

export interface Editor {
  readonly url: string;
  readonly server: Server;
  /** Every request that came, in its order. */
  readonly asked: IncomingMessage[];
  /** What it answers from now on; at first 200 and nothing. */
  answer(how: Answering): void;
  close(): Promise<void>;
}

export async function startEditor(): Promise<Editor> {
  let answering: Answering = (_request, response) => response.end();
  const asked: IncomingMessage[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((incoming, response) => {
    asked.push(incoming);
    incoming.on('error', () => undefined);
    answering(incoming, response);
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    asked,
    answer(how) {
      answering = how;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

interface Configured {
  readonly editorUrl?: string | undefined;
  readonly editorMaxBytes?: number;
  readonly auth?: object;
}

/** A front end whose configuration names this editor. */
export function serveEditor(
  { editorUrl, editorMaxBytes = 100_000, auth = {} }: Configured,
  over: Partial<FrontEndPorts> & { readonly limits?: object } = {},
): Promise<FrontEnd> {
  const { limits, ...ports } = over;
  const settings = { auth, editorUrl, editorMaxBytes };
  const missions = { ...layerPorts().missions, current: { settings } as never };
  return serveRoutes({
    host: '127.0.0.1',
    port: 0,
    ports: { ...layerPorts(), missions, ...ports },
    routes: [],
    follows: [],
    ...(limits !== undefined && { limits }),
  });
}

export interface Said {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly raw: readonly string[];
  readonly text: string;
}

/** A request by a client that neither normalises paths nor adds headers; resolves with the whole answer. */
export function ask(
  url: string,
  path: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string | string[]>; body?: string | Buffer } = {},
): Promise<Said> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const asked = request({ hostname, port, method, path, headers, agent: false }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          raw: response.rawHeaders,
          text: Buffer.concat(pieces).toString(),
        }),
      );
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

export function codesIn(said: Pick<Said, 'text'>): string[] {
  return (JSON.parse(said.text) as { errors: { code: string }[] }).errors.map(({ code }) => code);
}

/** The body of a request, whole. */
export function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  return new Promise((resolve, reject) => {
    incoming.on('data', (piece: Buffer) => pieces.push(piece));
    incoming.on('end', () => resolve(Buffer.concat(pieces)));
    incoming.on('error', reject);
  });
}
