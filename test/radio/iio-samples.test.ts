/**
 * The samples of the model in the hands of Debian's IIO tools: every command of the guide as it stands there, and what
 * a stranger on the port can make of it. The tools are needed; where they are missing this fails (package
 * libiio-utils).
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { IIOD_BUFFERS_COUNT } from '../../contract/limits/bench.ts';
import { Phy } from '../../radio/board/phy.ts';
import { serveIiod } from '../../radio/iio/server.ts';
import { createStub, type StubBoard } from '../../radio/stub/stub.ts';
import { realClock } from '../../supervision/clock.ts';
import { keptLog } from '../support/silent-log.ts';
import { until } from '../support/until.ts';

const ends: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function serve(): Promise<{ board: StubBoard; port: number; uri: string }> {
  const board = createStub({ seed: 1, clock: realClock });
  const server = await serveIiod({ context: board, port: 0, clock: realClock, log: keptLog() });
  ends.push(() => server.stop());
  return { board, port: server.port, uri: `ip:127.0.0.1:${server.port}` };
}

/** Runs a line of a shell to its end. */
async function shell(line: string, cwd: string): Promise<{ code: number; out: Buffer; err: string }> {
  const child = spawn('sh', ['-c', line], { cwd });
  const out: Buffer[] = [];
  let err = '';
  child.stdout.on('data', (data) => out.push(data));
  child.stderr.on('data', (data) => {
    err += data;
  });
  const [code] = await once(child, 'close');
  return { code, out: Buffer.concat(out), err };
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'iio-samples-'));
  ends.push(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** Commands of the guide, in their order. */
function guideCommands(): string[] {
  const guide = readFileSync(new URL('../../docs/bench.md', import.meta.url), 'utf8');
  const section = /## Samples for IIO tools\n([\s\S]*?)\n## /.exec(guide)![1]!;
  return /```\n([\s\S]*?)```/.exec(section)![1]!.trim().split('\n');
}

/** Says lines of the protocol to the server, and gives what comes back until it is silent. */
async function talk(port: number, ...lines: string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  ends.push(() => socket.destroy());
  let text = '';
  socket.on('data', (data) => {
    text += data.toString('latin1');
  });
  socket.write(lines.map((line) => `${line}\r\n`).join(''));
  await until(() => text.split('\n').length > lines.length, { what: 'the answers' });
  socket.destroy();
  return text;
}

describe('RB-GEN-001 samples of the model for IIO tools', () => {
  it('every command of the guide does what it says', async () => {
    const { board, uri } = await serve();
    const place = folder();
    const commands = guideCommands();
    expect(commands.map((command) => command.split(' ')[0])).toEqual([
      'iio_info',
      'iio_attr',
      'iio_attr',
      'iio_attr',
      'iio_readdev',
      'iio_writedev',
    ]);
    const seen: string[] = [];
    for (const command of commands) {
      const { code, out, err } = await shell(command.replace('ip:127.0.0.1', uri), place);
      expect(code, `${command}: ${err}`).toBe(0);
      seen.push(out.toString());
    }
    expect(seen[0]).toContain('cf-ad9361-lpc (buffer capable)');
    expect(seen[0]).toContain('voltage3:  (input, index: 3, format: le:S12/16>>0)');
    expect(seen[0]).toContain('voltage3:  (output, index: 3, format: le:S16/16>>0)');
    expect(await new Phy(board).sampleRate('rx')).toBe(3_000_000);
    const received = readFileSync(join(place, 'received.iq'));
    expect(received.length).toBe(262_144 * 4);
    // Noise and signal, not zeros.
    expect(new Set(new Int16Array(received.buffer.slice(0, 4000))).size).toBeGreaterThan(3);
    await until(() => board.truth().source === 'modem', { what: 'the end of the samples' });
  });

  it('come back bit by bit through iio_writedev and iio_readdev, in the loopback of the part', async () => {
    const { board, uri } = await serve();
    const place = folder();
    await board.write({ device: 'ad9361-phy', of: 'debug', name: 'loopback' }, '1');
    await board.write(
      { device: 'ad9361-phy', of: 'channel', channel: 'voltage0', output: false, name: 'sampling_frequency' },
      '2500000',
    );
    const count = 8192;
    const sent = Int16Array.from({ length: count * 4 }, (_, at) => ((at * 7919) % 4096) * 16 - 32_768);
    const child = spawn('iio_writedev', ['-u', uri, '-b', String(count), '-c', 'cf-ad9361-dds-core-lpc'], {
      cwd: place,
    });
    ends.push(() => child.kill('SIGKILL'));
    child.stdin.on('error', () => undefined);
    child.stdin.end(Buffer.from(sent.buffer));
    await until(() => board.truth().source === 'samples', { what: 'samples of the tool' });
    const { code, out } = await shell(
      `iio_readdev -u ${uri} -b ${count} -s ${4 * count} cf-ad9361-lpc`,
      place,
    );
    expect(code).toBe(0);
    const got = new Int16Array(new Uint8Array(out).buffer);
    const first = [0, 1, 2, 3].map((at) => sent[at]! >> 4);
    const start = got.findIndex(
      (_, at) => at % 4 === 0 && first.every((value, by) => got[at + by] === value),
    );
    expect(start).toBeGreaterThanOrEqual(0);
    let wrong = 0;
    for (let at = start; at < got.length; at += 1)
      if (got[at] !== sent[(at - start) % sent.length]! >> 4) wrong += 1;
    expect(wrong).toBe(0);
  });

  it('a tool that is killed leaves the transmitter to the modem', async () => {
    const { board, uri } = await serve();
    const child = spawn('iio_writedev', ['-u', uri, '-b', '65536', '-c', 'cf-ad9361-dds-core-lpc']);
    child.stdin.on('error', () => undefined);
    child.stdin.end(Buffer.alloc(65_536 * 8, 1));
    await until(() => board.truth().source === 'samples', { what: 'samples of the tool' });
    child.kill('SIGKILL');
    await until(() => board.truth().source === 'modem', { what: 'the end of the samples' });
  });

  it('a reader that takes nothing holds nobody else up, and its buffer is free when it goes', async () => {
    const { port, uri } = await serve();
    const slow = connect(port, '127.0.0.1');
    slow.pause();
    slow.write('OPEN iio:device0 65536 00000003\r\nREADBUF iio:device0 60000000\r\n');
    ends.push(() => slow.destroy());
    const place = folder();
    await until(async () => (await talk(port, 'OPEN iio:device0 16 00000003')).startsWith('-16'), {
      what: 'a buffer that is held',
    });
    const { code, out } = await shell(`iio_attr -u ${uri} -d ad9361-phy ensm_mode`, place);
    expect([code, out.toString().trim()]).toEqual([0, 'fdd']);
    slow.destroy();
    const read = await shell(`iio_readdev -u ${uri} -b 1024 -s 4096 cf-ad9361-lpc`, place);
    expect([read.code, read.out.length]).toEqual([0, 4096 * 8]);
  });

  it.each([
    ['a block that is too large', 'OPEN iio:device0 2000000 00000003', '-12'],
    ['no channels', 'OPEN iio:device0 16 00000000', '-22'],
    ['channels that there are not', 'OPEN iio:device0 16 000000f0', '-22'],
    ['a transfer of a buffer that is not open', 'READBUF iio:device0 64', '-9'],
    ['too many blocks', `SET iio:device0 BUFFERS_COUNT ${IIOD_BUFFERS_COUNT + 1}`, '-22'],
    ['no blocks', 'SET iio:device0 BUFFERS_COUNT 0', '-22'],
    ['as many blocks as there may be', `SET iio:device0 BUFFERS_COUNT ${IIOD_BUFFERS_COUNT}`, '0'],
    ['a trigger', 'GETTRIG iio:device0', '-2'],
  ])('answers %s with its number and goes on', async (_, line, answer) => {
    const { port } = await serve();
    expect((await talk(port, line, 'VERSION')).split('\n').slice(0, 2)).toEqual([answer, '0.24.v0.24  ']);
  });

  it('reports a streaming tool in the register of the core that blocks were lost', async () => {
    const { port } = await serve();
    const socket = connect(port, '127.0.0.1');
    ends.push(() => socket.destroy());
    socket.resume();
    // 30 Msps, which is beyond what leaves each second.
    socket.write('OPEN iio:device0 4096 00000003\r\nREADBUF iio:device0 4000000\r\n');
    const status = () => talk(port, 'WRITE iio:device0 DEBUG direct_reg_access 11\r\n0x80000088\0');
    await until(
      async () => {
        await status();
        return (await talk(port, 'READ iio:device0 DEBUG direct_reg_access')).includes('0x4');
      },
      { what: 'the overflow of the core' },
    );
  });
});
