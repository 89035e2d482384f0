/** What a client command makes of the end of what it follows. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
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

  it('MC-VAL-003 exact-json.X1 an integer past 2^53 is received with all its digits', async () => {
    server.removeAllListeners('connection');
    server.on('connection', (socket) => {
      socket.send('{"sample":{"value":18446744073709551615,"raw":7}}');
      socket.close(4000, 'finished');
    });
    const received: unknown[] = [];
    const service = { api, user: 'ada', roles: undefined, token: 't' };
    await followOnce(service, '/v1/things', new AbortController().signal, (event) => received.push(event));
    expect(received).toEqual([{ sample: { value: '18446744073709551615', raw: 7 } }]);
  });

  it('that the service closes as it goes away is lost: it comes back', async () => {
    closing = { code: 1001, reason: 'the service is shutting down' };
    expect(await outcome()).toMatchObject({ kind: 'lost', opened: true });
  });

  describe('on a clock of its own', () => {
    // Sockets are real, and the time that they need is not what is judged.
    beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
    afterEach(() => void vi.useRealTimers());

    /** A follower that receives nothing for longer than a second has lost its route; `begun` when that is open. */
    function impatient() {
      server.removeAllListeners('connection');
      const service = { api, user: 'ada', roles: undefined, token: 't' };
      const { signal } = new AbortController();
      let begin: () => void = () => undefined;
      const begun = new Promise<void>((resolve) => {
        begin = resolve;
      });
      const said = followOnce(service, '/v1/things', signal, () => {}, begin, 1_000);
      return { begun, said };
    }

    it('over which nothing comes, no ping either, is lost', async () => {
      const { begun, said } = impatient();
      let isSaid = false;
      void said.then(() => {
        isSaid = true;
      });
      await begun;
      vi.advanceTimersByTime(999);
      await new Promise((resolve) => setImmediate(resolve));
      expect(isSaid).toBe(false);
      vi.advanceTimersByTime(1);
      expect(await said).toEqual({ kind: 'lost', said: 'nothing was received for 1 s', opened: true });
    });

    it('over which pings come alone is not', async () => {
      const { said } = impatient();
      server.on('connection', (socket) => {
        let pings = 0;
        // The pong is behind what the follower makes of the ping.
        socket.on('pong', () => {
          pings += 1;
          vi.advanceTimersByTime(900);
          if (pings === 5) socket.close(1000);
          else socket.ping();
        });
        socket.ping();
      });
      expect(await said).toEqual({ kind: 'over' });
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
    expect(await once(child, 'close')).toEqual([1, null]);
    expect(errors).toMatch(/the token has expired: sign in again/);
    expect(opened).toBe(1);
  },
);
