/** What a connection says while it reaches nobody, and that it says nothing once it is closed. */

import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Connection } from '../../bus/connection.ts';
import { openBus } from '../../bus/nats-bus.ts';
import { type LimitedNats, startLimitedNats } from '../support/limited-nats.ts';
import { keptLog } from '../support/silent-log.ts';
import { until } from '../support/until.ts';

it('a connection that is closed while it is being made does not say that it failed', async () => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => {
    socket.on('error', () => undefined);
    sockets.push(socket);
  }).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const url = `nats://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const [logOfClosed, logOfOpen] = [keptLog(), keptLog()];
  const closed = openBus({ url, name: 'closed', log: logOfClosed });
  await until(() => sockets.length === 1, { what: 'the first connection' });
  const open = openBus({ url, name: 'open', log: logOfOpen });
  await until(() => sockets.length === 2, { what: 'the second connection' });

  await closed.close();
  for (const socket of sockets) socket.destroy();
  // Both end in the same way and in this order: what the first had to say has been said.
  await until(() => logOfOpen.said.length > 0, { what: 'what the second says' });
  expect(logOfOpen.said[0]!.message).toBe('cannot reach the bus');
  expect(logOfClosed.said).toEqual([]);
  await open.close();
  silent.close();
});

/** Three silent seconds are noticed, and then nothing is waited for; the client alone takes twelve more. */
const AT_ONCE_MS = 6_000;
const servers: LimitedNats[] = [];
beforeAll(async () => {
  servers.push(await startLimitedNats(), await startLimitedNats());
});
afterAll(() => Promise.all(servers.map((server) => server.stop())));

it('bus/connection.N5 leaves a server that has fallen silent for another one, and is not left by one that has no other', async () => {
  const log = keptLog();
  const url = servers.map((server) => server.url).join(',');
  const connection = new Connection({ url, name: 'moving', log });
  const alone = new Connection({ url: servers[0]!.url, name: 'alone', log: keptLog() });
  const states: (readonly [boolean, number])[] = [];
  connection.onChange((connected) => states.push([connected, performance.now()]));
  await until(() => connection.connected && alone.connected);
  const here = servers.find((server) => server.url.endsWith(portOf(connection)))!;
  let silentAt = 0;
  connection.pulse.onSilence(() => {
    silentAt ||= performance.now();
  });
  here.freeze();
  await until(() => states.length >= 3 && connection.connected, {
    timeoutMs: 60_000,
    what: 'another server',
  });
  here.thaw();
  const [, [isConnected, lostAt]] = states as [unknown, readonly [boolean, number]];
  expect(isConnected).toBe(false);
  expect(lostAt - silentAt).toBeLessThan(AT_ONCE_MS);
  expect(here.url.endsWith(portOf(connection))).toBe(false);
  expect(log.said.map(({ message }) => message)).toContain(
    'a server of the bus does not answer: connecting to another one',
  );
  await connection.request('$JS.API.INFO', new Uint8Array(), 10_000);
  await Promise.all([connection.close(), alone.close()]);
}, 90_000);

it('bus/connection.N5 leaves a server that answers for another one, wherever the list of its client begins', async () => {
  const url = servers.map((server) => server.url).join(',');
  const connection = new Connection({ url, name: 'leaving', log: keptLog() });
  await until(() => connection.connected);
  const seen = [connection.server];
  for (let times = 0; times < 3; times += 1) {
    const { epoch } = connection;
    // A server that it was just connected to is skipped by the client anyway.
    const connectedAt = performance.now();
    await until(() => performance.now() - connectedAt > 400);
    connection.leave('is to be left');
    await until(() => connection.connected && connection.epoch > epoch, { what: 'another server' });
    seen.push(connection.server);
  }
  expect(new Set(seen).size).toBe(2);
  for (const [n, server] of seen.slice(1).entries()) expect(server).not.toBe(seen[n]);
  await connection.close();
}, 60_000);

function portOf(connection: Connection): string {
  return connection.server?.split(':').at(-1) ?? 'nowhere';
}

it('outgoing.D1 what was sent just before a connection is closed arrives, in its order', async () => {
  const { url } = servers[0]!;
  const [there, here] = ['there', 'here'].map((name) => new Connection({ url, name, log: keptLog() }));
  await until(() => there!.connected && here!.connected);
  const heard: string[] = [];
  there!.subscribe('test.last', ({ data }) => heard.push(Buffer.from(data).toString()));
  await there!.request('$JS.API.INFO', new Uint8Array(), 10_000);
  for (const text of ['first', 'second', 'third']) {
    here!.send('test.last', Buffer.from(text));
    await Promise.resolve();
  }
  await here!.close();
  await until(() => heard.length === 3, { what: 'the last messages' });
  expect(heard).toEqual(['first', 'second', 'third']);
  await there!.close();
});
