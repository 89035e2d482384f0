/**
 * The iiod server by its transcripts: each answer is that of Debian's iiod 0.24, byte for byte, where that has the
 * thing asked for.
 */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { IIOD_CLIENTS, IIOD_LINE_BYTES, IIOD_VALUE_BYTES } from '../../contract/limits/bench.ts';
import { parseIiodCommand } from '../../radio/iio/iiod-command.ts';
import { type IiodServer, serveIiod } from '../../radio/iio/server.ts';
import { realClock } from '../../supervision/clock.ts';
import { keptLog } from '../support/silent-log.ts';
import { until } from '../support/until.ts';
import { type MemoryContext, memoryContext } from './memory-context.ts';

const ends: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function serve(): Promise<{ server: IiodServer; context: MemoryContext }> {
  const context = memoryContext();
  const server = await serveIiod({ context, port: 0, clock: realClock, log: keptLog() });
  ends.push(() => server.stop());
  return { server, context };
}

class Terminal {
  readonly socket: Socket;
  isClosed = false;
  #received = Buffer.alloc(0);

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.on('data', (data) => {
      this.#received = Buffer.concat([this.#received, data]);
    });
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => {
      this.isClosed = true;
    });
    ends.push(() => this.socket.destroy());
  }

  say(text: string | Uint8Array): void {
    this.socket.write(text);
  }

  /** What has come since, once it is as long as expected. */
  async hear(bytes: number): Promise<string> {
    await until(() => this.#received.length >= bytes, { what: `an answer of ${bytes} bytes` });
    const received = this.#received.toString('latin1');
    this.#received = Buffer.alloc(0);
    return received;
  }

  /** Says and expects exactly this back; that nothing more comes is shown by the next answer. */
  async exchange(said: string | Uint8Array, expected: string): Promise<void> {
    this.say(said);
    expect(await this.hear(expected.length)).toBe(expected);
  }
}

async function terminal(): Promise<{ line: Terminal; context: MemoryContext; server: IiodServer }> {
  const { server, context } = await serve();
  return { line: new Terminal(server.port), context, server };
}

describe('the iiod server', () => {
  it.each([
    ['VERSION', '0.24.v0.24  \n'],
    ['ZPRINT', '-22\n'],
    ['BINARY', '-22\n'],
    ['garbage', '-22\n'],
    ['TIMEOUT 700', '0\n'],
    ['TIMEOUT soon', '-22\n'],
    ['READ ad9361-phy ensm_mode', '4\nfdd\0\n'],
    ['read iio:device0 ensm_mode', '4\nfdd\0\n'],
    ['READ iio:device0 note', '1\n\0\n'],
    ['READ iio:device0 nope', '-2\n'],
    ['READ nodev x', '-19\n'],
    ['READ iio:device0 DEBUG loopback', '2\n0\0\n'],
    ['READ iio:device0 INPUT voltage0 hardwaregain', '13\n63.000000 dB\0\n'],
    ['READ iio:device0 INPUT voltage0 in_voltage0_hardwaregain', '13\n63.000000 dB\0\n'],
    ['READ iio:device0 OUTPUT voltage0 hardwaregain', '14\n-10.000000 dB\0\n'],
    ['READ iio:device0 OUTPUT RX_LO frequency', '11\n2400000000\0\n'],
    ['READ iio:device0 INPUT voltage9 hardwaregain', '-6\n'],
    ['READ iio:device0 DEBUG direct_reg_access', '-5\n'],
    ['READ iio:device3 BUFFER watermark', '2\n1\0\n'],
    ['READ iio:device4 BUFFER', '0\n\n'],
    ['READ iio:device0 INPUT voltage0', '32\n\0\0\0\x0d63.000000 dB\0\0\0\0\0\0\0\x07manual\0\0\n'],
    ['READ iio:device0 DEBUG', '12\n\0\0\0\x020\0\0\0\xff\xff\xff\xfb\n'],
    ['GETTRIG iio:device0', '-2\n'],
    ['SETTRIG iio:device0', '-2\n'],
    ['SETTRIG iio:device0 foo', '-2\n'],
    ['GETTRIG nodev', '-19\n'],
    ['SET iio:device3 BUFFERS_COUNT 4', '0\n'],
    ['SET nodev BUFFERS_COUNT 4', '-19\n'],
    ['CLOSE iio:device3', '-6\n'],
    ['READBUF iio:device3 10', '-9\n'],
    ['WRITEBUF iio:device4 10', '-9\n'],
    ['OPEN iio:device3 16 1', '-22\n'],
    ['OPEN iio:device3 16 00000000', '-22\n'],
    ['OPEN iio:device3 16 00000002', '-22\n'],
    ['OPEN iio:device3 0 00000001', '-22\n'],
    ['OPEN iio:device3 9999999999 00000001', '-22\n'],
    ['OPEN nodev 16 00000001', '-19\n'],
  ])('answers %s', async (command, answer) => {
    const { line } = await terminal();
    await line.exchange(`\r\n${command}\r\n`, answer);
    await line.exchange('VERSION\n', '0.24.v0.24  \n');
  });

  it('writes attributes, with and without the end mark', async () => {
    const { line, context } = await terminal();
    await line.exchange('WRITE iio:device0 ensm_mode 6\r\nalert\0', '6\n');
    await line.exchange('WRITE ad9361-phy DEBUG loopback 1\r\n1', '1\n');
    await line.exchange('WRITE iio:device0 INPUT voltage0 hardwaregain 3\r\n10\0', '3\n');
    expect(context.values.get('iio:device0 ensm_mode')).toBe('alert');
    expect(context.values.get('iio:device0 debug loopback')).toBe('1');
    expect(context.values.get('iio:device0 voltage0 (in) hardwaregain')).toBe('10');
  });

  it('server-session.R2 takes the value of a refused write off the line', async () => {
    const { line, context } = await terminal();
    await line.exchange('WRITE nodev x 8\r\nVERSION\n', '-19\n');
    await line.exchange('WRITE iio:device0 nope 8\r\nVERSION\n', '-2\n');
    await line.exchange('WRITE iio:device0 INPUT voltage7 x 8\r\nVERSION\n', '-6\n');
    await line.exchange('WRITE iio:device0 8\r\nVERSION\n', '-22\n');
    await line.exchange('WRITE iio:device0 ensm_mode 8\r\nrefused\0', '-22\n');
    await line.exchange('VERSION\r\n', '0.24.v0.24  \n');
    expect(context.values.get('iio:device0 ensm_mode')).toBe('fdd');
  });

  it('serves the description and help, and ends with EXIT', async () => {
    const { line } = await terminal();
    line.say('PRINT\r\n');
    const [length = '', xml = ''] = (await line.hear(1000)).split('\n');
    expect(Number(length)).toBe(Buffer.byteLength(xml));
    line.say('HELP\r\n');
    expect(await line.hear(500)).toContain('READBUF <device>');
    line.say('EXIT\r\n');
    await until(() => line.isClosed);
  });

  it('carries samples in blocks, the channels with the first', async () => {
    const { line, server, context } = await terminal();
    const writer = new Terminal(server.port);
    await line.exchange('OPEN iio:device3 16 00000001\r\n', '0\n');
    await writer.exchange('OPEN iio:device4 16 00000001 CYCLIC\r\n', '0\n');
    await writer.exchange('WRITEBUF iio:device4 40\r\n', '0\n');
    await writer.exchange('ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefgh', '40\n');
    await line.exchange(
      'READBUF iio:device3 40\r\n',
      '16\n00000001\nABCDEFGHIJKLMNOP16\nQRSTUVWXYZ[\\]^_`8\nabcdefgh',
    );
    await line.exchange('READBUF iio:device3 0\r\n', '0\n');
    await line.exchange('CLOSE iio:device3\r\n', '0\n');
    expect(context.opened).toEqual([
      { device: 'iio:device3', mask: 1, samples: 16, cyclic: false },
      { device: 'iio:device4', mask: 1, samples: 16, cyclic: true },
    ]);
  });

  it('scan.S1 translates channels, which the protocol counts by place, into scan indices', async () => {
    const { line, context } = await terminal();
    await line.exchange('OPEN cf-ad9361-lpc 4 0000000d\r\n', '0\n');
    expect(context.opened).toMatchObject([{ mask: 0b10_1001 }]);
    // int16 at 0 and 2, int64 at 8: samples of 16 bytes, of which one fits.
    line.say('TIMEOUT 1\r\nREADBUF iio:device5 15\r\n');
    expect(await line.hear(4)).toBe('0\n0\n');
  });

  it('answers -110 for a buffer without samples and goes on', async () => {
    const { line } = await terminal();
    await line.exchange('TIMEOUT 20\r\n', '0\n');
    await line.exchange('OPEN iio:device3 16 00000001\r\n', '0\n');
    await line.exchange('READBUF iio:device3 16\r\n', '-110\n');
    await line.exchange('VERSION\r\n', '0.24.v0.24  \n');
  });

  it('asked-waits.A1 waits on each connection as long as the client has asked for on another one, as libiio does', async () => {
    const { line, server, context } = await terminal();
    const reader = new Terminal(server.port);
    await reader.exchange('OPEN iio:device3 16 00000001\r\n', '0\n');
    for (const ms of [20, 15]) {
      await line.exchange(`TIMEOUT ${ms}\r\n`, '0\n');
      await reader.exchange('READBUF iio:device3 16\r\n', '-110\n');
    }
    expect(context.readTimes).toEqual([20, 15]);
  });

  it('session-buffers.U2 refuses a write of a buffer behind its last byte', async () => {
    const { line, context } = await terminal();
    await line.exchange('OPEN iio:device4 4 00000001\r\n', '0\n');
    context.failWrite = 5;
    await line.exchange('WRITEBUF iio:device4 16\r\n', '0\n');
    await line.exchange('VERSION\nVERSION\n', '-5\n');
    await line.exchange('VERSION\r\n', '0.24.v0.24  \n');
  });

  it('gives a buffer to one client, others are reported EBUSY', async () => {
    const { line, server } = await terminal();
    const other = new Terminal(server.port);
    await line.exchange('OPEN iio:device3 16 00000001\r\n', '0\n');
    await other.exchange('OPEN modem-rx 16 00000001\r\n', '-16\n');
    await line.exchange('OPEN modem-rx 16 00000001\r\n', '-16\n');
    await line.exchange('CLOSE modem-rx\r\n', '0\n');
    await other.exchange('OPEN modem-rx 16 00000001\r\n', '0\n');
  });

  it.each(['end', 'destroy', 'resetAndDestroy'] as const)(
    'session-buffers.U1 frees the buffers of a client that goes by %s in the middle of a transfer',
    async (way) => {
      const { line, server, context } = await terminal();
      await line.exchange('OPEN modem-rx 16 00000001\r\n', '0\n');
      await line.exchange('OPEN modem-tx 16 00000001\r\n', '0\n');
      await line.exchange('TIMEOUT 0\r\n', '0\n');
      line.say('READBUF modem-rx 16\r\n');
      const other = new Terminal(server.port);
      await other.exchange('VERSION\r\n', '0.24.v0.24  \n');
      line.socket[way]();
      await until(() => context.held.size === 0, { what: 'both buffers free' });
      await other.exchange('OPEN modem-rx 16 00000001\r\n', '0\n');
    },
  );

  it('session-buffers.U1 frees a buffer whose writer goes in the middle of a block', async () => {
    const { line, context } = await terminal();
    await line.exchange('OPEN modem-tx 16 00000001\r\n', '0\n');
    await line.exchange('WRITEBUF modem-tx 16\r\n', '0\n');
    line.say('half');
    line.socket.end();
    await until(() => context.held.size === 0);
    expect(context.onTheWay()).toBe(0);
  });

  it('iio/server.V2 a client that waits holds up no other', async () => {
    const { line, server, context } = await terminal();
    let open = () => {};
    context.gate = new Promise((resolve) => {
      open = () => resolve();
    });
    line.say('READ iio:device0 ensm_mode\r\n');
    const other = new Terminal(server.port);
    await other.exchange('WRITE iio:device0 ensm_mode 6\r\nalert\0', '6\n');
    open();
    expect(await line.hear(9)).toBe('6\nalert\0\n');
  });

  it.each([
    ['a line without end', 'x'.repeat(IIOD_LINE_BYTES + 1)],
    ['a value beyond bounds', `WRITE iio:device0 ensm_mode ${IIOD_VALUE_BYTES + 1}\r\n`],
  ])('server-session.R3 drops a client for %s', async (_, said) => {
    const { line, server } = await terminal();
    line.say(said);
    await until(() => line.isClosed);
    await new Terminal(server.port).exchange('VERSION\r\n', '0.24.v0.24  \n');
  });

  it('iio/server.V2 refuses clients beyond the limit, until one goes', async () => {
    const { server } = await serve();
    const lines = Array.from({ length: IIOD_CLIENTS }, () => new Terminal(server.port));
    for (const line of lines) await line.exchange('VERSION\r\n', '0.24.v0.24  \n');
    const more = new Terminal(server.port);
    await until(() => more.isClosed);
    lines[0]!.say('EXIT\r\n');
    await until(() => lines[0]!.isClosed);
    await until(async () => {
      const next = new Terminal(server.port);
      next.say('VERSION\r\n');
      await until(() => next.isClosed || next.socket.bytesRead > 0);
      return !next.isClosed;
    });
  });

  it('iio/server.V1 listens on this machine only', async () => {
    const { server } = await serve();
    const elsewhere = connect(server.port, '127.0.0.2');
    const [error] = await once(elsewhere, 'error').catch((error) => [error]);
    expect(error).toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('ends clients and frees buffers when it stops', async () => {
    const { line, server, context } = await terminal();
    await line.exchange('OPEN modem-rx 16 00000001\r\n', '0\n');
    line.say('READBUF modem-rx 16\r\n');
    await server.stop();
    expect(context.held.size).toBe(0);
    await until(() => line.isClosed);
  });
});

describe('whatever comes in', () => {
  it('C1 any line is a command or none', () => {
    const words = fc.constantFrom(
      'READ',
      'write',
      'OPEN',
      'SET',
      'BUFFERS_COUNT',
      'DEBUG',
      'INPUT',
      '__proto__',
      'constructor',
      '12',
      '-1',
      'd',
    );
    const line = fc
      .array(fc.oneof(words, fc.string({ maxLength: 6 })), { maxLength: 7 })
      .map((all) => all.join(' '));
    fc.assert(
      fc.property(line, (text) => {
        const command = parseIiodCommand(text);
        if (command !== undefined) expect(command.verb).toMatch(/^[A-Z]+$/);
      }),
      { seed: 20_261_121, numRuns: 3000 },
    );
  });

  it('leaves a server that answers the next client', async () => {
    const { server, context } = await serve();
    const command = fc.constantFrom(
      'VERSION',
      'PRINT',
      'READ iio:device0',
      'WRITE iio:device0 ensm_mode 5',
      'OPEN modem-rx 4 00000001',
      'OPEN modem-tx 4 00000001',
      'READBUF modem-rx 8',
      'WRITEBUF modem-tx 8',
      'CLOSE modem-rx',
      'TIMEOUT 1',
      'EXIT',
    );
    const end = fc.constantFrom('\n', '\r\n', '', '\0', ' ');
    const bytes = fc.uint8Array({ maxLength: 12 }).map((raw) => Buffer.from(raw).toString('latin1'));
    const said = fc.array(
      fc.oneof(
        fc.tuple(command, end).map(([a, b]) => a + b),
        bytes,
      ),
      { maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(said, async (parts) => {
        const line = new Terminal(server.port);
        for (const part of parts) line.say(Buffer.from(part, 'latin1'));
        line.socket.end();
        await until(() => line.isClosed, { what: 'the end of the client' });
        await until(() => context.held.size === 0, { what: 'free buffers' });
      }),
      { seed: 20_261_121, numRuns: 150, endOnFailure: true },
    );
    await new Terminal(server.port).exchange('VERSION\r\n', '0.24.v0.24  \n');
  });
});
