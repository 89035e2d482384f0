/** What the tests of the front end of the bench share: a server over a bench, and clients that take bytes. */

import { Registry } from 'prom-client';
import WebSocket from 'ws';
import { benchDialect, benchInterface } from '../../../http/bench/dialect.ts';
import { benchFollows, benchRoutes, startBenchFrontEnd } from '../../../http/bench/front-end.ts';
import type { BenchIdentity } from '../../../http/bench/ports.ts';
import type { FrontEnd } from '../../../http/serve.ts';
import type { Bench } from '../../../ports/bench.ts';
import { Description, describedBy } from '../../support/conformance.ts';
import { until } from '../../support/until.ts';
import { Coverage } from '../coverage.ts';
import { memoryLog, realClock } from '../fixture.ts';

const description = new Description(benchRoutes, benchFollows, benchInterface);

export const benchCoverage = (): Coverage => new Coverage(benchRoutes, benchFollows, benchDialect);

export interface ServedBench extends FrontEnd {
  readonly api: string;
  readonly log: ReturnType<typeof memoryLog>;
}

/** The bench behind its front end; what it answers is held against its interface description. */
export async function serveBench(bench: Bench, identity?: BenchIdentity): Promise<ServedBench> {
  const log = memoryLog();
  const registry = new Registry();
  const frontEnd = await startBenchFrontEnd({ bench, identity, clock: realClock, log, registry });
  describedBy(frontEnd.url, description);
  return { ...frontEnd, api: `${frontEnd.url}/api/v1`, log };
}

/**
 * Refusals of the identity layer, which `identity.test.ts` sees on every route: beside them a test sees what the route
 * says itself.
 */
export function seenWithIdentity(item: string): boolean {
  const [operation, code] = item.split(' ');
  if (code === 'unauthorized') return true;
  const endpoint = [...benchRoutes, ...benchFollows].find(({ operationId }) => operationId === operation);
  return code === 'unavailable' && endpoint?.errors.includes('unavailable') !== true;
}

/** A WebSocket whose messages are kept as they came. */
export interface Watcher {
  readonly socket: WebSocket;
  readonly messages: { readonly data: Buffer; readonly isBinary: boolean }[];
  readonly closed: { readonly code: number; readonly reason: string } | undefined;
  texts(): unknown[];
}

export async function watch(url: string): Promise<Watcher> {
  const socket = new WebSocket(url.replace(/^http/, 'ws'));
  const watcher = {
    socket,
    messages: [] as { data: Buffer; isBinary: boolean }[],
    closed: undefined as Watcher['closed'],
    texts: () => watcher.messages.map(({ data }) => JSON.parse(String(data)) as unknown),
  };
  socket.on('message', (data, isBinary) => watcher.messages.push({ data: data as Buffer, isBinary }));
  socket.on('close', (code, reason) => {
    watcher.closed = { code, reason: String(reason) };
  });
  socket.on('error', () => undefined);
  // Not whether it is open now: it may be closed again by then.
  let isOpened = false;
  socket.on('open', () => {
    isOpened = true;
  });
  await until(() => isOpened, { what: `${url} to open` });
  return watcher;
}
