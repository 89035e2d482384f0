/**
 * A file goes on board the simulated spacecraft of the demo, by the commands of a person and every role of the service.
 */

import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { file } from '../../cli/file.ts';
import { run } from '../../cli/run.ts';
import type { SimulatedFiles } from '../../contract/simulation.ts';
import type { Transfer, TransferList } from '../../contract/transfer.ts';
import { call } from '../support/client.ts';
import { type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { until } from '../support/until.ts';

const PATIENTLY = { timeoutMs: 30_000 };
let cell: DemoCell;
let folder: string;
let printed: { out: string; err: string };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcs-put-demo-'));
  cell = await startDemoCell({ memberTtlMs: 20_000 });
  // The gateway of the spacecraft may take a moment to be there.
  await until(async () => (await onBoard()) !== undefined, PATIENTLY);
}, 60_000);
afterAll(async () => {
  await cell.stop();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  printed = { out: '', err: '' };
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed.out += String(text);
    return true;
  });
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    printed.err += String(text);
    return true;
  });
});
afterEach(() => void vi.restoreAllMocks());

const to = (): string[] => ['--api', cell.api, '--user', 'ada'];
const put = (...args: string[]): Promise<number> => file(['put', 'sat1', ...args, ...to()]);

/** SHA-256 of the files that the simulation has, by identifier. */
async function onBoard(gateway = 'sim-1'): Promise<Map<string, string> | undefined> {
  const { status, body } = await call<SimulatedFiles>('GET', `${cell.api}/v1/sim/${gateway}/files`);
  return status === 200 ? new Map(body.files.map(({ id, sha256 }) => [id, sha256])) : undefined;
}

async function uploads(): Promise<Transfer[]> {
  const { body } = await call<TransferList>('GET', `${cell.api}/v1/transfers?target=sat1`);
  return body.transfers.filter(({ direction }) => direction === 'upload');
}

async function local(name: string, bytes: number): Promise<{ path: string; sha256: string }> {
  const content = Buffer.alloc(bytes, `${name} `);
  const path = join(folder, name);
  await writeFile(path, content);
  return { path, sha256: createHash('sha256').update(content).digest('hex') };
}

it('MC-UPL-001 MC-UPL-005 MC-UPL-006 MC-XFER-061 F-21 puts a file on board, byte for byte, and writes it no second time', {
  timeout: 60_000,
}, async () => {
  const { path, sha256 } = await local('patch', 1_500);
  expect(await put('40', path, '--environment', 'bench'), printed.err).toBe(0);
  expect((await onBoard())?.get('40')).toBe(sha256);
  expect(printed.err).toMatch(/run [0-9A-Z]{26} of put_file writes it/);
  expect(printed.err).toContain('VERIFIED');
  expect(printed.err.split('\n').at(-2)).toBe(`on board as generation 1  VERIFIED  1.5 kB  sha256 ${sha256}`);
  expect(await put('40', path, '--environment', 'bench', '--json')).toBe(0);
  expect(JSON.parse(printed.out)).toMatchObject({ sha256, bytes: 1_500, transfer: { state: 'VERIFIED' } });
  expect(await uploads()).toHaveLength(1);
});

it('MC-CFDP-008 MC-UPL-005 MC-UPL-006 F-21 puts a file on board by CFDP', { timeout: 60_000 }, async () => {
  const { path, sha256 } = await local('by CFDP', 20_000);
  await until(async () => (await onBoard('sim-2')) !== undefined, PATIENTLY);
  expect(await file(['put', 'sat2', '40', path, '--environment', 'bench', ...to()]), printed.err).toBe(0);
  expect((await onBoard('sim-2'))?.get('40')).toBe(sha256);
  expect(printed.err.split('\n').at(-2)).toContain('on board as generation 1  VERIFIED');
});

it('MC-UPL-009 goes on behind an interruption, an abort of its run and another run', {
  timeout: 90_000,
}, async () => {
  const { path, sha256 } = await local('long', 12_000);
  const isPartial = async (): Promise<boolean> =>
    (await uploads()).some(({ file_id, received }) => file_id === '41' && (received?.[0]?.[1] ?? 0) > 400);
  const first = put('41', path, '--environment', 'bench');
  await until(isPartial, PATIENTLY);
  process.emit('SIGINT');
  expect(await first).toBe(130);
  const id = /mcs run abort ([0-9A-Z]{26}) ends it/.exec(printed.err)?.[1] ?? '';
  printed.err = '';
  const second = put('41', path, '--environment', 'bench');
  await until(() => printed.err.includes(`run ${id} is writing this content already`), PATIENTLY);
  expect(await run(['abort', id, ...to()])).toBe(0);
  expect(await second).toBe(1);
  expect(printed.err).toMatch(
    /failed: aborted by ada; .* of 12\.0 kB are on board; the same command continues/,
  );
  const log = await call<string>('GET', `${cell.api}/v1/runs/${id}`);
  expect(log.body).toMatchObject({ finished: false, reason: 'aborted by ada' });
  printed.err = '';
  const had = (await uploads()).find(({ file_id }) => file_id === '41')!.received!;
  expect(await put('41', path, '--environment', 'bench'), printed.err).toBe(0);
  expect(had[0]![1]).toBeGreaterThan(0);
  expect((await onBoard())?.get('41')).toBe(sha256);
  expect(await uploads()).toHaveLength(2);
});
