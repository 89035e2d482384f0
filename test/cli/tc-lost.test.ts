/** `mcs tc send` where the connection is lost: at the sending, while it is followed, and when it is interrupted. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { mcsProgram } from '../support/program.ts';
import { until } from '../support/until.ts';

const MCS = await mcsProgram();
const MISSION = { targets: [], procedures: [], environments: [], gateways: [], stations: [] };

let server: Server;
let sockets: WebSocketServer;
/** Bodies of the submissions. */
let submitted: { readonly id: string }[];
/** What becomes of a submission. */
let answer: 'lost' | 'unavailable' | 'taken';
/** Called with each follower. */
let followed: (socket: WebSocket) => void;

beforeEach(async () => {
  [submitted, answer, followed] = [[], 'taken', () => {}];
  server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    if (request.method !== 'POST') return void response.end(JSON.stringify(MISSION));
    const body = JSON.parse(Buffer.concat(parts).toString()) as { id: string };
    submitted.push(body);
    if (answer === 'lost') return void request.socket.destroy();
    const errors = [{ code: 'api::unavailable', message: 'the message bus does not answer' }];
    response.writeHead(answer === 'taken' ? 202 : 503, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer === 'taken' ? { id: body.id, duplicate: false } : { errors }));
  });
  sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => followed(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  for (const socket of sockets.clients) socket.terminate();
  server.closeAllConnections();
  server.close();
});

function send(...args: string[]) {
  const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const child = spawn(process.execPath, [...MCS, 'tc', 'send', 'sat1', 'obc.ping', '--hazardous', ...args], {
    env: { ...process.env, MCS_API: api, USER: 'ada' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { output: '', errors: '' };
  child.stdout.on('data', (text) => {
    said.output += String(text);
  });
  child.stderr.on('data', (text) => {
    said.errors += String(text);
  });
  return { child, said, code: once(child, 'close').then(([code]) => code as number | null) };
}

const event = (state: string) => ({ target: 'sat1', tc: 'A', at: '2026-03-01T12:00:00.000Z', state });

it.each(['lost', 'unavailable'] as const)(
  'tc.C1 where the answer is %s it says under which identifier the same command sends it once',
  async (how) => {
    answer = how;
    const first = send();
    expect(await first.code).toBe(1);
    const [, id] = /not known: with --id ([0-9A-Z]{26}) /.exec(first.said.errors) ?? [];
    expect(submitted.map((each) => each.id)).toEqual([id]);
    if (how === 'lost') expect(first.said.errors).toContain('what was asked for may have been done');
    answer = 'taken';
    followed = (socket) => {
      socket.send(JSON.stringify(event('VERIFIED')));
      socket.close(1000);
    };
    expect(await send('--id', id!).code).toBe(0);
    expect(submitted.map((each) => each.id)).toEqual([id, id]);
  },
);

it('tc.C1 where nobody can have taken it, nothing is said of an identifier', async () => {
  const { said, code } = send('--api', 'http://127.0.0.1:1');
  expect(await code).toBe(1);
  expect(said.errors).toContain('http://127.0.0.1:1 does not answer');
  expect(said.errors).not.toContain('not known');
});

it('tc.C2 follows on over a lost connection, and shows each event once', async () => {
  let connections = 0;
  followed = (socket) => {
    connections += 1;
    const states = connections === 1 ? ['PENDING', 'ENCODED'] : ['PENDING', 'ENCODED', 'SENT', 'VERIFIED'];
    for (const state of states) socket.send(JSON.stringify(event(state)));
    socket.close(connections === 1 ? 1001 : 1000);
  };
  const { said, code } = send();
  expect(await code).toBe(0);
  const shown = [...said.output.matchAll(/ (PENDING|ENCODED|SENT|VERIFIED) /g)].map(([, state]) => state);
  expect(shown).toEqual(['PENDING', 'ENCODED', 'SENT', 'VERIFIED']);
  expect(said.errors).toMatch(/the connection is lost .*trying again/);
});

it('interrupted it says that the telecommand continues, and exits 130', async () => {
  followed = (socket) => socket.send(JSON.stringify(event('SENT')));
  const { child, said, code } = send();
  await until(() => said.output.includes('SENT'));
  child.kill('SIGINT');
  expect(await code).toBe(130);
  expect(said.errors).toContain('the telecommand continues: mcs tc list sat1');
});

it('whose reader has enough does not say that it ended well', async () => {
  let follower: WebSocket | undefined;
  followed = (socket) => {
    follower = socket;
  };
  const { child, code } = send();
  await until(() => follower);
  child.stdout.destroy();
  const states = ['SENT', 'SENT', 'SENT'];
  for (const state of states) follower!.send(JSON.stringify(event(state)));
  expect(await code).not.toBe(0);
});
