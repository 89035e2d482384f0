/**
 * Three real processes, the clock of one of which is set by five seconds and an hour to and fro, and drifts, while
 * telecommands are sent through all of them (membership.E3): `npm run clocks`, where faketime is installed (Debian:
 * `apt-get install faketime`). The same by chance and in no time: `npm run simulate -- --kind clocks`.
 */

import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compiledFleet, targetNames } from '../../benchmark/fleet.ts';
import { shares } from '../../benchmark/scale/shares.ts';
import type { NatsBus } from '../../bus/nats-bus.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import type { TcEvent, TcReply } from '../../contract/telecommand.ts';
import { publishConfiguration } from '../../supervision/configuration.ts';
import { call, readLog } from '../support/client.ts';
import { endAllMcs, type Mcs, startMcs } from '../support/mcs.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import { until } from '../support/until.ts';

const LIBRARY = ['x86_64', 'aarch64']
  .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketime.so.1`)
  .find(existsSync);
const isWanted = process.env['CLOCK_STEPS'] !== undefined;
const why = !isWanted ? 'npm run clocks does it' : LIBRARY === undefined ? 'faketime is not installed' : '';

/** What faketime makes of the time of day, one behind the other. */
const CLOCKS = ['+5', '+0', '-5', '+0', '+3600', '+0', '-3600', '+0', '+0 x1.0005', '+0 x0.9995', '+0'];
const EACH_MS = 5_000;
const TARGETS = 12;
const INSTANCES = ['one', 'two', 'three'];
const PATIENT_MS = 120_000;
const WHOLE = ['PENDING', 'ENCODED', 'SENT', 'COMPLETE'];

let nats: TestNats;
let bus: NatsBus;
let folder: string;

beforeAll(async () => {
  if (why !== '') return;
  folder = await mkdtemp(join(tmpdir(), 'mcs-clocks-'));
  await setClock('+0');
  nats = await startNats();
  bus = await nats.connected();
  await publishConfiguration(bus, await compiledFleet(TARGETS));
}, PATIENT_MS);
afterAll(async () => {
  await endAllMcs();
  await nats?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true });
});

const clockFile = (): string => join(folder, 'clock');

/** Replaced at once: a half of it would be another time. */
async function setClock(offset: string): Promise<void> {
  await writeFile(`${clockFile()}.new`, offset);
  await rename(`${clockFile()}.new`, clockFile());
}

const CREDENTIALS = (): string[] => ['serve', '--nats', nats.url, '--credentials', nats.credentialsFile];

function started(instance: string): Promise<Mcs> {
  const faked = {
    LD_PRELOAD: LIBRARY!,
    FAKETIME_TIMESTAMP_FILE: clockFile(),
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    FAKETIME_CACHE_DURATION: '1',
  };
  const env = { MCS_INSTANCE: instance, ...(instance === 'two' && faked) };
  return startMcs({ args: CREDENTIALS(), env, readyWithinMs: PATIENT_MS });
}

interface Sent {
  readonly target: string;
  readonly id: string;
  readonly clock: string;
}

it.skipIf(why !== '')(
  `with one clock of three set and drifting no ownership moves, and no telecommand is lost or sent twice${why && ` (${why})`}`,
  async () => {
    const processes = await Promise.all(INSTANCES.map(started));
    await until(
      async () => {
        const owned = await shares(bus);
        return !owned.has('free') && INSTANCES.every((each) => (owned.get(each) ?? 0) > TARGETS / 6);
      },
      { timeoutMs: PATIENT_MS, what: 'every process owning its share' },
    );
    const { sent, moves, refused } = await whileClocksAreSet(processes);
    expect(moves).toEqual([]);
    expect(refused).toEqual([]);
    const late: Sent[] = [];
    for (const each of sent) {
      const { target, id, clock } = each;
      const events = await readLog<TcEvent>(`${processes[0]!.api}/v1/tc/${target}/${id}/events`);
      const states = events.map(({ state }) => state);
      const { detail = '' } = events.at(-1)!;
      // Its age and the deadline of its frame are judged by times of day: a clock that is ahead says that it is late.
      const isLate =
        !states.includes('SENT') && /had to leave before.*not sent|submitted \d+ s ago/.test(detail);
      if (isLate) late.push(each);
      else expect(states, `${target} ${id} at ${clock}: ${detail}`).toEqual(WHOLE);
    }
    expect(late.filter(({ clock }) => clock.includes('x'))).toEqual([]);
    expect(await framesSent(processes)).toBe(sent.length - late.length);
    for (const each of processes)
      for (const upset of ['ownership lost', 'leadership lost', 'no heartbeat in time'])
        expect(each.errors()).not.toContain(upset);
    console.log(
      `${sent.length} telecommands, ${late.length} not sent since late by a clock, over ${CLOCKS.length} settings of the clock, ${moves.length} moves`,
    );
  },
  PATIENT_MS * 3,
);

async function whileClocksAreSet(processes: readonly Mcs[]) {
  const sent: Sent[] = [];
  const refused: string[] = [];
  const moves = await watchOwners();
  let clock = '+0';
  let isOver = false;
  const names = targetNames(TARGETS);
  const send = async (lane: number): Promise<void> => {
    for (let n = lane; !isOver; n += 1) {
      const target = names[n % names.length]!;
      const at = clock;
      const through = processes[n % processes.length]!.api;
      const answer = await call<TcReply>('POST', `${through}/v1/tc`, { target, telecommand: 'camera.ping' });
      if (answer.status === 202) sent.push({ target, id: answer.body.id, clock: at });
      else refused.push(`${target} at ${at}: ${JSON.stringify(answer.body)}`);
      await readLog(`${through}/v1/tc/${target}/${answer.body.id}/events`);
    }
  };
  const senders = [0, 4, 8].map(send);
  for (const offset of CLOCKS) {
    await setClock(offset);
    clock = offset;
    // What is tried is time itself: each setting lasts longer than the time to live of a heartbeat.
    const end = performance.now() + EACH_MS;
    await until(() => performance.now() >= end, { timeoutMs: 2 * EACH_MS });
  }
  isOver = true;
  await Promise.all(senders);
  return { sent, refused, moves: await moves.seen() };
}

/** Whatever changes hands from now on. */
async function watchOwners() {
  const owners = new Map<string, string>();
  const moves: string[] = [];
  const watch = async (bucket: typeof buckets.members | typeof buckets.leaders, filter: string) => {
    const watched = await bus.bucket(bucket).watch(filter, (key, entry) => {
      if (entry === undefined) return;
      const { owner } = JSON.parse(Buffer.from(entry.value).toString()) as { owner: string | null };
      const before = owners.get(key);
      owners.set(key, owner ?? 'nobody');
      if (before !== undefined && before !== owners.get(key)) moves.push(`${key}: ${before} to ${owner}`);
    });
    await watched.ready;
    return watched;
  };
  const watches = [await watch(buckets.members, 'partition.>'), await watch(buckets.leaders, '>')];
  return {
    seen: async (): Promise<string[]> => {
      await Promise.all(watches.map((each) => each.stop()));
      return moves;
    },
  };
}

/** By all gateways of all processes. */
async function framesSent(processes: readonly Mcs[]): Promise<number> {
  let frames = 0;
  for (const { api } of processes) {
    const text = await (await fetch(`${api}/metrics`)).text();
    for (const [, value] of text.matchAll(
      /^mcs_gateway_frames_total\{[^}]*direction="uplink"[^}]*\} (\d+)/gm,
    ))
      frames += Number(value);
  }
  return frames;
}
