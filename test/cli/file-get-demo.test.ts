/** A file comes down from the simulated spacecraft of the demo, by the commands of a person and every role of the service. */

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { file } from '../../cli/file.ts';
import type { OnboardDirectory } from '../../contract/onboard-file.ts';
import { call } from '../support/client.ts';
import { type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { until } from '../support/until.ts';

let cell: DemoCell;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcs-get-demo-'));
  cell = await startDemoCell({ memberTtlMs: 20_000 });
}, 60_000);
afterAll(async () => {
  await cell.stop();
  await rm(folder, { recursive: true });
});
afterEach(() => void vi.restoreAllMocks());

it('F-18 is byte for byte what the spacecraft listed', { timeout: 120_000 }, async () => {
  let err = '';
  vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    err += String(text);
    return true;
  });
  const mcs = (...args: string[]): Promise<number> => file([...args, '--api', cell.api, '--user', 'ada']);
  // The gateway of the spacecraft may take a moment to be there, and the parts of a listing to come behind each other.
  const listed = await until(
    async () => {
      if ((await mcs('refresh', 'sat1')) !== 0) return undefined;
      const { body } = await call('GET', `${cell.api}/v1/targets/sat1/files`);
      return (body as OnboardDirectory).files.find(({ id }) => id === '2');
    },
    { timeoutMs: 45_000 },
  );
  expect(await mcs('get', 'sat1', '2', '--output', join(folder, 'image')), err).toBe(0);
  const content = await readFile(join(folder, 'image'));
  expect([content.length, crc32(content)]).toEqual([listed.size, Number.parseInt(listed.checksum!, 16)]);
  expect(err).toContain('VERIFIED');
});
