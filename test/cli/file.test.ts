/** `mcs file refresh` against a front end of the test: what it asks, what it waits for, and what it shows. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { file } from '../../cli/file.ts';
import { awaitListing } from '../../cli/file-refresh.ts';
import { DIRECTORY_POLL_MS } from '../../contract/limits/transfer.ts';
import type { OnboardDirectory } from '../../contract/onboard-file.ts';
import { ManualClock } from '../support/manual-clock.ts';

const T0 = Date.UTC(2026, 0, 1);
const at = (second: number): string => new Date(T0 + second * 1_000).toISOString();
const directory = (...listed: [id: string, second: number][]): OnboardDirectory => ({
  component: 'files',
  files: listed.map(([id, second]) => ({ id, size: 5, generation: 1, listed_at: at(second) })),
});
const OLD = directory(['1', 0]);

/** What `awaitListing` comes to where the looks find these, one after the other, and then the last one for ever. */
async function listingOf(...looks: (OnboardDirectory | undefined)[]) {
  const clock = new ManualClock(T0);
  let looked = 0;
  const look = async () => {
    const found = looks[Math.min(looked, looks.length - 1)];
    looked += 1;
    return found;
  };
  let outcome: Awaited<ReturnType<typeof awaitListing>> | 'pending' = 'pending';
  void awaitListing(OLD, look, clock).then((result) => {
    outcome = result;
  });
  for (let step = 0; step < 60 && outcome === 'pending'; step += 1) {
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    clock.advance(250);
  }
  return { outcome, looked, tookMs: clock.now() - T0 };
}

describe('waiting for a listing', () => {
  it('MC-FILE-010 MC-LIM-015 looks for ten seconds, and then says that none came', async () => {
    const { outcome, looked, tookMs } = await listingOf(OLD);
    expect(outcome).toBeUndefined();
    expect(looked).toBe(20);
    expect(tookMs).toBeGreaterThanOrEqual(DIRECTORY_POLL_MS);
    expect(tookMs).toBeLessThan(DIRECTORY_POLL_MS + 1_000);
  });

  it('cli/file-refresh.R1 waits until it stands still: a listing comes in parts', async () => {
    const [part, whole] = [directory(['1', 5]), directory(['1', 5], ['2', 5])];
    expect((await listingOf(OLD, OLD, part, whole, whole)).outcome).toEqual(whole);
    expect((await listingOf(OLD, part, whole, whole)).looked).toBe(4);
  });

  it('shows what there is where it never stands still', async () => {
    const parts = Array.from({ length: 40 }, (_, index) => directory(['1', 1 + index]));
    const { outcome } = await listingOf(...parts);
    expect(outcome).toEqual(parts[19]);
  });

  it('ends at a refusal', async () => {
    expect((await listingOf(OLD, undefined)).outcome).toBe('refused');
  });
});

describe('mcs file refresh', () => {
  let server: Server;
  let api: string;
  let listed: OnboardDirectory;
  let asked: string[];
  let printed: { out: string; err: string };
  let answer: { status: number; body: object };

  beforeAll(async () => {
    server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      const { status, body } = request.method === 'POST' ? answer : { status: 200, body: listed };
      if (request.method === 'POST') listed = directory(['1', 9], ['2', 9]);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));
  beforeEach(() => {
    asked = [];
    listed = OLD;
    answer = { status: 202, body: { id: '01JZ0000000000000000000000', duplicate: false } };
    printed = { out: '', err: '' };
    vi.spyOn(process.stdout, 'write').mockImplementation(keep('out'));
    vi.spyOn(process.stderr, 'write').mockImplementation(keep('err'));
  });
  afterEach(() => void vi.restoreAllMocks());

  const keep = (stream: 'out' | 'err') => (text: string | Uint8Array) => {
    printed[stream] += String(text);
    return true;
  };
  const mcs = (...args: string[]) => file([...args, '--api', api, '--user', 'ada']);

  it('MC-FILE-010 asks for a listing, waits for it and prints it', async () => {
    expect(await mcs('refresh', 'sat1', '--environment', 'bench', '--json')).toBe(0);
    expect(JSON.parse(printed.out)).toEqual(directory(['1', 9], ['2', 9]));
    expect(asked.slice(0, 2)).toEqual([
      'GET /v1/targets/sat1/files',
      'POST /v1/targets/sat1/files/refresh?environment=bench',
    ]);
    expect(printed.err).toBe('');
  });

  it('prints a refusal as the service says it, and exits 1', async () => {
    answer = { status: 422, body: { errors: [{ code: 'files::no-listing', message: 'none' }] } };
    expect(await mcs('refresh', 'sat1')).toBe(1);
    expect(printed).toEqual({ out: '', err: 'files::no-listing: none\n' });
  });

  it.each([[['refresh']], [['refresh', 'a', 'b']], [['refresh', 'a', '--utc', '--local']], [[]], [['x']]])(
    'explains itself for %j, and exits 2',
    async (args) => {
      expect(await mcs(...args)).toBe(2);
      expect(printed.err).toMatch(/mcs file refresh TARGET/);
    },
  );
});
