/** The official receiver of `@statelyai/inspect`, fed with our frames through a WebSocket server. */

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createWebSocketReceiver } from '@statelyai/inspect';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { seededRandom } from '../../../ports/seeded-random.ts';
import { createDeadLetters } from '../../../supervision/cells/dead-letters.ts';
import { Kind } from '../../../supervision/cells/kind.ts';
import { HeapClock } from '../../../supervision/clock.ts';
import { Watches } from '../../../supervision/inspection/watches.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { orderBinding } from '../../support/order-chart.ts';
import { keptLog } from '../../support/silent-log.ts';
import { until } from '../../support/until.ts';

let server: WebSocketServer;
beforeAll(async () => {
  server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
});
afterAll(() => {
  for (const client of server.clients) client.terminate();
  server.close();
});

it('accepts the frames of an entity: actor, event and snapshot', async () => {
  const connected = once(server, 'connection') as Promise<[WebSocket]>;
  const receiver = createWebSocketReceiver({
    server: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
  });
  const received: { type: string; sessionId: string }[] = [];
  receiver.subscribe((event) => void received.push(event as never));
  const [socket] = await connected;

  const clock = new HeapClock(0);
  const log = keptLog();
  const kind = new Kind({
    binding: orderBinding(new MemoryStore()),
    clock,
    random: seededRandom(1),
    log,
    deadLetters: createDeadLetters(undefined, log),
    onEscalated: () => undefined,
  });
  kind.start('a', { item: 'bolt' }, 1);
  const bus = { publish: (_to: string, data: Uint8Array) => socket.send(Buffer.from(data).toString()) };
  const watches = new Watches({ bus: bus as never, clock, log });
  const here = { kind, supervisor: 'executor/kinds/order', instance: 'here' };
  // The receiver listens from its `open` on, a turn after the server has the connection.
  await until(async () => {
    await watches.watch(here, { kind: 'order', id: 'a', watcher: 'page' });
    if (received.length === 0) watches.unwatch({ kind: 'order', id: 'a', watcher: 'page' });
    return received.length > 0;
  });
  kind.tell('a', { type: 'order.pay' });
  clock.advance(0);
  await until(() => received.some(({ type }) => type === '@xstate.snapshot'));
  const types = new Set(received.map(({ type }) => type));
  expect([...types].sort()).toEqual(['@xstate.actor', '@xstate.event', '@xstate.snapshot']);
  expect(new Set(received.map(({ sessionId }) => sessionId))).toEqual(new Set(['order:a']));
  expect(received.at(-1)).toMatchObject({
    snapshot: { status: 'active', value: 'charging', context: { item: 'bolt' }, children: {} },
  });
});
