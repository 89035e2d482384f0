/**
 * Stored telemetry that a real process decodes while it is killed with SIGKILL, over a real nats-server: whoever is
 * offered the file next goes on, and each sample is published once.
 */

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { NatsBus } from '../../bus/nats-bus.ts';
import { type DecodedBatch, decodeBatch } from '../../contract/batch.ts';
import { objectStores } from '../../contract/bus/buckets.ts';
import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { DecodeFileCall } from '../../contract/file-decoding.ts';
import type { Follower } from '../../ports/bus.ts';
import { demoReader, hours, samplesOf } from '../links/files/lttm-world.ts';
import { DEMO } from '../support/demo-cell.ts';
import { endAllMcs, type Mcs, startMcs } from '../support/mcs.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import { until } from '../support/until.ts';

/** About three seconds of decoding; the driver is killed behind the first message that has enough of it. */
const FILE = hours(48);
const EXPECTED = samplesIn(FILE);
const QUARTER = EXPECTED.length / 4;
const PATIENTLY = { timeoutMs: 60_000 };

let nats: TestNats;
let bus: NatsBus;
let follower: Follower;
const samples: string[] = [];

function samplesIn(file: Buffer): string[] {
  const reader = demoReader();
  return [...reader.push(file), reader.end()].flatMap((batch) =>
    batch === undefined ? [] : samplesOf(batch),
  );
}

const driver = (instance: string): Promise<Mcs> =>
  startMcs({
    args: [
      'serve',
      '--roles',
      'drivers',
      '--mission',
      DEMO,
      '--nats',
      nats.url,
      '--credentials',
      nats.credentialsFile,
    ],
    env: { MCS_INSTANCE: instance },
  });

const offered = async (): Promise<unknown> => {
  const call: DecodeFileCall = { file_id: '1', generation: 1, file_type: 1, object: 'sat1/1/1' };
  const data = Buffer.from(JSON.stringify(call));
  return JSON.parse(
    Buffer.from(await bus.request(subject.fileDecode('sat1'), data, PATIENTLY)).toString(),
  ) as unknown;
};

beforeAll(async () => {
  nats = await startNats();
  bus = await nats.connected();
}, 60_000);
afterAll(async () => {
  await follower.stop();
  await endAllMcs();
  await nats.stop();
});

it('MC-XFER-056 MC-XFER-057 decoding-mark.M1 a driver that is killed in the middle of a file: the next one goes on, each sample once', async () => {
  const one = await driver('one');
  async function* pieces() {
    yield FILE;
  }
  await bus.objects(objectStores.files).replace('sat1/1/1', pieces());
  let before: number | undefined;
  follower = await bus.follow(
    streams.decoded,
    subject.decoded('sat1'),
    { from: 'start' },
    ({ data, headers }) => {
      if (headers[header.file] !== undefined) samples.push(...samplesOf(decodeBatch<DecodedBatch>(data)));
      if (samples.length <= QUARTER || before !== undefined) return;
      before = samples.length;
      one.child.kill('SIGKILL');
    },
  );
  const lost = offered().catch((error: unknown) => error);
  await until(() => before !== undefined, { ...PATIENTLY, what: 'a quarter of the file' });
  await one.exited;
  expect(before).toBeLessThan(EXPECTED.length);
  await driver('two');
  expect(await offered()).toEqual({ outcome: 'decoded', samples: EXPECTED.length });
  await until(() => samples.length >= EXPECTED.length, { ...PATIENTLY, what: 'the rest of it' });
  expect(samples.length).toBe(EXPECTED.length);
  expect(samples.findIndex((sample, n) => sample !== EXPECTED[n])).toBe(-1);
  void lost;
}, 240_000);
