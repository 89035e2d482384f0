/**
 * The RF bench from cold to byte-exact, and the death of its daemon within a campaign: a real process, over HTTP alone.
 * RF Bench Service, section 4.
 */

import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO } from '../support/demo-cell.ts';
import { endAllMcs, type Mcs, startMcs } from '../support/mcs.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import { until } from '../support/until.ts';

const PATIENTLY = { timeoutMs: 60_000 };
/** Of the second scenario of the campaign: whoever looks for it, or asks for a pause in time, may stand still meanwhile. */
const LONG_MS = 8_000;
let nats: TestNats;
let folder: string;

const PROFILE = `
modulation: qpsk
symbol_rate_baud: 1000000
center_frequency_hz: 2400000000
rx: { gain_db: 40 }
tx: { gain_db: -10 }
framing: { kind: slot, frame_len: 256, sync_word_hex: 1acffc1d, scrambler: ccsds }
`;

const scenario = (name: string, lastMs: number): string => `
name: ${name}
profile_ref: proven
target: pl-loopback
timeout_s: 60
sampler: { interval_ms: 100, metrics: [rx.timing_lock, rx.overflow] }
timeline:
  - { at_ms: 0, id: apply, do: profile.apply, with: { profile: proven } }
  - { at_ms: 0, id: condition, do: chain.condition, with: { target: pl-loopback } }
  - { at_ms: 100, id: prove, do: datapath.measure, with: { prbs: 15, blocks: 4, warmup: 12 }, save: proof }
  - { at_ms: ${lastMs}, id: rest, do: chain.recover }
assertions:
  - { name: byte exact, source: measure, ref: proof, field: verdict, op: '==', value: BytePerfect }
`;

beforeAll(async () => {
  nats = await startNats();
  folder = await mkdtemp(join(tmpdir(), 'mcs-bench-'));
  await cp(DEMO, folder, { recursive: true });
  const bench = join(folder, 'bench');
  await rm(bench, { recursive: true });
  for (const kind of ['profiles', 'scenarios', 'campaigns'])
    await mkdir(join(bench, kind), { recursive: true });
  await writeFile(join(bench, 'bench.yaml'), 'stub: { seed: 7, iiod_port: 0 }\n');
  await writeFile(join(bench, 'profiles', 'proven.yaml'), `name: proven\n${PROFILE}`);
  await writeFile(join(bench, 'scenarios', 'short.yaml'), scenario('short', 1_000));
  await writeFile(join(bench, 'scenarios', 'long.yaml'), scenario('long', LONG_MS));
  const steps =
    '  - { id: one, kind: scenario, scenario: short }\n  - { id: two, kind: scenario, scenario: long }\n';
  await writeFile(
    join(bench, 'campaigns', 'proof.yaml'),
    `name: proof\ndescription: Twice\nsteps:\n${steps}  - { id: three, kind: profile, profile: proven }\n`,
  );
}, 60_000);
afterAll(async () => {
  await endAllMcs();
  await nats.stop();
  await rm(folder, { recursive: true });
});

interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes, each looked into
  readonly body: any;
}

/** Calls one daemon. */
function caller(daemon: Mcs) {
  const { bench } = JSON.parse(daemon.output().split('\n')[0]!) as { bench: string };
  return async (method: string, path: string, body?: object | string): Promise<Reply> => {
    const answer = await fetch(`${bench}/api/v1${path}`, {
      method,
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(typeof body === 'object' && { headers: { 'content-type': 'application/json' } }),
    });
    return { status: answer.status, body: JSON.parse(await answer.text()) };
  };
}

function startBench(): Promise<Mcs> {
  const joined = ['--nats', nats.url, '--credentials', nats.credentialsFile];
  const args = ['serve', '--roles', 'bench', '--bench-port', '0', '--mission', folder, ...joined];
  return startMcs({ args });
}

describe('F-25 a bench', { timeout: 300_000 }, () => {
  it('F-25 RB-GEN-001 RB-PROF-003 RB-PROF-009 RB-CHAIN-012 RB-TX-010 RB-DP-013 RB-CAMP-016 RB-REP-007 goes from cold to byte-exact, and through a campaign', async () => {
    const daemon = await startBench();
    const call = caller(daemon);

    // A profile is registered and applied; the chain is not ready by that.
    const text = `name: qpsk-test\n${PROFILE}`;
    expect(await call('PUT', '/profiles/qpsk-test', text)).toMatchObject({
      status: 200,
      body: { name: 'qpsk-test', replaced: false, persisted: false },
    });
    expect(await call('POST', '/profiles/qpsk-test/apply')).toMatchObject({
      status: 200,
      body: { profile_name: 'qpsk-test', cfg_epoch: 1 },
    });
    const cold = await call('GET', '/chain?target=pl-loopback');
    expect(cold.body).toMatchObject({ ready: false, reaches_the_connector: false });
    expect(cold.body.next.condition).toBe('board.datapath');

    // Nothing is transmitted by a chain that cannot carry it.
    const packets = [{ protocol: 'raw', payload_hex: 'c0ffee' }];
    const framing = { mode: 'slot', slot_len: 256 };
    const refused = await call('POST', '/datapath/transmit', { packets, framing });
    expect(refused).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(refused.body.next.command).toMatch(/^POST \/api\/v1\//);

    // Conditioned, it carries slots; what is flushed comes back.
    const conditioned = await call('POST', '/chain/condition', { target: 'pl-loopback' });
    expect(conditioned.body).toMatchObject({
      state: { ready: true, current_target: 'pl-loopback', next: null },
    });
    expect(conditioned.body.steps.length).toBe(conditioned.body.detail.length);
    expect(conditioned.body.steps.indexOf('switch')).toBeGreaterThanOrEqual(0);
    expect(await call('POST', '/datapath/transmit', { packets, framing })).toMatchObject({
      status: 200,
      body: {
        packets: 1,
        useful_bytes: 3,
        wire_bytes: 256,
        boundaries_preserved: true,
        block_useful_bytes: 4096,
      },
    });
    expect(await call('POST', '/datapath/flush', { blocks: 2 })).toMatchObject({
      status: 200,
      body: { useful_bytes: 256, tx_chain_running: true },
    });
    const payload = Array.from({ length: 4096 }, (_, at) =>
      String.fromCharCode(33 + ((at * 7 + (at >> 5)) % 90)),
    ).join('');
    expect(await call('POST', '/datapath/measure', payload)).toMatchObject({
      status: 200,
      body: { verdict: 'BytePerfect', rotation_slip: false, overall_ratio: 1 },
    });

    // By hand, and the profile is not what is set any more.
    await call('POST', '/radio/frequency', { center_frequency_hz: 2_401_000_000, channel: 'rx' });
    expect((await call('GET', '/profiles/active')).body).toMatchObject({
      name: 'qpsk-test',
      dirty: true,
      dirty_reason: 'POST /api/v1/radio/frequency',
    });

    // A campaign: alone, paused between its steps, resumed, and passed on what its scenarios saw.
    const started = await call('POST', '/campaigns/proof/run');
    expect(started).toMatchObject({
      status: 202,
      body: { status: 'running', verdict: null, total_steps: 3 },
    });
    const { id } = started.body;
    expect(await call('POST', '/campaigns/proof/run')).toMatchObject({
      status: 409,
      body: { code: 'conflict' },
    });
    expect(await call('POST', '/scenarios/short/run')).toMatchObject({
      status: 409,
      body: { code: 'conflict' },
    });
    expect(await call('POST', '/radio/gain', { rx_gain_db: 10 })).toMatchObject({
      status: 409,
      body: { code: 'board_busy' },
    });
    expect((await call('POST', `/campaign-runs/${id}/pause`)).status).toBe(202);
    const paused = await until(async () => {
      const { body } = await call('GET', `/campaign-runs/${id}`);
      return body.status === 'paused' && body;
    }, PATIENTLY);
    // Behind the step that was under way when it was asked for.
    expect(paused).toMatchObject({ pause_requested: false, verdict: null });
    const passed = ['one', 'two'].map((step) => ({ step, outcome: 'passed' }));
    expect(paused.cursor).toBe(paused.attempts.length);
    expect(paused.attempts.length).toBeGreaterThan(0);
    expect(paused.attempts).toMatchObject(passed.slice(0, paused.attempts.length));
    expect((await call('POST', `/campaign-runs/${id}/resume`)).status).toBe(202);
    const finished = await until(async () => {
      const { body } = await call('GET', `/campaign-runs/${id}`);
      return body.status === 'finished' && body;
    }, PATIENTLY);
    expect(finished).toMatchObject({ verdict: true, cursor: 3 });
    expect(await call('POST', `/campaign-runs/${id}/resume`)).toMatchObject({ status: 409 });
    const report = await call('GET', `/reports/${finished.attempts[1].run_id}`);
    expect(report.body).toMatchObject({
      status: 'passed',
      verified: true,
      aborted: false,
      has_report: true,
      source: 'stub',
      assertions: [{ name: 'byte exact', passed: true, verified: true }],
    });
    expect(report.body.metric_samples.length).toBeGreaterThan(2);

    // The daemon ends in order, and its registered profile with it.
    expect(await daemon.kill('SIGTERM')).toMatchObject({ code: 0 });
    const next = await startBench();
    const again = caller(next);
    expect((await again('GET', '/profiles/qpsk-test')).status).toBe(404);
    expect((await again('GET', `/campaign-runs/${id}`)).body).toMatchObject({
      status: 'finished',
      verdict: true,
    });
    await next.kill('SIGTERM');
  });

  it('RB-CAMP-003 RB-CAMP-004 RB-CAMP-022 killed within a campaign it comes back interrupted; resume and rerun work, and no report is lost', async () => {
    const daemon = await startBench();
    const call = caller(daemon);
    const { id } = (await call('POST', '/campaigns/proof/run')).body;
    const under = await until(async () => {
      const { body } = await call('GET', `/campaign-runs/${id}`);
      const active = (await call('GET', '/scenarios/active')).body;
      return body.cursor === 1 && active?.scenario_name === 'long' && { body, active };
    }, PATIENTLY);
    const [first] = under.body.attempts;
    await daemon.kill('SIGKILL');

    const next = await startBench();
    const again = caller(next);
    const interrupted = await until(async () => {
      const { body } = await again('GET', `/campaign-runs/${id}`);
      return body.status === 'interrupted' && body;
    }, PATIENTLY);
    expect(interrupted).toMatchObject({ verdict: null, cursor: 1 });
    expect(interrupted.attempts[0]).toEqual(first);
    expect((await again('GET', `/reports/${first.run_id}`)).body).toMatchObject({
      verified: true,
      status: 'passed',
    });
    // What was cut off has a verdict of neither kind.
    const cut = await until(async () => {
      const answer = await again('GET', `/reports/${under.active.run_id}`);
      return answer.status === 200 && answer.body;
    }, PATIENTLY);
    expect(cut).toMatchObject({ status: 'failed', aborted: true, has_report: false });
    expect((await again('GET', '/campaigns/active')).body.active).toBeNull();

    expect((await again('POST', `/campaign-runs/${id}/resume`)).status).toBe(202);
    const finished = await until(async () => {
      const { body } = await again('GET', `/campaign-runs/${id}`);
      return body.status === 'finished' && body;
    }, PATIENTLY);
    expect(finished.verdict).toBe(true);
    const before = finished.attempts.length;
    expect((await again('POST', `/campaign-runs/${id}/steps/one/rerun`)).status).toBe(200);
    const rerun = await until(async () => {
      const { body } = await again('GET', `/campaign-runs/${id}`);
      return body.status === 'finished' && body.attempts.length > before && body;
    }, PATIENTLY);
    expect(rerun).toMatchObject({ verdict: true });
    expect(rerun.attempts.at(-1)).toMatchObject({ step: 'one', outcome: 'passed' });
    await next.kill('SIGTERM');
  });
});
