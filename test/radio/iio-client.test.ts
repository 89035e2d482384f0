/** The client of iiod: against the server of this house, and against servers that do what none should. */

import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { IIOD_QUESTIONS_WAITING, IIOD_VALUE_BYTES, IIOD_XML_BYTES } from '../../contract/limits/bench.ts';
import type { Clock } from '../../ports/clock.ts';
import { connectIiod } from '../../radio/iio/client.ts';
import { errno, type IioContext, IioFailure } from '../../radio/iio/context.ts';
import { writeContextXml } from '../../radio/iio/context-xml.ts';
import { serveIiod } from '../../radio/iio/server.ts';
import { realClock } from '../../supervision/clock.ts';
import { ManualClock, settled } from '../support/manual-clock.ts';
import { startRelay } from '../support/relay.ts';
import { keptLog } from '../support/silent-log.ts';
import { until } from '../support/until.ts';
import { memoryContext, memoryDevices } from './memory-context.ts';

const log = keptLog();
/** Of what must answer on a machine that is busy with other things. */
const PATIENT_MS = 20_000;
/** Of what shall not. */
const SHORT_MS = 100;
/** The same where other questions are answered before, which have all the time there is: of a clock moved by hand. */
const LATE_MS = 2_000;
const ends: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const gain = {
  device: 'ad9361-phy',
  of: 'channel',
  channel: 'voltage0',
  output: false,
  name: 'hardwaregain',
} as const;
const ensm = { device: 'ad9361-phy', of: 'device', name: 'ensm_mode' } as const;
const bytes = { samples: 4096, mask: 1 };

async function dial(port: number, deadlineMs = PATIENT_MS, clock: Clock = realClock): Promise<IioContext> {
  const context = await connectIiod({ host: '127.0.0.1', port, deadlineMs, clock, log });
  ends.push(() => context.close());
  return context;
}

/** Lets time pass that is not waited for: the only question that is open has not been answered. */
async function outlast(clock: ManualClock, ms = LATE_MS): Promise<void> {
  await until(() => clock.waiting === 1, { what: 'a question without an answer' });
  // What has been answered of it arrives before.
  for (const _ of [1, 2, 3]) await settled();
  clock.advance(ms);
}

async function pair(source: 'pl' | 'stub' = 'stub', deadlineMs = PATIENT_MS, clock: Clock = realClock) {
  const memory = memoryContext(source);
  const server = await serveIiod({ context: memory, port: 0, clock: realClock, log });
  ends.push(() => server.stop());
  const relay = await startRelay(server.port);
  ends.push(() => relay.stop());
  return { memory, server, relay, client: await dial(relay.port, deadlineMs, clock) };
}

const failing = async (promise: Promise<unknown>): Promise<IioFailure> => {
  const error = await promise.then(
    () => undefined,
    (error) => error,
  );
  expect(error).toBeInstanceOf(IioFailure);
  return error;
};

describe('the client of an iiod', () => {
  it('knows the devices and where their numbers come from', async () => {
    const { client, relay } = await pair();
    expect(client.devices).toEqual(memoryDevices);
    expect(client.source).toBe('stub');
    expect(client.name).toBe(`iiod at 127.0.0.1:${relay.port}`);
    expect((await pair('pl')).client.source).toBe('pl');
  });

  it('reads and writes attributes of every kind', async () => {
    const { client, memory } = await pair();
    expect(await client.read(gain)).toBe('63.000000 dB');
    expect(await client.read({ ...gain, output: true })).toBe('-10.000000 dB');
    expect(await client.read({ ...gain, channel: 'RX_LO', output: true, name: 'frequency' })).toBe(
      '2400000000',
    );
    expect(await client.read({ device: 'iio:device0', of: 'device', name: 'note' })).toBe('');
    expect(await client.read({ device: 'modem-rx', of: 'buffer', name: 'watermark' })).toBe('1');
    await client.write(gain, '12');
    await client.write({ device: 'ad9361-phy', of: 'debug', name: 'loopback' }, '1');
    await client.write({ device: 'ad9361-phy', of: 'device', name: 'note' }, 'RX 3\nfür zwei\n');
    expect(memory.values.get('iio:device0 voltage0 (in) hardwaregain')).toBe('12');
    expect(memory.values.get('iio:device0 debug loopback')).toBe('1');
    expect(memory.values.get('iio:device0 note')).toBe('RX 3\nfür zwei\n');
  });

  it('iio/context.I1 names the attribute that is refused, and goes on', async () => {
    const { client } = await pair();
    const refused = await failing(client.write(ensm, 'refused'));
    expect(refused).toMatchObject({
      errno: errno.EINVAL,
      message: 'ad9361-phy ensm_mode: iiod refuses with EINVAL',
    });
    const unknown = await failing(client.read({ ...gain, name: 'nope' }));
    expect(unknown).toMatchObject({ errno: errno.ENOENT });
    expect(unknown.message).toContain('ad9361-phy voltage0 (in) nope');
    expect((await failing(client.read({ ...ensm, device: 'none' }))).errno).toBe(errno.ENODEV);
    expect((await failing(client.read({ ...gain, channel: 'none' }))).errno).toBe(errno.ENXIO);
    expect(await client.read(ensm)).toBe('fdd');
  });

  it.each(['a b', 'a\nWRITE', '', 'a\0'])('client.K4 asks for no attribute named %j', async (name) => {
    const { client } = await pair();
    expect((await failing(client.read({ ...ensm, name }))).errno).toBe(errno.EINVAL);
    expect(await client.read(ensm)).toBe('fdd');
  });

  it.each(['a\0b', 'x'.repeat(IIOD_VALUE_BYTES)])(
    'writes no value that cannot be one: %.6j',
    async (value) => {
      const { client } = await pair();
      expect((await failing(client.write(ensm, value))).errno).toBe(errno.EINVAL);
      expect(await client.read(ensm)).toBe('fdd');
    },
  );

  it('answers each of many questions at once with its own', async () => {
    const { client } = await pair();
    const names = Array.from({ length: 200 }, (_, place) => (place % 2 === 0 ? gain : ensm));
    const values = await Promise.all(names.map((at) => client.read(at)));
    expect(values).toEqual(names.map((at) => (at === gain ? '63.000000 dB' : 'fdd')));
  });

  it('takes no more questions than may wait', async () => {
    const { client, memory } = await pair();
    let open = () => {};
    memory.gate = new Promise((resolve) => {
      open = () => resolve();
    });
    const asked = Array.from({ length: IIOD_QUESTIONS_WAITING }, () => client.read(ensm));
    expect((await failing(client.read(ensm))).errno).toBe(errno.EBUSY);
    open();
    expect(new Set(await Promise.all(asked))).toEqual(new Set(['fdd']));
  });

  it('client-buffer.F1 carries blocks byte for byte', async () => {
    const { client, memory } = await pair();
    const rx = await client.open('modem-rx', bytes);
    const tx = await client.open('modem-tx', { ...bytes, cyclic: true });
    expect(memory.opened).toMatchObject([
      { device: 'iio:device3', samples: 4096, cyclic: false },
      { device: 'iio:device4', cyclic: true },
    ]);
    // Lengths across the borders of blocks, and of what a socket hands over at a time.
    for (const length of [1, 2, 4095, 4096, 4097, 65_536, 3_000_001]) {
      const sent = Buffer.from(Uint8Array.from({ length }, (_, place) => (place * 31 + length) % 251));
      await tx.write(sent, PATIENT_MS);
      expect(Buffer.compare(Buffer.from(await rx.read(length, PATIENT_MS)), sent)).toBe(0);
    }
    await rx.close();
    await tx.close();
    await until(() => memory.held.size === 0);
  });

  it('scan.S1 opens the channels it is asked for where indices are missing', async () => {
    const { client, memory } = await pair();
    await client.open('cf-ad9361-lpc', { samples: 16, mask: 0b10_1001 });
    expect(memory.opened).toMatchObject([{ mask: 0b10_1001 }]);
  });

  it('client.K1 a buffer that waits holds up no attribute', async () => {
    const { client } = await pair();
    const rx = await client.open('modem-rx', bytes);
    const read = failing(rx.read(1, PATIENT_MS));
    expect(await client.read(ensm)).toBe('fdd');
    await rx.close();
    expect((await read).errno).toBe(errno.EBADF);
  });

  it('client.K3 a buffer without samples times out, and the next read opens it again', async () => {
    const { client, memory } = await pair();
    const rx = await client.open('modem-rx', bytes);
    const starved = await failing(rx.read(16, 30));
    expect(starved).toMatchObject({
      errno: errno.ETIMEDOUT,
      message: 'the buffer of modem-rx: iiod refuses with ETIMEDOUT',
    });
    const tx = await client.open('modem-tx', bytes);
    await tx.write(Buffer.from('sixteen of bytes'), PATIENT_MS);
    expect(Buffer.from(await rx.read(16, PATIENT_MS)).toString()).toBe('sixteen of bytes');
    expect(memory.opened.filter(({ device }) => device === 'iio:device3')).toHaveLength(2);
    expect(await client.read(ensm)).toBe('fdd');
  });

  it('client-buffer.F2 a write that is refused in the middle leaves a buffer that writes again', async () => {
    const { client, memory } = await pair();
    const tx = await client.open('modem-tx', { samples: 4, mask: 1 });
    memory.failWrite = errno.EIO;
    expect((await failing(tx.write(Buffer.from('VERSION\nVERSION\n'), PATIENT_MS))).errno).toBe(errno.EIO);
    await tx.write(Buffer.from('good'), PATIENT_MS);
    expect(memory.onTheWay()).toBe(4);
  });

  it('opens a buffer once, and again when it is closed', async () => {
    const { client, server } = await pair();
    const rx = await client.open('modem-rx', bytes);
    expect((await failing(client.open('iio:device3', bytes))).errno).toBe(errno.EBUSY);
    const other = await dial(server.port);
    expect((await failing(other.open('modem-rx', bytes))).errno).toBe(errno.EBUSY);
    await rx.close();
    await rx.close();
    const again = await other.open('modem-rx', bytes);
    expect((await failing(rx.read(1, 10))).errno).toBe(errno.EBADF);
    await again.close();
    await client.open('modem-rx', bytes);
  });

  it.each([
    ['no such device', 'none', bytes, errno.ENODEV],
    ['no channels', 'modem-rx', { samples: 1, mask: 0 }, errno.EINVAL],
    ['channels that are not there', 'modem-rx', { samples: 1, mask: 3 }, errno.EINVAL],
    ['no samples', 'modem-rx', { samples: 0, mask: 1 }, errno.EINVAL],
    ['half a sample', 'modem-rx', { samples: 1.5, mask: 1 }, errno.EINVAL],
    ['too many', 'modem-rx', { samples: 1e9, mask: 1 }, errno.EINVAL],
  ])('opens no buffer with %s', async (_, device, options, number) => {
    const { client } = await pair();
    expect((await failing(client.open(device, options))).errno).toBe(number);
  });

  it('transfers whole samples within bounds only', async () => {
    const { client } = await pair();
    const rx = await client.open('cf-ad9361-lpc', { samples: 16, mask: 0b11 });
    for (const length of [0, -4, 1, 6, 1e9, Number.NaN])
      expect((await failing(rx.read(length, 100))).errno).toBe(errno.EINVAL);
    expect((await failing(rx.read(4, 0))).errno).toBe(errno.EINVAL);
  });

  it('reports that the board is lost, to whoever waits also, when its server ends', async () => {
    const { client, server } = await pair();
    const rx = await client.open('modem-rx', bytes);
    const read = failing(rx.read(16, PATIENT_MS));
    await until(() => client.read(ensm));
    await server.stop();
    expect((await client.lost).errno).toBe(errno.EIO);
    await read;
    await failing(client.read(ensm));
    await failing(client.open('modem-tx', bytes));
    expect((await failing(rx.read(16, PATIENT_MS))).message).not.toContain('refuses');
  });

  it('iio/context.I2 a question without an answer costs the context; its late answer reaches nobody', async () => {
    const clock = new ManualClock(0);
    const { client, memory } = await pair('stub', LATE_MS, clock);
    let open = () => {};
    memory.gate = new Promise((resolve) => {
      open = () => resolve();
    });
    const first = failing(client.read(gain));
    const second = failing(client.read(ensm));
    await outlast(clock);
    expect(await first).toMatchObject({ errno: errno.ETIMEDOUT });
    expect((await second).errno).toBe(errno.ETIMEDOUT);
    expect((await client.lost).message).toContain('ad9361-phy voltage0 (in) hardwaregain');
    open();
    await failing(client.read(ensm));
  });

  it('client-buffer.F3 a buffer whose line is dead fails in time; the board is lost when it does not answer either', async () => {
    const clock = new ManualClock(0);
    const { client, relay } = await pair('stub', LATE_MS, clock);
    const rx = await client.open('modem-rx', bytes);
    relay.swallowing = true;
    const read = failing(rx.read(16, SHORT_MS));
    await outlast(clock);
    expect((await read).errno).toBe(errno.ETIMEDOUT);
    // What is asked about the board is not answered either.
    await outlast(clock);
    expect((await client.lost).errno).toBe(errno.ETIMEDOUT);
  });

  it('client-buffer.F3 a buffer that is late costs its connection only while the board answers', async () => {
    const clock = new ManualClock(0);
    const { client, memory, server } = await pair('stub', LATE_MS, clock);
    const rx = await client.open('modem-rx', bytes);
    // Somebody else's long wait: what the server was reported covers both.
    const other = await client.open('cf-ad9361-lpc', { samples: 500, mask: 1 });
    const long = failing(other.read(1_000, PATIENT_MS));
    const late = failing(rx.read(16, SHORT_MS));
    await until(() => memory.waiting() === 2, { what: 'two transfers under way' });
    clock.advance(LATE_MS + SHORT_MS);
    expect((await late).errno).toBe(errno.ETIMEDOUT);
    const tx = await client.open('modem-tx', bytes);
    await tx.write(Buffer.from('later'), PATIENT_MS);
    expect(Buffer.from(await rx.read(5, PATIENT_MS)).toString()).toBe('later');
    expect(memory.opened.length).toBeGreaterThan(3);
    expect(await client.read(ensm)).toBe('fdd');
    await server.stop();
    await long;
  });
});

/** A server that answers what is scripted; `undefined` ends the connection. */
async function scripted(
  answer: (said: string, socket: Socket) => string | undefined,
  connected: (socket: Socket) => void = () => undefined,
): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    connected(socket);
    socket.on('error', () => undefined);
    socket.on('data', (said) => {
      const answered = answer(said.toString('latin1'), socket);
      if (answered === undefined) socket.end();
      else if (answered !== '') socket.write(Buffer.from(answered, 'latin1'));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const xml = writeContextXml({ description: '', attributes: new Map(), devices: memoryDevices });
const PRINTED = `${xml.length}\n${xml}\n`;
const greeting = (said: string): string | undefined =>
  said.startsWith('VERSION') ? '0.24.v0.24  \n' : said.startsWith('PRINT') ? PRINTED : undefined;

describe('servers that do what none should', () => {
  it('nobody listens', async () => {
    const port = await scripted(greeting);
    for (const end of ends.splice(0)) await end();
    const failure = await failing(dial(port));
    expect(failure).toMatchObject({ errno: errno.EIO });
    expect(failure.message).toContain(`no connection with iiod at 127.0.0.1:${port}`);
  });

  it('a peer that never takes the connection is given up at the deadline', async () => {
    const clock = new ManualClock(0);
    // Of the block kept for documents: nobody answers there, and a machine without a way there says so at once.
    const dialled = failing(connectIiod({ host: '192.0.2.1', port: 30431, deadlineMs: 1_000, clock, log }));
    clock.advance(1_000);
    expect([errno.ETIMEDOUT, errno.EIO]).toContain((await dialled).errno);
    expect(clock.waiting).toBe(0);
  });

  it.each([
    ['says nothing', '', errno.ETIMEDOUT],
    ['closes at once', undefined, errno.EIO],
    ['speaks something else', 'HTTP/1.1 400 Bad Request\r\n\r\n', errno.EIO],
    ['never ends its line', 'x'.repeat(5_000), errno.EIO],
    ['answers with half a line', '0.24.v0', errno.ETIMEDOUT],
    ['says more than it was asked', '0.24.v0.24  \n0\n', errno.EIO],
  ])('a server that %s is no iiod', async (_, answer, number) => {
    const port = await scripted(() => answer);
    expect((await failing(dial(port, number === errno.ETIMEDOUT ? SHORT_MS : PATIENT_MS))).errno).toBe(
      number,
    );
  });

  it.each([
    ['a refusal', '-12\n', 12],
    ['no number', 'many\n', errno.EIO],
    ['more than bounds', `${IIOD_XML_BYTES + 1}\n`, errno.EIO],
    ['something that is no XML', '5\nhello\n', errno.EIO],
    ['another length than its own', `${xml.length - 1}\n${xml}\n`, errno.EIO],
    ['half of it', `${xml.length}\n${xml.slice(0, 100)}`, errno.ETIMEDOUT],
  ])('a description with %s is refused', async (_, answer, number) => {
    let isAsked = false;
    const port = await scripted((said) => {
      if (!said.startsWith('PRINT')) return greeting(said);
      isAsked = true;
      return answer;
    });
    const clock = new ManualClock(0);
    const refused = failing(dial(port, LATE_MS, clock));
    if (number === errno.ETIMEDOUT) {
      await until(() => isAsked);
      await outlast(clock);
    }
    expect((await refused).errno).toBe(number);
  });

  it.each([
    ['garbage', 'fdd\n', errno.EIO],
    ['a fraction', '4.5\n', errno.EIO],
    ['an empty line', '\n', errno.EIO],
    ['a value beyond bounds', `${IIOD_VALUE_BYTES + 1}\n`, errno.EIO],
    ['a value that does not end', '4\nfdd\0x', errno.EIO],
    ['two values', '4\nfdd\x004\nfdd\0\n', errno.EIO],
    ['a value and another', '4\nfdd\0\n4\nfdd\0\n', errno.EIO],
    ['the end of the connection', undefined, errno.EIO],
    ['half a value', '4\nfd', errno.ETIMEDOUT],
    ['nothing', '', errno.ETIMEDOUT],
  ])('iiod-connection.N1 an attribute answered with %s costs the context', async (_, answer, number) => {
    const clock = new ManualClock(0);
    let isAsked = false;
    const port = await scripted((said) => {
      if (/^(VERSION|PRINT)/.test(said)) return greeting(said);
      isAsked = true;
      return answer;
    });
    const client = await dial(port, LATE_MS, clock);
    const read = client.read(ensm);
    if (number === errno.ETIMEDOUT) {
      await until(() => isAsked);
      await outlast(clock);
    }
    if (answer === '4\nfdd\0\n4\nfdd\0\n') expect(await read.catch(() => 'fdd')).toBe('fdd');
    else expect((await failing(read)).message).toContain('ad9361-phy ensm_mode');
    expect((await client.lost).errno).toBe(number);
    await failing(client.read(ensm));
  });

  it('a connection that ends in the middle of a value fails at once', async () => {
    const port = await scripted((said, socket) => {
      if (!said.startsWith('READ')) return greeting(said);
      socket.end('40\nhalf');
      return '';
    });
    const client = await dial(port);
    expect((await failing(client.read(ensm))).message).toContain('closed the connection');
    await client.lost;
  });

  it('iiod-connection.N1 bytes that nobody asked for cost the context', async () => {
    let peer: Socket | undefined;
    const port = await scripted((said, socket) => {
      peer = socket;
      return greeting(said);
    });
    const client = await dial(port);
    peer?.write('0\n');
    expect((await client.lost).message).toBe('iiod sends data that was not requested');
  });

  it('iiod-connection.N1 also on the connection that has not been asked anything yet', async () => {
    const peers: Socket[] = [];
    const port = await scripted(greeting, (socket) => peers.push(socket));
    const client = await dial(port);
    await until(() => peers.length === 2, { what: 'the connection of what is urgent' });
    peers[1]!.write('0\n');
    expect((await client.lost).message).toBe('iiod sends data that was not requested');
  });

  it('a flood is not kept', async () => {
    let peer: Socket | undefined;
    const port = await scripted((said, socket) => {
      peer = socket;
      return said.startsWith('READ') ? '60000\n' : greeting(said);
    });
    const client = await dial(port);
    const read = failing(client.read(ensm));
    const piece = Buffer.alloc(1024 * 1024, 1);
    for (let sent = 0; sent < 16; sent += 1) peer?.write(piece);
    expect((await read).errno).toBe(errno.EIO);
    await until(() => peer?.destroyed === true || peer?.writable === false);
  });

  it.each([
    ['another set of channels', '4\n00000003\nabcd', errno.EIO],
    ['more than was requested', '8\n00000001\nabcdefgh', errno.EIO],
    ['an end before all is there', '2\n00000001\nab0\n', errno.EIO],
    ['a block that never ends', '4\n00000001\nab', errno.ETIMEDOUT],
    ['more than was left of it', '2\n00000001\nab4\ncdef', errno.EIO],
    ['a refusal in the middle', '2\n00000001\nab-5\n', errno.EIO],
    ['a refusal', '-32\n', 32],
    ['the end of the connection', undefined, errno.EIO],
  ])('client-buffer.F1 a read answered with %s gives nothing', async (_, answer, number) => {
    let asked = 0;
    const port = await scripted((said) => {
      if (!said.startsWith('READBUF')) return /^(OPEN|TIMEOUT|CLOSE)/.test(said) ? '0\n' : greeting(said);
      asked += 1;
      return answer;
    });
    const clock = new ManualClock(0);
    const client = await dial(port, LATE_MS, clock);
    const rx = await client.open('modem-rx', bytes);
    for (const time of [1, 2]) {
      const read = failing(rx.read(4, SHORT_MS));
      if (number === errno.ETIMEDOUT) {
        await until(() => asked === time);
        await outlast(clock, LATE_MS + SHORT_MS);
      }
      expect((await read).errno).toBe(number);
    }
  });

  it('T1 a short transfer does not cut a long one: iiod has one time for all', async () => {
    const reported: string[] = [];
    const port = await scripted((said) => {
      if (said.startsWith('TIMEOUT')) reported.push(said.trim());
      if (said.startsWith('READBUF')) return '';
      return /^(OPEN|TIMEOUT)/.test(said) ? '0\n' : greeting(said);
    });
    const client = await dial(port);
    const long = await client.open('modem-rx', bytes);
    const read = failing(long.read(4, 9_000));
    await until(() => reported.length === 1);
    const short = await client.open('cf-ad9361-lpc', bytes);
    const other = failing(short.read(4, 20));
    await until(() => reported.length === 2);
    expect(reported).toEqual(['TIMEOUT 9000', 'TIMEOUT 9000']);
    await client.close();
    await Promise.all([read, other]);
  });

  it('whatever a server answers, the question ends and nothing else is thrown', async () => {
    const scrap = fc.constantFrom(
      '0\n',
      '4\n',
      '-5\n',
      '00000001\n',
      'fdd\0\n',
      '\n',
      '\0',
      '99999999999\n',
      '-\n',
    );
    const noise = fc.uint8Array({ maxLength: 8 }).map((raw) => Buffer.from(raw).toString('latin1'));
    const answer = fc.array(fc.oneof(scrap, noise), { maxLength: 5 }).map((all) => all.join(''));
    let next = '';
    const port = await scripted((said, socket) => {
      if (/^(VERSION|PRINT)/.test(said)) return greeting(said);
      if (/^(OPEN|TIMEOUT)/.test(said)) return '0\n';
      socket.end(Buffer.from(next, 'latin1'));
      return '';
    });
    await fc.assert(
      fc.asyncProperty(answer, fc.boolean(), async (said, ofBuffer) => {
        next = said;
        const client = await dial(port);
        const asked = ofBuffer
          ? (await client.open('modem-rx', bytes)).read(4, PATIENT_MS)
          : client.read(ensm);
        await asked.then(
          (value) => expect(typeof value === 'string' || value.length === 4).toBe(true),
          (error) => expect(error).toBeInstanceOf(IioFailure),
        );
        await client.close();
      }),
      { seed: 20_261_121, numRuns: 150, endOnFailure: true },
    );
  });
});
