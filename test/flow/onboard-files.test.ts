/** Files of the simulated spacecraft over a real bus: asked for by telecommands, read by the driver, kept in their stream. */

import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { file } from '../../cli/file.ts';
import { type DecodedBatch, decodeBatch, type FileSample } from '../../contract/batch.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { type FileChunk, readFileChunk } from '../../contract/file-chunk.ts';
import type { OnboardDirectory } from '../../contract/onboard-file.ts';
import type { SimulatedFiles } from '../../contract/simulation.ts';
import type { TcReply } from '../../contract/telecommand.ts';
import type { Stoppable } from '../../ports/bus.ts';
import { call } from '../support/client.ts';
import { type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { until } from '../support/until.ts';

/** A machine with much else to do takes its time. */
const PATIENTLY = { timeoutMs: 60_000 };
const CHUNK = 200;
let cell: DemoCell;
const followers: Stoppable[] = [];
const listed: FileSample[] = [];
const chunks: FileChunk[] = [];

beforeAll(async () => {
  cell = await startDemoCell({ memberTtlMs: 20_000 });
  const { bus } = cell;
  followers.push(
    await bus.follow(streams.decoded, subject.decoded('sat1'), { from: 'now' }, ({ data }) => {
      listed.push(...(decodeBatch<DecodedBatch>(data).files ?? []));
    }),
    await bus.follow(streams.fileChunks, subject.fileChunks('sat1'), { from: 'now' }, (message) => {
      const chunk = readFileChunk(message);
      if (chunk !== undefined) chunks.push(chunk);
    }),
  );
}, 60_000);
afterAll(async () => {
  await Promise.all(followers.map((each) => each.stop()));
  await cell.stop();
});

const onBoard = async () => (await call<SimulatedFiles>('GET', `${cell.api}/v1/sim/sim-1/files`)).body.files;

describe('files of the simulated spacecraft', () => {
  it('MC-FILE-006 MC-FILE-008 are listed when the directory is asked for, as the spacecraft has them', async () => {
    const asked = await call<TcReply>('POST', `${cell.api}/v1/targets/sat1/files/refresh`);
    expect([asked.status, asked.body.duplicate]).toEqual([202, false]);
    const files = await onBoard();
    await until(() => listed.length >= files.length, { ...PATIENTLY, what: 'the listing' });
    expect(
      listed.map(({ file, size, checksum, generation, file_type }) => ({
        file,
        size,
        checksum,
        generation,
        file_type,
      })),
    ).toEqual(
      files.map(({ id, size, crc32, generation, file_type }) => ({
        file: id,
        size,
        checksum: crc32,
        generation,
        file_type,
      })),
    );
  });

  it('MC-FILE-010 MC-FILE-003 are shown by mcs file refresh, once the listing has become the directory', async () => {
    let printed = '';
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      printed += String(text);
      return true;
    });
    const code = await file(['refresh', 'sat1', '--json', '--api', cell.api, '--user', 'ada']);
    vi.restoreAllMocks();
    expect(code).toBe(0);
    const { files } = JSON.parse(printed) as OnboardDirectory;
    expect(files.map(({ id, size, checksum, generation }) => [id, size, checksum, generation])).toEqual(
      (await onBoard()).map(({ id, size, crc32, generation }) => [id, size, crc32, generation]),
    );
  });

  it('MC-XFER-045 MC-BUS-012 come down in chunks as they are asked for, byte for byte', async () => {
    const { sha256, size } = (await onBoard()).find(({ id }) => id === '2')!;
    const offsets = Array.from({ length: Math.ceil(size / CHUNK) }, (_, index) => index * CHUNK);
    for (const offset of offsets) {
      const args = { offset, length: Math.min(CHUNK, size - offset) };
      const { status } = await call('POST', `${cell.api}/v1/tc`, {
        target: 'sat1',
        telecommand: 'files[2].read',
        args,
      });
      expect(status).toBe(202);
    }
    await until(() => chunks.length >= offsets.length, { ...PATIENTLY, what: 'every chunk' });
    expect(chunks.every(({ file, generation }) => file === '2' && generation === 1)).toBe(true);
    const whole = Buffer.alloc(size);
    for (const { offset, data } of chunks) whole.set(data, offset);
    expect(createHash('sha256').update(whole).digest('hex')).toBe(sha256);
  });
});
