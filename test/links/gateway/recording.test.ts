import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Gateway } from '../../../links/gateway/gateway.ts';
import { createRecording, recordingSettings } from '../../../links/gateway/recording.ts';
import { writeSpacePacket } from '../../../protocol/space-packet.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';
import { DEMO_FOLDER } from '../../support/missions.ts';
import { type KeptLog, keptLog } from '../../support/silent-log.ts';
import { until } from '../../support/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'mcs-recording-'));
afterAll(() => rmSync(folder, { recursive: true }));

const packets = Array.from({ length: 10 }, (_, sequenceCount) =>
  writeSpacePacket(
    { type: 'telemetry', secondaryHeader: false, apid: 3, sequenceFlags: 'unsegmented', sequenceCount },
    Buffer.from([sequenceCount]),
  ),
);
writeFileSync(join(folder, 'ten.ccsds'), Buffer.concat(packets));
writeFileSync(join(folder, 'empty.ccsds'), '');
writeFileSync(
  join(folder, 'damaged.ccsds'),
  Buffer.concat([packets[0]!, Buffer.alloc(5, 0xff), ...packets.slice(1)]),
);

let clock: ManualClock;
let log: KeptLog;
let gateway: Gateway;
let received: { frame: Buffer; at: number }[];
let room: Promise<void> | undefined;

beforeEach(() => {
  clock = new ManualClock(1_000_000);
  log = keptLog();
  received = [];
  room = undefined;
});
afterEach(() => gateway.stop());

function play(settings: Record<string, unknown>, missionFolder = folder): void {
  const read = recordingSettings(settings, missionFolder);
  if (!read.ok) throw new Error(read.faults[0]);
  gateway = createRecording(read.value, { clock, log });
  gateway.start({
    frame: (frame) => {
      received.push({ frame, at: clock.now() - 1_000_000 });
      return room;
    },
    echo: () => undefined,
  });
}

/** Advances until `count` packets were received, waiting for file and clock in turn. */
async function hear(count: number): Promise<void> {
  await until(async () => {
    for (let turn = 0; turn < 200 && received.length < count; turn += 1) {
      if (clock.waiting > 0) clock.advance(5);
      await settled();
    }
    return received.length >= count;
  });
}

describe('pace', () => {
  it('one packet a second unless said otherwise, the first at once', async () => {
    play({ file: 'ten.ccsds' });
    await hear(4);
    expect(received.map(({ at }) => at)).toEqual([0, 1_000, 2_000, 3_000]);
    expect(received.map(({ frame }) => frame)).toEqual(packets.slice(0, 4));
  });

  it('follows the rate without drifting', async () => {
    play({ file: 'ten.ccsds', rate: 8 });
    await hear(10);
    // 125 ms apart, received on a clock that moves by 5.
    expect(received.map(({ at }) => at)).toEqual([0, 125, 250, 375, 500, 625, 750, 875, 1_000, 1_125]);
  });

  it('as fast as possible needs no time at all', async () => {
    play({ file: 'recordings/noaa20-geolocation.ccsds', as_fast_as_possible: true }, DEMO_FOLDER);
    await until(() => received.length === 7_200);
    expect(clock.waiting).toBe(0);
  });

  it('gateway.L2 waits for room', async () => {
    let free: () => void = () => undefined;
    room = new Promise((resolve) => {
      free = resolve;
    });
    play({ file: 'ten.ccsds', as_fast_as_possible: true });
    await until(() => received.length > 0);
    await settled();
    expect(received).toHaveLength(1);
    room = undefined;
    free();
    await until(() => received.length === 10);
  });

  it('recording.N2 brings no burst after the clock jumped ahead', async () => {
    play({ file: 'ten.ccsds' });
    await hear(2);
    clock.advance(1_000_000);
    await settled();
    await settled();
    expect(received.length).toBeLessThan(5);
  });
});

describe('end', () => {
  it('once plays the file once', async () => {
    play({ file: 'ten.ccsds', as_fast_as_possible: true });
    await until(() => received.length === 10);
    await clock.run(5_000, 1_000);
    expect(received).toHaveLength(10);
  });

  it('loop begins again, at the same pace', async () => {
    play({ file: 'ten.ccsds', rate: 10, loop: true });
    await hear(25);
    expect(received.map(({ frame }) => frame[6])).toEqual(
      Array.from({ length: 25 }, (_, index) => index % 10),
    );
    expect(received.at(-1)?.at).toBe(2_400);
  });

  it('stop ends it at once and leaves no timer', async () => {
    play({ file: 'ten.ccsds', loop: true });
    await hear(2);
    await gateway.stop();
    await clock.run(5_000, 1_000);
    expect(received).toHaveLength(2);
    expect(clock.waiting).toBe(0);
  });
});

describe('what cannot be played', () => {
  it('recording.N3 a missing file is given by name and reason', async () => {
    play({ file: 'absent.ccsds', loop: true });
    await until(() => log.said.length > 0);
    expect(log.said).toMatchObject([
      { level: 'error', message: expect.stringMatching(/absent\.ccsds cannot be played/) },
    ]);
    expect(log.said[0]?.fields).toMatchObject({ err: { code: 'ENOENT' } });
  });

  it('a file without packets is reported, also in a loop', async () => {
    play({ file: 'empty.ccsds', loop: true });
    await until(() => log.said.length > 0);
    expect(log.said[0]?.fields).toMatchObject({ err: { message: 'it contains no space packet' } });
  });

  it('damage in a file is skipped and reported', async () => {
    play({ file: 'damaged.ccsds', as_fast_as_possible: true });
    await until(() => log.said.length > 0);
    expect(log.said).toMatchObject([{ fields: { skipped: 5 } }]);
    expect(received.map(({ frame }) => frame)).toEqual(packets);
  });

  it('sends nothing', async () => {
    play({ file: 'ten.ccsds' });
    expect(await gateway.send(Buffer.alloc(1))).toMatchObject({ sent: false });
  });
});

describe('settings', () => {
  it.each([
    [{}, /needs `file`/],
    [{ file: '../secret' }, /outside the mission folder/],
    [{ file: '/etc/passwd' }, /outside the mission folder/],
    [{ file: 'ten.ccsds', rate: 0 }, /rate is 0/],
    [{ file: 'ten.ccsds', rate: 'fast' }, /rate is "fast"/],
    [{ file: 'ten.ccsds', rate: 1, as_fast_as_possible: true }, /not both/],
  ])('%j is refused', (settings, reason) => {
    play({ file: 'ten.ccsds' });
    expect(recordingSettings(settings, folder)).toMatchObject({
      ok: false,
      faults: [expect.stringMatching(reason)],
    });
  });
});
