/** The modelled board through a socket: what the bench reads from it, sends and captures is what it is without one. */

import { afterEach, describe, expect, it } from 'vitest';
import { Modem } from '../../radio/board/modem.ts';
import { readBoard } from '../../radio/board/reading.ts';
import { modemDevice } from '../../radio/board/registers.ts';
import { connectIiod } from '../../radio/iio/client.ts';
import type { IioAttribute, IioContext } from '../../radio/iio/context.ts';
import { serveIiod } from '../../radio/iio/server.ts';
import { realClock } from '../../supervision/clock.ts';
import { keptLog } from '../support/silent-log.ts';
import { until } from '../support/until.ts';
import { BLOCK, payload, placeOf, type Rig, tune, tuned } from './stub/rig.ts';

const log = keptLog();
const PATIENT_MS = 20_000;
const buffer = { samples: BLOCK, mask: 1 };
const ends: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A tuned board, and the same through a socket. */
async function both(): Promise<{ rig: Rig; remote: IioContext }> {
  const rig = await tuned();
  const server = await serveIiod({ context: rig.board, port: 0, clock: realClock, log });
  ends.push(() => server.stop());
  const remote = await connectIiod({
    host: '127.0.0.1',
    port: server.port,
    deadlineMs: PATIENT_MS,
    clock: realClock,
    log,
  });
  ends.push(() => remote.close());
  return { rig, remote };
}

function attributesOf({ devices }: IioContext): IioAttribute[] {
  return devices.flatMap(({ id: device, channels, ...of }) => [
    ...of.attributes.map((name) => ({ device, of: 'device' as const, name })),
    ...of.debugAttributes.map((name) => ({ device, of: 'debug' as const, name })),
    ...of.bufferAttributes.map((name) => ({ device, of: 'buffer' as const, name })),
    ...channels.flatMap(({ id: channel, output, attributes }) =>
      attributes.map(({ name }) => ({ device, of: 'channel' as const, channel, output, name })),
    ),
  ]);
}

const reported = (reading: Promise<string>) => reading.catch((error) => `refused with ${error.errno}`);

/** Sends blocks and captures so many, while the clock of the board is moved on. */
async function captured(context: IioContext, { clock, board }: Rig, blocks: number): Promise<Uint8Array> {
  const capture = await context.open(modemDevice.receive, buffer);
  const output = await context.open(modemDevice.transmit, buffer);
  const { blockMs } = board.truth();
  let bytes: Uint8Array | undefined;
  // The ring of the board takes them while its time stands still: they leave first, however late the reading begins.
  await output.write(payload(blocks + 4), PATIENT_MS);
  const reading = capture.read(blocks * BLOCK, PATIENT_MS).then((read) => {
    bytes = read;
  });
  await until(() => {
    clock.advance(blockMs);
    return bytes;
  });
  await reading;
  await capture.close();
  await output.close();
  return bytes!;
}

describe('the modelled board through a socket', () => {
  it('has the same devices, and every attribute reads or is refused alike', async () => {
    const { rig, remote } = await both();
    expect(remote.source).toBe('stub');
    expect(remote.devices).toEqual(rig.board.devices);
    const attributes = attributesOf(remote);
    expect(attributes.length).toBeGreaterThan(100);
    for (const at of attributes) {
      const here = await reported(rig.board.read(at));
      expect(await reported(remote.read(at)), JSON.stringify(at)).toBe(here);
    }
  });

  it('takes settings, and is read by the bench as without a socket', async () => {
    const { rig, remote } = await both();
    await tune(rig.board, { rxGainDb: 20 });
    await remote.write(
      { device: 'ad9361-phy', of: 'channel', channel: 'voltage0', output: false, name: 'hardwaregain' },
      '33',
    );
    const there = await readBoard(remote, new Modem(remote));
    expect(there).toEqual(await readBoard(rig.board, new Modem(rig.board)));
    expect(there.rx.gainDb).toMatchObject({ value: 33 });
    expect(there.modemVersion).toMatchObject({ value: expect.stringMatching(/^\d+\.\d+$/) });
  });

  it('carries what was sent back to the capture, byte for byte', async () => {
    const { rig, remote } = await both();
    const bytes = await captured(remote, rig, 12);
    const sent = payload(16);
    const place = placeOf(sent, bytes);
    expect(place).toBeGreaterThanOrEqual(0);
    const arrived = Buffer.from(bytes).subarray(place);
    expect(arrived.length).toBeGreaterThan(4 * BLOCK);
    expect(Buffer.compare(arrived, Buffer.from(sent.subarray(0, arrived.length)))).toBe(0);
  });

  it('a lost board refuses through the socket too', async () => {
    const { rig, remote } = await both();
    rig.board.lose('its plug was pulled');
    const at = { device: 'ad9361-phy', of: 'device', name: 'ensm_mode' } as const;
    expect(await reported(remote.read(at))).toBe('refused with 19');
  });
});
