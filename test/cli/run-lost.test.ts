/** `mcs run start` where the connection is lost, and nobody knows whether the run was started. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { mcsProgram } from '../support/program.ts';

const MCS = await mcsProgram();
const IR = 'a'.repeat(64);

let server: Server;
/** Bodies of the launches. */
let launched: { readonly id: string }[];
/** What becomes of a launch. */
let answer: 'lost' | 'unavailable' | 'refused' | 'taken' | 'taken before';

beforeEach(async () => {
  [launched, answer] = [[], 'taken'];
  server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    if (request.method !== 'POST') return void response.end('{}');
    const body = JSON.parse(Buffer.concat(parts).toString()) as { id: string };
    launched.push(body);
    if (answer === 'lost') return void request.socket.destroy();
    const status = { unavailable: 503, refused: 422, taken: 202, 'taken before': 202 }[answer];
    const errors = [{ code: 'api::unavailable', message: 'the message bus does not answer' }];
    const reply = { run: body.id, ir: IR, warnings: [], duplicate: answer === 'taken before' };
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(status === 202 ? reply : { errors }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function start(...args: string[]) {
  const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const words = ['run', 'start', 'take_image', 'sat=sat1', '--environment', 'bench', ...args];
  const child = spawn(process.execPath, [...MCS, ...words], {
    env: { ...process.env, MCS_API: api, USER: 'ada' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { output: '', errors: '', code: 0 as number | null };
  child.stdout.on('data', (text) => {
    said.output += String(text);
  });
  child.stderr.on('data', (text) => {
    said.errors += String(text);
  });
  [said.code] = await once(child, 'close');
  return said;
}

it.each(['lost', 'unavailable'] as const)(
  'where the answer is %s it says under which identifier the same command starts it once',
  async (how) => {
    answer = how;
    const first = await start();
    expect(first.code).toBe(1);
    const [, id] = /not known: with --id ([0-9A-Z]{26}) /.exec(first.errors) ?? [];
    expect(launched.map((each) => each.id)).toEqual([id]);
    answer = 'taken before';
    const again = await start('--id', id!);
    expect(again).toMatchObject({
      code: 0,
      output: `${id}\n`,
      errors: 'started before, nothing new is started\n',
    });
    expect(launched.map((each) => each.id)).toEqual([id, id]);
  },
);

it('where it was refused, or nobody can have taken it, nothing is said of an identifier', async () => {
  answer = 'refused';
  const refused = await start();
  const alone = await start('--api', 'http://127.0.0.1:1');
  expect([refused.code, alone.code]).toEqual([1, 1]);
  for (const { errors } of [refused, alone]) expect(errors).not.toContain('not known');
});

it('each new one has an identifier of its own', async () => {
  const outputs = [(await start()).output, (await start()).output];
  expect(new Set(outputs).size).toBe(2);
});
