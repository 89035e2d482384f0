/** `mcs file get`, `mcs transfer` as a person uses them, on a real bus and front end; the test is the transfer manager. */

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { file } from '../../cli/file.ts';
import { transfer } from '../../cli/transfer.ts';
import type { StoredTransfer } from '../../contract/transfer.ts';
import { contentOf, sha256Of, startTransferWorld, type TransferWorld } from '../http/transfer-world.ts';
import { storedTransfer, wholeTransfer } from '../support/transfers.ts';
import { until } from '../support/until.ts';

const SIZE = 200_000;
const WHOLE = contentOf(SIZE, 11);
const SHA256 = sha256Of(WHOLE);

let world: TransferWorld;
let folder: string;
let printed: { out: Buffer; err: string };

beforeAll(async () => {
  world = await startTransferWorld();
  folder = await mkdtemp(join(tmpdir(), 'mcs-get-'));
});
afterAll(async () => {
  await world.stop();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  printed = { out: Buffer.of(), err: '' };
  vi.spyOn(process.stdout, 'write').mockImplementation((...args: unknown[]) => {
    printed.out = Buffer.concat([printed.out, Buffer.from(args[0] as Uint8Array)]);
    (args.find((each) => typeof each === 'function') as (() => void) | undefined)?.();
    return true;
  });
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    printed.err += String(text);
    return true;
  });
});
afterEach(() => void vi.restoreAllMocks());

const to = (name: string): string => join(folder, name);
const get = (...args: string[]): Promise<number> =>
  file(['get', ...args, '--api', world.url, '--user', 'ada']);

/** What the transfer manager does with a file that came down. */
async function arrives(file_id: string, more: Partial<StoredTransfer> = {}): Promise<void> {
  const whole = wholeTransfer(SHA256, { file_id, size: SIZE, ...more, actor: {} });
  await world.storeWhole(whole, WHOLE);
  await world.record(whole);
}

async function requested(file_id: string): Promise<void> {
  await until(() => world.books.transfers.transfers().some((each) => each.file_id === file_id));
}

describe('mcs file get', () => {
  it('MC-XFER-008 creates the transfer, waits for it, and saves the file', async () => {
    await world.list('sat1', { file: '1', size: SIZE, generation: 2 });
    const done = get('sat1', '1', '--output', to('one'), '--priority=-4');
    await requested('1');
    expect(world.books.transfers.transfers()[0]).toMatchObject({ priority: -4, by: 'ada' });
    await world.record(
      storedTransfer({ file_id: '1', size: SIZE, state: 'PARTIAL', received: [[0, 5]], actor: {} }),
    );
    await until(() => printed.err.includes('PARTIAL'));
    expect(await readdir(folder)).toEqual([]);
    await arrives('1');
    expect(await done).toBe(0);
    expect((await readFile(to('one'))).equals(WHOLE)).toBe(true);
    expect(printed.err.split('\n').at(-2)).toBe(`${to('one')}  saved  VERIFIED  200.0 kB  sha256 ${SHA256}`);
    expect(await readdir(folder)).toEqual(['one']);
    expect(await get('sat1', '1', '--output', to('one'))).toBe(0);
    expect(printed.err).toContain('was there already');
  });

  it('writes into a pipe what came, and as JSON what was saved', async () => {
    await world.list('sat1', { file: '1', size: SIZE, generation: 2 });
    await arrives('1');
    expect(await get('sat1', '1', '--output', '-')).toBe(0);
    expect(printed.out.equals(WHOLE)).toBe(true);
    printed.out = Buffer.of();
    expect(await get('sat1', '1', '--output', to('json'), '--json')).toBe(0);
    expect(JSON.parse(printed.out.toString())).toMatchObject({
      path: to('json'),
      sha256: SHA256,
      bytes: SIZE,
      transfer: { state: 'VERIFIED', file_id: '1' },
    });
  });

  it('MC-XFER-026 saves a corrupted file only where that is asked for', async () => {
    await world.list('sat1', { file: '3', size: SIZE, generation: 2 });
    const done = get('sat1', '3', '--output', to('three'));
    await requested('3');
    await arrives('3', { state: 'CORRUPTED', reason: 'crc32 is 1, listed is 2' });
    expect(await done).toBe(1);
    expect(printed.err).toContain('CORRUPTED: crc32 is 1, listed is 2 (--corrupted saves it as it came)');
    expect((await readdir(folder)).includes('three')).toBe(false);
    expect(await get('sat1', '3', '--output', to('three'), '--corrupted')).toBe(0);
    expect((await readFile(to('three'))).equals(WHOLE)).toBe(true);
  });

  it('MC-XFER-027 A-45 saves a file that stays COMPLETE, and says why it is not verified', async () => {
    await world.list('sat1', { file: '4', size: SIZE, generation: 2 });
    await arrives('4', { state: 'COMPLETE', reason: 'checksum crc64 is not available' });
    expect(await get('sat1', '4', '--output', to('four'))).toBe(0);
    expect(printed.err).toContain('COMPLETE: checksum crc64 is not available');
  });

  it('ends with 1 where it is superseded, refused, or its content is not kept, and with 2 for a malformed command', async () => {
    await world.list(
      'sat1',
      { file: '5', size: SIZE, generation: 2 },
      { file: '6', size: SIZE, generation: 2 },
    );
    const done = get('sat1', '5', '--output', to('five'));
    await requested('5');
    await world.record(storedTransfer({ file_id: '5', state: 'SUPERSEDED', reason: 'new generation' }));
    expect(await done).toBe(1);
    expect(printed.err).toContain('superseded: new generation');
    expect(await get('sat1', '99')).toBe(1);
    expect(printed.err).toContain('transfer::not-listed');
    await world.record(wholeTransfer(SHA256, { file_id: '6', size: SIZE }));
    expect(await get('sat1', '6', '--output', to('six'))).toBe(1);
    expect(printed.err).toContain('transfer::content-gone');
    for (const args of [
      ['sat1'],
      ['sat1', '1', 'x'],
      ['sat1', '1', '--priority', 'x'],
      ['sat1', '1', '--json', '-o', '-'],
    ])
      expect(await get(...args)).toBe(2);
    expect((await readdir(folder)).filter((name) => ['five', 'six'].includes(name))).toEqual([]);
  });

  it('ends with 130 where it is interrupted', async () => {
    await world.list('sat1', { file: '7', size: SIZE, generation: 2 });
    const done = get('sat1', '7', '--output', to('seven'));
    await requested('7');
    process.emit('SIGINT');
    expect(await done).toBe(130);
    expect(printed.err).toContain('the transfer continues, and the same command saves it');
  });
});

describe('mcs transfer', () => {
  const mcs = (...args: string[]): Promise<number> => transfer([...args, '--api', world.url]);

  it('MC-XFER-010 lists transfers as a table and as JSON', async () => {
    await world.record(
      storedTransfer({ target: 'sat2', file_id: '8', state: 'PARTIAL', received: [[0, 500]], actor: {} }),
    );
    expect(await mcs('list', 'sat2')).toBe(0);
    const [heading, line] = printed.out.toString().split('\n');
    expect(heading).toMatch(/^STATE +TARGET +FILE +GENERATION +WAY +SHARE/);
    expect(line).toMatch(/^PARTIAL +sat2 +8 +2 +down +50 % +######\.{6} +1\.0 kB/);
    printed.out = Buffer.of();
    expect(await mcs('list', 'sat2', '--json')).toBe(0);
    expect(JSON.parse(printed.out.toString())).toMatchObject([{ file_id: '8' }]);
    expect(await mcs('list', 'sat9')).toBe(1);
    expect([await mcs('list', 'sat1', 'sat2'), await transfer([]), await file([])]).toEqual([2, 2, 2]);
  });

  it('MC-XFER-012 watches them in lines until it is interrupted', async () => {
    const done = mcs('watch', 'sat2');
    await until(() => printed.out.toString().includes('sat2 file 8'));
    await world.record(
      storedTransfer({ target: 'sat2', file_id: '8', state: 'SUPERSEDED', reason: 'new generation' }),
    );
    await until(() => printed.out.toString().includes('SUPERSEDED'));
    process.emit('SIGINT');
    expect(await done).toBe(0);
    expect(await mcs('watch', 'sat9')).toBe(1);
  });
});
