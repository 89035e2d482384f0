/** What a client command makes of the end of what it follows. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { followOnce } from '../../cli/followed.ts';
import { mcsProgram } from '../support/program.ts';

const MCS = await mcsProgram();
let child: ChildProcess | undefined;
let server: WebSocketServer;
let api: string;
let opened: number;
let closing: { readonly code: number; readonly reason: string };

beforeEach(async () => {
  opened = 0;
  closing = { code: 4401, reason: 'the token has expired' };
  server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  server.on('connection', (socket) => {
    opened += 1;
    socket.close(closing.code, closing.reason);
  });
  await once(server, 'listening');
  api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  child?.kill('SIGKILL');
  server.close();
});

const outcome = () =>
  followOnce(
    { api, user: 'ada', roles: undefined, token: 't' },
    '/v1/things',
    new AbortController().signal,
    () => {},
  );

describe('a follow route', () => {
  it('that the service closes because the token has expired is refused: with the same token it stays so', async () => {
    expect(await outcome()).toEqual({
      kind: 'refused',
      said: 'the token has expired: sign in again, and give the new one (MCS_TOKEN or --token)',
    });
  });

  it('that the service closes as it goes away is lost: it comes back', async () => {
    closing = { code: 1001, reason: 'the service is shutting down' };
    expect(await outcome()).toMatchObject({ kind: 'lost', opened: true });
  });

  it('over which nothing comes, no ping either, is lost', async () => {
    server.removeAllListeners('connection');
    const signal = new AbortController().signal;
    const service = { api, user: 'ada', roles: undefined, token: 't' };
    const said = await followOnce(service, '/v1/things', signal, () => {}, undefined, 1_000);
    expect(said).toEqual({ kind: 'lost', said: 'nothing was received for 1 s', opened: true });
  });

  it('over which pings come alone is not', async () => {
    server.removeAllListeners('connection');
    server.on('connection', (socket) => {
      let pings = 0;
      socket.on('pong', () => {
        pings += 1;
        if (pings === 200) socket.close(1000);
        else setTimeout(() => socket.ping(), 10);
      });
      socket.ping();
    });
    const signal = new AbortController().signal;
    const service = { api, user: 'ada', roles: undefined, token: 't' };
    expect(await followOnce(service, '/v1/things', signal, () => {}, undefined, 1_000)).toEqual({
      kind: 'over',
    });
  });

  it('that ends with its last item is over', async () => {
    closing = { code: 1000, reason: '' };
    expect(await outcome()).toEqual({ kind: 'over' });
  });
});

it.each([
  ['link', 'watch', 'sat1'],
  ['tc', 'watch', 'sat1'],
  ['run', 'follow', '01J5ZK3M8QW7V9XH2C4T6R8YAC'],
])(
  'mcs %s %s ends with 1 and says why when the token has expired, and does not try again',
  async (...args) => {
    child = spawn(process.execPath, [...MCS, ...args], {
      env: { ...process.env, MCS_API: api, MCS_TOKEN: 't' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let errors = '';
    child.stderr!.on('data', (text) => {
      errors += String(text);
    });
    expect(await once(child, 'exit')).toEqual([1, null]);
    expect(errors).toMatch(/the token has expired: sign in again/);
    expect(opened).toBe(1);
  },
);
