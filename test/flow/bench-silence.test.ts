/**
 * What is left on the air when a daemon ends, dies, comes back or meets another: real processes over a board that
 * outlives them. RF Bench Service, section 1.
 */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Modem } from '../../radio/board/modem.ts';
import { Phy } from '../../radio/board/phy.ts';
import { controlBit, register } from '../../radio/board/registers.ts';
import { connectIiod } from '../../radio/iio/client.ts';
import type { IioContext } from '../../radio/iio/context.ts';
import { realClock } from '../../supervision/clock.ts';
import { endAllMcs, type Mcs, startMcs } from '../support/mcs.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import { freePort } from '../support/radio.ts';
import { keptLog } from '../support/silent-log.ts';
import { until } from '../support/until.ts';

const PATIENTLY = { timeoutMs: 90_000 };
const FIXTURE = fileURLToPath(new URL('./board.fixture.ts', import.meta.url));
const PROFILE = `
name: heard
modulation: qpsk
symbol_rate_baud: 1000000
center_frequency_hz: 2400000000
rx: { gain_db: 40 }
tx: { gain_db: -10 }
`;
const SCENARIO = `
name: long
profile_ref: heard
target: air
timeout_s: 100
timeline:
  - { at_ms: 0, id: condition, do: chain.condition, with: { target: air, profile: heard } }
  - { at_ms: 0, id: prove, do: datapath.measure, with: { prbs: 15, blocks: 2, warmup: 8 }, save: proof }
  - { at_ms: 90000, id: rest, do: chain.recover }
assertions:
  - { name: byte exact, source: measure, ref: proof, field: verdict, op: '==', value: BytePerfect }
on_end:
  - { do: radio.frequency, with: { center_frequency_hz: 1234000000, channel: rx } }
`;

let nats: TestNats;
let folder: string;
let board: ChildProcess;
/** The hand of the test on the board, beside every daemon. */
let tool: IioContext;

beforeAll(async () => {
  nats = await startNats();
  board = fork(FIXTURE, [], { execArgv: ['--import', 'tsx'] });
  const [{ port }] = (await once(board, 'message')) as [{ port: number }];
  tool = await connectIiod({ host: '127.0.0.1', port, deadlineMs: 10_000, clock: realClock, log: keptLog() });
  folder = await mkdtemp(join(tmpdir(), 'mcs-bench-'));
  for (const kind of ['profiles', 'scenarios']) await mkdir(join(folder, 'bench', kind), { recursive: true });
  await writeFile(
    join(folder, 'bench', 'bench.yaml'),
    `board: iiod\niiod: { host: 127.0.0.1, port: ${port} }\n`,
  );
  await writeFile(join(folder, 'bench', 'profiles', 'heard.yaml'), PROFILE);
  await writeFile(join(folder, 'bench', 'scenarios', 'long.yaml'), SCENARIO);
}, 120_000);
afterEach(endAllMcs);
afterAll(async () => {
  await tool.close();
  const gone = once(board, 'exit');
  board.kill('SIGKILL');
  await gone;
  await nats.stop();
  await rm(folder, { recursive: true });
});

/**
 * As anybody sees it who looks at the board itself; the registers have one reader at a time, and that is the daemon.
 */
async function radiates(): Promise<boolean> {
  const phy = new Phy(tool);
  return Math.max(await phy.gainDb('tx'), (await phy.secondGainDb()) ?? -89.75) > -80;
}

async function post(daemon: Mcs, path: string, body: object = {}): Promise<Response> {
  return fetch(`${urlOf(daemon)}/api/v1${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
}

async function events(daemon: Mcs, kind: string): Promise<{ message: string }[]> {
  return (await fetch(`${urlOf(daemon)}/api/v1/events?kind=${kind}`)).json() as Promise<
    { message: string }[]
  >;
}

function urlOf(daemon: Mcs): string {
  return (JSON.parse(daemon.output().split('\n')[0]!) as { bench: string }).bench;
}

function startBench(bus = nats.url, unready = false): Promise<Mcs> {
  const joined = ['--nats', bus, '--credentials', nats.credentialsFile];
  const args = ['serve', '--roles', 'bench', '--bench-port', '0', '--mission', folder, ...joined];
  return startMcs({ args, unready });
}

async function onAir(daemon: Mcs): Promise<void> {
  const answer = await until(async () => {
    const conditioned = await post(daemon, '/chain/condition', { target: 'air', profile: 'heard' });
    return conditioned.status !== 503 && conditioned;
  }, PATIENTLY);
  expect(await answer.text()).toContain('"ready":true');
  expect(await radiates()).toBe(true);
}

describe('RB-GEN-001 a transmitter without an owner', { timeout: 360_000 }, () => {
  it('roles/bench.R3 is muted by SIGTERM, behind the actions at the end of the scenario that runs', async () => {
    const daemon = await startBench();
    await onAir(daemon);
    expect((await post(daemon, '/scenarios/long/run')).status).toBe(202);
    await until(
      async () =>
        (await fetch(`${urlOf(daemon)}/api/v1/scenarios/active`))
          .text()
          .then((text) => text.includes('"running"')),
      PATIENTLY,
    );
    await until(radiates, PATIENTLY);
    expect(await daemon.kill('SIGTERM')).toMatchObject({ code: 0 });
    expect(await radiates()).toBe(false);
    expect(Math.abs((await new Phy(tool).oscillatorHz('rx')) - 1_234_000_000)).toBeLessThan(5);
  });

  it('board-guard.U1 is left on by kill -9, and muted by the next start before its bus is there; reported when there is a record', async () => {
    const daemon = await startBench();
    await onAir(daemon);
    await daemon.kill('SIGKILL');
    expect(await radiates()).toBe(true);

    const nowhere = await startBench(`nats://127.0.0.1:${await freePort('tcp')}`, true);
    await until(async () => !(await radiates()), PATIENTLY);
    expect(nowhere.output()).toBe('');
    await until(() => nowhere.errors().includes('found with no owner before the bench began'), PATIENTLY);
    // It waits for its bus, and ends in order all the same.
    expect(await nowhere.kill('SIGTERM')).toMatchObject({ code: 0 });

    // With its bus, and again something on the air that nobody answers for.
    await new Phy(tool).setGain('tx', -10);
    await new Modem(tool).change(register.control, controlBit.egress, controlBit.egress);
    expect(await radiates()).toBe(true);
    const next = await startBench();
    expect(await radiates()).toBe(false);
    const reported = await until(async () => {
      const found = await events(next, 'transmitter.orphaned');
      return found.length > 0 && found;
    }, PATIENTLY);
    expect(reported[0]!.message).toMatch(/transmitter at -10 dB and .*egress .*; muted$/);
    await next.kill('SIGTERM');
  });

  it('board-guard.U1 is muted by a start that ends because its mission does not compile', async () => {
    const daemon = await startBench();
    await onAir(daemon);
    await daemon.kill('SIGKILL');
    expect(await radiates()).toBe(true);
    const faulty = await mkdtemp(join(tmpdir(), 'mcs-faulty-'));
    await cp(folder, faulty, { recursive: true });
    await writeFile(join(faulty, 'topology.yaml'), 'targets: [');
    const joined = ['--nats', nats.url, '--credentials', nats.credentialsFile];
    const roles = ['--roles', 'bench,scheduler', '--bench-port', '0'];
    const next = await startMcs({ args: ['serve', ...roles, '--mission', faulty, ...joined], unready: true });
    expect(await next.exited).toMatchObject({ code: 1 });
    expect(next.errors()).toContain('does not compile');
    expect(await radiates()).toBe(false);
    await rm(faulty, { recursive: true });
  });

  it('roles/bench.R1 of two daemons over one bus the one that started last has the board, and the other one does nothing more to it', async () => {
    const first = await startBench();
    await onAir(first);
    const second = await startBench();
    expect(await radiates()).toBe(false);
    await until(
      async () => (await post(second, '/radio/gain', { tx_gain_db: -10 })).status === 200,
      PATIENTLY,
    );
    // What the first one is asked is not done, and its end does not take the board from the other one.
    await until(async () => {
      const asked = await post(first, '/radio/gain', { tx_gain_db: -3 }).catch(() => undefined);
      expect(asked?.status ?? 503).toBe(503);
      return first.errors().includes('another bench has taken the records');
    }, PATIENTLY);
    expect(await new Phy(tool).gainDb('tx')).toBe(-10);
    await onAir(second);
    expect(second.errors()).not.toContain('another owner wrote');
    await first.kill('SIGTERM');
    expect(await radiates()).toBe(true);
    expect((await post(second, '/radio/gain', { tx_gain_db: -89 })).status).toBe(200);
    expect(await radiates()).toBe(false);
    await second.kill('SIGTERM');
  });
});
