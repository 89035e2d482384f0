/**
 * Debian's tools on the server of this house, and its client on Debian's iiod: both ends of the protocol against the
 * original.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../ports/clock.ts';
import { connectIiod } from '../../radio/iio/client.ts';
import { errno } from '../../radio/iio/context.ts';
import { serveIiod } from '../../radio/iio/server.ts';
import { realClock } from '../../supervision/clock.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { isInstalled, noRealIiod, startRealIiod } from '../support/real-iiod.ts';
import { keptLog } from '../support/silent-log.ts';
import { until } from '../support/until.ts';
import { memoryContext } from './memory-context.ts';

const ends: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const noTools = isInstalled('iio_info') ? undefined : 'the tools of libiio are not installed (libiio-utils)';
const noIiod = noRealIiod();
for (const reason of [noTools, noIiod]) if (reason !== undefined) console.warn(`left out: ${reason}`);

async function serve() {
  const context = memoryContext();
  const server = await serveIiod({ context, port: 0, clock: realClock, log: keptLog() });
  ends.push(() => server.stop());
  return { context, uri: `ip:127.0.0.1:${server.port}` };
}

/** Runs a tool to its end; gives what it printed. */
async function run(program: string, args: readonly string[], input?: Uint8Array) {
  const child = spawn(program, args);
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', (data) => out.push(data));
  child.stderr.on('data', (data) => err.push(data));
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [code] = await once(child, 'close');
  return {
    code,
    out: Buffer.concat(out),
    text: Buffer.concat(out).toString(),
    err: Buffer.concat(err).toString(),
  };
}

describe.skipIf(noTools !== undefined)('the tools of libiio on the server', () => {
  it('iio_info lists devices, channels and values', async () => {
    const { uri } = await serve();
    const { code, text } = await run('iio_info', ['-u', uri]);
    expect(code).toBe(0);
    expect(text).toContain('IIO context has 4 devices');
    expect(text).toContain('attr  0: hardwaregain value: 63.000000 dB');
    expect(text).toContain('altvoltage0: RX_LO (output)');
    expect(text).toContain('debug attr  0: loopback value: 0');
    expect(text).toContain('voltage0:  (input, index: 0, format: le:S12/16>>0)');
  });

  it('iio_attr reads and writes', async () => {
    const { uri, context } = await serve();
    const read = await run('iio_attr', ['-u', uri, '-c', '-i', 'ad9361-phy', 'voltage0', 'hardwaregain']);
    expect(read.text.trim()).toBe('63.000000 dB');
    await run('iio_attr', ['-u', uri, '-c', '-o', 'ad9361-phy', 'RX_LO', 'frequency', '437000000']);
    await run('iio_attr', ['-u', uri, '-D', 'ad9361-phy', 'loopback', '1']);
    await run('iio_attr', ['-u', uri, '-d', 'ad9361-phy', 'ensm_mode', 'alert']);
    expect(context.values.get('iio:device0 altvoltage0 (out) frequency')).toBe('437000000');
    expect(context.values.get('iio:device0 debug loopback')).toBe('1');
    expect(context.values.get('iio:device0 ensm_mode')).toBe('alert');
  });

  it('iio_writedev and iio_readdev carry samples byte for byte', async () => {
    const { uri, context } = await serve();
    const sent = Buffer.from(Uint8Array.from({ length: 65_536 }, (_, place) => (place * 7) % 251));
    const written = await run('iio_writedev', ['-u', uri, '-b', '4096', '-s', '65536', 'modem-tx'], sent);
    expect(written.code, written.err).toBe(0);
    await until(() => context.held.size === 0);
    expect(context.onTheWay()).toBe(65_536);
    const read = await run('iio_readdev', ['-u', uri, '-b', '4096', '-s', '65536', 'modem-rx']);
    expect(read.code, read.err).toBe(0);
    expect(Buffer.compare(read.out, sent)).toBe(0);
    await until(() => context.held.size === 0);
  });

  it('iio_readdev is reported when there are no samples', async () => {
    const { uri, context } = await serve();
    // Of the server, which gives up long before the tool would: all else has the time of the tool.
    const read = await run('iio_readdev', ['-u', uri, '-T', '8000', '-b', '16', '-s', '16', 'modem-rx']);
    expect(read.err).toContain('Unable to refill buffer: Connection timed out');
    await until(() => context.held.size === 0);
  });
});

describe.skipIf(noIiod !== undefined)('the client on the iiod of Debian', () => {
  /** Of each question; by a clock that the test moves it ends those that are not answered, and no other. */
  const DEADLINE_MS = 10_000;

  async function start() {
    const iiod = await startRealIiod();
    ends.push(() => iiod.stop());
    const connect = async (clock: Clock = realClock) => {
      const place = { host: '127.0.0.1', port: iiod.port, deadlineMs: DEADLINE_MS };
      const client = await connectIiod({ ...place, clock, log: keptLog() });
      ends.push(() => client.close());
      return client;
    };
    return { iiod, connect };
  }

  const dial = async () => (await start()).connect();
  async function outlast(clock: ManualClock): Promise<void> {
    await until(() => clock.waiting === 1, { what: 'a question without an answer' });
    clock.advance(DEADLINE_MS);
  }

  const mode = { device: 'ad9361-phy', of: 'device', name: 'ensm_mode' } as const;

  it('reads and writes attributes', async () => {
    const client = await dial();
    const gain = { device: 'ad9361-phy', of: 'channel', channel: 'voltage0', output: false } as const;
    const loopback = { device: 'ad9361-phy', of: 'debug', name: 'loopback' } as const;
    expect(client.source).toBe('pl');
    expect(client.devices.map(({ name }) => name)).toEqual(['ad9361-phy', 'modem-rx', 'modem-tx']);
    expect(await client.read({ ...gain, name: 'hardwaregain' })).toBe('63.000000 dB');
    await client.write(loopback, '1');
    expect(await client.read(loopback)).toBe('1');
    await client.write({ device: 'ad9361-phy', of: 'device', name: 'ensm_mode' }, 'alert');
    expect(await client.read({ device: 'iio:device0', of: 'device', name: 'ensm_mode' })).toBe('alert');
    await expect(client.read({ ...gain, name: 'nope' })).rejects.toMatchObject({ errno: errno.ENOENT });
    expect(await client.read(loopback)).toBe('1');
  });

  it('carries samples byte for byte, and goes on behind a buffer that had none', async () => {
    const client = await dial();
    const rx = await client.open('modem-rx', { samples: 4096, mask: 1 });
    const tx = await client.open('modem-tx', { samples: 4096, mask: 1 });
    for (const round of [1, 2, 3]) {
      const sent = Buffer.from(Uint8Array.from({ length: 16_384 }, (_, place) => (place * 31 + round) % 251));
      await tx.write(sent, 10_000);
      expect(Buffer.compare(Buffer.from(await rx.read(16_384, 10_000)), sent)).toBe(0);
      await expect(rx.read(4096, 50)).rejects.toMatchObject({ errno: errno.ETIMEDOUT });
    }
    await rx.close();
    await tx.close();
    expect(await client.read({ device: 'ad9361-phy', of: 'device', name: 'ensm_mode' })).toBe('fdd');
  });

  it('iio/context.I2 one that stands still costs the context in its deadline; what it answers when it goes on reaches nobody', async () => {
    const { iiod, connect } = await start();
    const clock = new ManualClock(0);
    const client = await connect(clock);
    await iiod.freeze();
    const asked = client.read(mode).catch((error) => error.errno);
    await outlast(clock);
    expect(await asked).toBe(errno.ETIMEDOUT);
    await client.lost;
    await expect(client.write(mode, 'alert')).rejects.toBeInstanceOf(Error);
    iiod.thaw();
    // Another connection, which gets the answers to its own questions.
    const other = await connect();
    expect(await other.read(mode)).toBe('fdd');
    expect(await other.read({ device: 'ad9361-phy', of: 'debug', name: 'loopback' })).toBe('0');
  });

  it('client-buffer.F3 a transfer under way while it stands still fails in time, and another client has the buffer afterwards', async () => {
    const { iiod, connect } = await start();
    const clock = new ManualClock(0);
    const client = await connect(clock);
    const rx = await client.open('modem-rx', { samples: 4096, mask: 1 });
    await iiod.freeze();
    const read = rx.read(4096, 100).catch((error) => error);
    await outlast(clock);
    expect(await read).toBeInstanceOf(Error);
    // Nor does it answer what is asked about the board.
    await outlast(clock);
    await client.lost;
    iiod.thaw();
    const other = await connect();
    await until(
      () =>
        other.open('modem-rx', { samples: 4096, mask: 1 }).then(
          (buffer) => buffer.close().then(() => true),
          () => false,
        ),
      { what: 'the buffer to be free' },
    );
  });

  it('RB-RAD-004 what is urgent is done while it hangs in another question of this client', async () => {
    const { connect } = await start();
    const clock = new ManualClock(0);
    const client = await connect(clock);
    const stuck = client
      .read({ device: 'ad9361-phy', of: 'device', name: 'stuck' })
      .catch(() => 'never read');
    await client.urgent!.write(mode, 'alert');
    expect(await client.urgent!.read(mode)).toBe('alert');
    await outlast(clock);
    expect(await stuck).toBe('never read');
  });
});
