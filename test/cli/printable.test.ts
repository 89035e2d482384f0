/** What other people and spacecraft wrote, in a terminal: as text, as JSON, and as a command prints it. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { jsonText, printable } from '../../cli/printable.ts';
import { mcsProgram } from '../support/program.ts';

const MCS = await mcsProgram();
/** Clears the screen, in both ways a terminal may understand; turns what stands behind it around; and a title. */
const NASTY = 'a\u001b[2Jb\u009b2Jc\u202e5.1\u202cd\u007f\u001b]0;title\u0007';
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
const OBEYED = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/;

describe('text of others', () => {
  it('printable.T1 has no character that a terminal obeys', () => {
    expect(printable(NASTY)).toBe('a.[2Jb.2Jc.5.1.d..]0;title.');
    expect(printable('Ада, 10 µs, 東京')).toBe('Ада, 10 µs, 東京');
  });

  it('printable.T1 is the same as JSON, and means the same there', () => {
    for (const indent of [undefined, 2]) {
      const text = jsonText({ [NASTY]: NASTY, n: 1 }, indent);
      expect(text).not.toMatch(OBEYED);
      expect(JSON.parse(text)).toEqual({ [NASTY]: NASTY, n: 1 });
    }
    expect(jsonText({ n: [1] }, 2)).toBe('{\n  "n": [\n    1\n  ]\n}');
  });
});

describe('mcs tc watch', () => {
  let server: WebSocketServer;
  beforeEach(async () => {
    server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    await once(server, 'listening');
  });
  afterEach(() => void server.close());

  it.each([
    ['', []],
    [' --json', ['--json']],
  ])('printable.T1%s prints what a telecommand and its sender say as text', async (_, options) => {
    const event = { target: 'sat1', tc: 'A', at: '2026-03-01T12:00:00.000Z', state: 'FAILED' };
    server.on('connection', (socket: WebSocket) => {
      socket.send(JSON.stringify({ ...event, by: NASTY, detail: NASTY }));
    });
    const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const child = spawn(process.execPath, [...MCS, 'tc', 'watch', 'sat1', ...options], {
      env: { ...process.env, MCS_API: api, USER: 'ada' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    for await (const part of child.stdout) {
      output += String(part);
      if (output.endsWith('\n')) break;
    }
    child.kill('SIGKILL');
    expect(output).toContain('title');
    expect(output).not.toMatch(OBEYED);
  });
});
