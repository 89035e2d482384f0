/**
 * The archive killed (SIGKILL) again and again while 10,000 samples a second come in, and nats-server with it: count
 * and digest of what is on the disk are those of what was sent. `npm run archive-kills` takes forty lives and more
 * time; ARCHIVE_KILLS and NATS_KILLS set how many.
 */

import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Archive } from '../../archive/archive.ts';
import { workHere } from '../../archive/workshop.ts';
import type { NatsBus } from '../../bus/nats-bus.ts';
import { compileFolder } from '../../cli/mission-folder.ts';
import type { ArchiveState } from '../../contract/archive-wire.ts';
import { encodeBatch, type ValueBatch } from '../../contract/batch.ts';
import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { Cursor } from '../../contract/history.ts';
import { HistoryAsker } from '../../messaging/history-asker.ts';
import { everyOutage, retryWhileBusIsAway } from '../../messaging/while-bus-is-away.ts';
import { load } from '../../mission/load.ts';
import type { Platform } from '../../mission/platform.ts';
import { seededRandom } from '../../ports/seeded-random.ts';
import { realClock } from '../../supervision/clock.ts';
import { publishConfiguration } from '../../supervision/configuration.ts';
import { DEMO } from '../support/demo-cell.ts';
import { endAllMcs, type Mcs, startMcs } from '../support/mcs.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import { until } from '../support/until.ts';

const KILLS = Number(process.env['ARCHIVE_KILLS'] ?? 3);
const NATS_KILLS = Number(process.env['NATS_KILLS'] ?? 1);
const LIFE_MS = Number(process.env['ARCHIVE_LIFE_MS'] ?? 700);
const PER_SECOND = 10_000;
const TARGETS = ['sat1', 'sat2'];
const COLUMNS = 10;
const ROWS = 50;
const START = Date.UTC(2026, 0, 2, 3);

let nats: TestNats;
let bus: NatsBus;
let state: string;
let revision: string;
let platform: Platform;
let ordinals: readonly number[];

beforeAll(async () => {
  nats = await startNats();
  bus = await nats.connected();
  state = await mkdtemp(join(tmpdir(), 'mcs-archive-kills-'));
  const compiled = await compileFolder(DEMO);
  if (!compiled.ok) throw new Error('the demo mission does not compile');
  await publishConfiguration(bus, compiled.value);
  revision = compiled.value.revision;
  platform = load(compiled.value.configuration, revision).targets.get('sat1')!.platform!;
  ordinals = platform.measures
    .filter(({ definition: { type, enumeration } }) => /^[fiu]\d/.test(type) && enumeration === undefined)
    .map(({ ordinal }) => ordinal)
    .slice(0, COLUMNS);
});
afterAll(async () => {
  await endAllMcs();
  await nats.stop();
  await rm(state, { recursive: true, force: true });
});

const startOwner = (): Promise<Mcs> =>
  startMcs({
    args: ['serve', '--roles', 'archive', '--nats', nats.url, '--credentials', nats.credentialsFile].concat([
      '--state',
      state,
    ]),
    env: { MCS_ARCHIVE_OPEN_MS: '300' },
    readyWithinMs: 120_000,
  });

/** The value of a column in a row of a target: small whole numbers, which every type keeps. */
const numberOf = (target: string, row: number, column: number): number =>
  (row * 7 + column * 13 + TARGETS.indexOf(target)) % 100;

/** Sends at the rate until it is over; resolves with how many rows each target has. */
class Sender {
  readonly rows = new Map(TARGETS.map((target) => [target, 0]));
  last = 0;
  #over = false;
  readonly #done: Promise<void>;

  constructor() {
    this.#done = this.#send();
  }

  async stop(): Promise<void> {
    this.#over = true;
    await this.#done;
  }

  async #send(): Promise<void> {
    const began = performance.now();
    const { signal } = new AbortController();
    for (let n = 0; !this.#over; n += 1) {
      const target = TARGETS[n % TARGETS.length]!;
      const data = this.#batch(target);
      const options = { id: `b${n}`, headers: { [header.config]: revision } };
      const outcome = await retryWhileBusIsAway({ clock: realClock, signal, waitsFor: everyOutage }, () =>
        bus.append(streams.values, subject.values(target), data, options),
      );
      if (outcome?.value.outcome === 'stored' || outcome?.value.outcome === 'duplicate')
        this.last = Math.max(this.last, outcome.value.seq);
      const dueMs = (((n + 1) * ROWS * ordinals.length) / PER_SECOND) * 1_000;
      await pause(Math.max(0, began + dueMs - performance.now()));
    }
  }

  #batch(target: string): Uint8Array {
    const first = this.rows.get(target)!;
    this.rows.set(target, first + ROWS);
    const value = new Float64Array(ROWS * ordinals.length);
    for (let row = 0; row < ROWS; row += 1)
      for (const column of ordinals.keys())
        value[row * ordinals.length + column] = numberOf(target, first + row, column);
    const ground = Float64Array.from({ length: ROWS }, (_, row) => START + first + row);
    const onboard = new Float64Array(ROWS).fill(Number.NaN);
    const block = { ordinals: Uint32Array.from(ordinals), ground, onboard, raw: value, value };
    const batch = { platform: platform.digest, link: 'uhf', deferred: false, reports: [], blocks: [block] };
    return encodeBatch(batch satisfies ValueBatch);
  }
}

/** What stands on the disk of a target, in order of time, and of its measures. */
async function stored(archive: Archive, target: string) {
  const digest = createHash('sha256');
  const measures = ordinals.map((ordinal) => platform.measures[ordinal]!.key);
  const query = { target, measures, from: START, to: START + 1e9, delivery: 'all' as const };
  let count = 0;
  let cursor: Cursor | undefined;
  do {
    const page = await archive.samples(
      query,
      cursor === undefined ? { limit: 10_000 } : { cursor, limit: 10_000 },
    );
    expect(page).toMatchObject({ gaps: [], damaged: [] });
    for (const { measure, time, value } of page.samples)
      digest.update(`${time} ${measure} ${String(value)}\n`);
    count += page.samples.length;
    cursor = page.next;
  } while (cursor !== undefined);
  return { count, digest: digest.digest('hex') };
}

function sent(target: string, rows: number) {
  const digest = createHash('sha256');
  for (let row = 0; row < rows; row += 1)
    for (const column of ordinals.keys())
      digest.update(`${START + row} ${column} ${numberOf(target, row, column)}\n`);
  return { count: rows * ordinals.length, digest: digest.digest('hex') };
}

it('has every sample once after it and nats-server were killed while they came in', async () => {
  const random = seededRandom(Date.now());
  const sender = new Sender();
  const asker = new HistoryAsker({
    bus,
    clock: realClock,
    newId: () => `q${random.next().toString(36).slice(2)}`,
  });
  let owner = await startOwner();
  const begun = performance.now();
  for (let kill = 1; kill <= KILLS; kill += 1) {
    await pause(random.next() * LIFE_MS);
    if (kill % Math.ceil(KILLS / Math.max(1, NATS_KILLS)) === 0 && NATS_KILLS > 0) {
      await nats.kill();
      await nats.start();
    }
    await owner.kill('SIGKILL');
    owner = await startOwner();
  }
  await pause(LIFE_MS);
  await sender.stop();
  const archive = (): ArchiveState | undefined => asker.archives()[0];
  const isWhole = (): boolean => archive()?.position === sender.last && archive()?.waiting === 0;
  await until(isWhole, { timeoutMs: 120_000, what: 'everything in the archive' });
  const rows = sender.rows.get('sat1')!;
  const key = platform.measures[ordinals[0]!]!.key;
  const query = { target: 'sat1', measures: [key], from: START, to: START + rows, delivery: 'all' as const };
  // An archive on a machine that stands still answers later; what it answers is whole.
  const answered = await until(
    async () => {
      const buckets = await asker.buckets(query, 10);
      return buckets.ok && buckets.value.value;
    },
    { timeoutMs: 60_000, what: 'an answer' },
  );
  expect(answered.measures[0]!.n.reduce((sum, n) => sum + n, 0)).toBe(rows);
  await owner.kill('SIGKILL');
  await asker.stop();

  const folder = join(state, 'archive', 'values');
  const names = (await readdir(folder)).filter((name) => !name.startsWith('writing-'));
  expect(names).toHaveLength(1);
  const opened = await Archive.open(workHere(folder), { stream: names[0]!, clock: realClock });
  for (const target of TARGETS)
    expect(await stored(opened, target)).toEqual(sent(target, sender.rows.get(target)!));
  const { segments, samples } = opened.contents;
  await opened.close();
  const seconds = ((performance.now() - begun) / 1_000).toFixed(0);
  if (process.env['ARCHIVE_KILLS'] !== undefined)
    console.info(
      `${KILLS} kills, ${NATS_KILLS} of the server, ${samples} samples, ${segments} segments, ${seconds} s`,
    );
}, 3_600_000);
