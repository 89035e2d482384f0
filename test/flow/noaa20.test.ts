/**
 * Flight data of NOAA-20 through the whole service: frames on the bus, decoded, calibrated, stored, read over HTTP. The
 * expected values were read from the same recording by an independent parser (test/data/noaa20).
 */

import { readFileSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeBatch, encodeBatch, type FrameBatch } from '../../contract/batch.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { CurrentValue, CurrentValues } from '../../contract/value.ts';
import { call } from '../support/client.ts';
import { DEMO, type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { until } from '../support/until.ts';

const PACKET_BYTES = 71;
/**
 * A recording is played from its beginning by each process that takes its gateway up: a busy machine must not take it.
 */
const MEMBER_TTL_MS = 600_000;
/** To start a service, or to play it all, beside whatever else the machine has to do. */
const PATIENTLY = { timeoutMs: 60_000 };
const LONGEST = { timeout: 120_000 };
const recording = readFileSync(join(DEMO, 'recordings/noaa20-geolocation.ccsds'));
const [header = '', ...lines] = readFileSync(new URL('../data/noaa20/expected.csv', import.meta.url), 'utf8')
  .trim()
  .split(/\r?\n/);
const columns = header.split(',').slice(1);

const packet = (index: number): Buffer =>
  recording.subarray(index * PACKET_BYTES, (index + 1) * PACKET_BYTES);

async function read(cell: DemoCell): Promise<Map<string, CurrentValue>> {
  const { body } = await call<CurrentValues>('GET', `${cell.api}/v1/targets/noaa20/values`);
  return new Map((body.values ?? []).map((value) => [value.measure.toUpperCase(), value]));
}

describe('recorded flight data', LONGEST, () => {
  let cell: DemoCell;
  let lastSentAt = 0;
  beforeAll(async () => {
    // Without gateways: the test hands over the frames, one at a time, as the recording gateway does.
    cell = await startDemoCell({ roles: ['api', 'drivers', 'telemetry'], memberTtlMs: MEMBER_TTL_MS });
  }, PATIENTLY.timeoutMs);
  afterAll(() => cell.stop());

  it('MC-VAL-001 every line of the independent reading is what the values route says, all 27 fields, floats bit-exact', async () => {
    expect(lines).toHaveLength(73);
    expect(columns).toHaveLength(27);
    for (const line of lines) {
      const [index = '', ...expected] = line.split(',');
      lastSentAt = Date.now();
      const frame = { at: [lastSentAt], frames: [packet(Number(index))] };
      await cell.bus.append(streams.frames, subject.frames('replay-1'), encodeBatch(frame));
      const count = Number(expected[columns.indexOf('SRC_SEQ_CTR')]);
      const values = await until(async () => {
        const now = await read(cell);
        return now.get('SRC_SEQ_CTR')?.sample.value === count && now;
      }, PATIENTLY);
      for (const [n, column] of columns.entries()) {
        const sample = values.get(column)?.sample;
        expect(
          Object.is(sample?.value, Number(expected[n])),
          `packet ${index} ${column}: ${sample?.value}, not ${expected[n]}`,
        ).toBe(true);
      }
    }
  });

  it('MC-VAL-006 MC-VAL-009 dates each sample by the time on board and names its link', async () => {
    const values = await read(cell);
    const { sample } = values.get('ADGPSPOSX')!;
    // Day 23109 since 1958 is 2021-04-09.
    expect(sample.time.slice(0, 10)).toBe('2021-04-09');
    expect(sample.link).toBe('replay');
    expect(Date.parse(sample.ground_time)).toBe(lastSentAt);
  });
});

describe('the recording gateway', LONGEST, () => {
  let cell: DemoCell;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mcs-mission-'));
    await cp(DEMO, folder, { recursive: true });
    const topology = join(folder, 'topology.yaml');
    const text = await readFile(topology, 'utf8');
    const once = text.replace(
      /recording:\s*\{[^}]*\}/,
      'recording: { file: recordings/noaa20-geolocation.ccsds, as_fast_as_possible: true, loop: false }',
    );
    expect(once).not.toBe(text);
    await writeFile(topology, once);
    cell = await startDemoCell({ folder, memberTtlMs: MEMBER_TTL_MS });
  }, PATIENTLY.timeoutMs);
  afterAll(async () => {
    await cell.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('plays all 7200 packets, none lost, none twice, and ends with the last', async () => {
    const last = lines.at(-1)!.split(',');
    const count = Number(last[1 + columns.indexOf('SRC_SEQ_CTR')]);
    const values = await until(async () => {
      const now = await read(cell);
      return now.get('SRC_SEQ_CTR')?.sample.value === count && now;
    }, PATIENTLY);
    for (const [n, column] of columns.entries()) {
      expect(values.get(column)?.sample.value, column).toBe(Number(last[n + 1]));
    }
    const counts: number[] = [];
    const follower = await cell.bus.follow(
      streams.frames,
      subject.frames('replay-1'),
      { from: 'start' },
      (message) => {
        const batch = decodeBatch<FrameBatch>(message.data);
        for (const frame of batch.frames) counts.push(Buffer.from(frame).readUInt16BE(2) & 0x3fff);
      },
    );
    await follower.caughtUp;
    await follower.stop();
    expect(counts).toHaveLength(7200);
    expect(counts).toEqual(Array.from({ length: 7200 }, (_, n) => (2606 + n) % 16384));
  });
});
