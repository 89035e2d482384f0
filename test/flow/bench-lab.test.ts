/** The mission of the bench on real parts: a board that speaks CSP and an instrument that speaks lines of text. */

import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { subject } from '../../contract/bus/subjects.ts';
import type { Encoded, TcEvent, TcReply } from '../../contract/telecommand.ts';
import type { CurrentValues } from '../../contract/value.ts';
import { writeCsp } from '../../protocol/csp.ts';
import { call, codes, readLog } from '../support/client.ts';
import { type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { until } from '../support/until.ts';

const BENCH_LAB = fileURLToPath(new URL('../../missions/bench-lab', import.meta.url));

/** For an answer: longer than a busy machine stands still, and a test here waits for the end of two. */
const ANSWER_S = 7;

let cell: DemoCell;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcs-bench-lab-'));
  await cp(BENCH_LAB, folder, { recursive: true });
  await lengthen('power-board.yaml', 'within: 5 s', 'within: 30 s');
  await lengthen('thermal-chamber.yaml', 'within: 10 s', 'within: 30 s');
  await lengthen('thermal-chamber.yaml', 'within: 2 s', `within: ${ANSWER_S} s`);
  cell = await startDemoCell({ folder });
}, 60_000);
afterAll(async () => {
  await cell.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Gives verifications another time. */
async function lengthen(file: string, before: string, after: string): Promise<void> {
  const path = join(folder, file);
  const text = await readFile(path, 'utf8');
  expect(text).toContain(before);
  await writeFile(path, text.replaceAll(before, after));
}

async function fault(gateway: string, name: string, on: boolean): Promise<void> {
  const body = Buffer.from(JSON.stringify({ fault: name, on }));
  await cell.bus.request(subject.gatewayVerb(gateway, 'fault'), body, { timeoutMs: 5_000 });
}

async function submit(body: object): Promise<string> {
  const answer = await call<TcReply>('POST', `${cell.api}/v1/tc`, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(202);
  return answer.body.id;
}

const history = (target: string, id: string): Promise<TcEvent[]> =>
  readLog<TcEvent>(`${cell.api}/v1/tc/${target}/${id}/events`);

async function outcome(body: { target: string; telecommand: string; args?: object }): Promise<TcEvent> {
  const events = await history(body.target, await submit(body));
  return events.at(-1)!;
}

async function value(target: string, measure: string): Promise<unknown> {
  const { body } = await call<CurrentValues>('GET', `${cell.api}/v1/targets/${target}/values`);
  return body.values?.find((each) => each.measure === measure)?.sample.value;
}

/** What verifies a telecommand reaches those who show values by a way of its own. */
const shows = (target: string, measure: string, wanted: unknown): Promise<unknown> =>
  until(async () => (await value(target, measure)) === wanted, { what: `${target} ${measure} ${wanted}` });

const encode = (body: object) => call<Encoded>('POST', `${cell.api}/v1/encode`, body);
const decode = (body: object) =>
  call<{ samples: { measure: string; raw: unknown; value: unknown; unit?: string }[] }>(
    'POST',
    `${cell.api}/v1/decode`,
    body,
  );

/** A packet of the board to the ground, with its CRC. */
function housekeeping(data: string): string {
  const header = { priority: 2, source: 2, destination: 10, destinationPort: 30, sourcePort: 7, flags: 1 };
  return writeCsp(1, header, Buffer.from(data, 'hex')).toString('hex');
}

describe('the power board, by CSP', () => {
  it('MC-TC-036 MC-TC-047 a telecommand reaches it in a packet and is verified by its telemetry', async () => {
    const last = await outcome({ target: 'board', telecommand: 'set_limit', args: { current: '1.25 A' } });
    expect(last.state).toBe('VERIFIED');
    await shows('board', 'limit', 1.25);
  });

  it('its housekeeping is read by port and sender, bits and calibration included', async () => {
    const sent = { target: 'board', telecommand: 'switch', args: { channel: 'CAMERA', on: true } };
    expect((await outcome(sent)).state).toBe('VERIFIED');
    await shows('board', 'camera', true);
    expect(await value('board', 'heater')).toBe(false);
    expect(await value('board', 'voltage')).toBeCloseTo(27.6, 0);
  });

  it('MC-ENC-003 MC-ENC-006 MC-ENC-008 encodes the packet without sending it', async () => {
    const { status, body } = await encode({
      target: 'board',
      telecommand: 'set_limit',
      args: { current: 2 },
    });
    expect(status).toBe(200);
    // 10 to 2, port 7 from 48, flag of the CRC; function 2, 2000 mA.
    expect(body.frame.slice(0, 14)).toBe('9421f0010207d0');
    expect(body.size).toBe(11);
  });

  it('MC-ENC-018 MC-ENC-020 decodes a packet, and gives null where the calibration does not cover', async () => {
    const { status, body } = await decode({ target: 'board', frame: housekeeping('6b6c177107d0020003') });
    expect(status, JSON.stringify(body)).toBe(200);
    const found = Object.fromEntries(body.samples.map((sample) => [sample.measure, sample]));
    expect(found['voltage']).toMatchObject({ raw: 27_500, value: 27.5, unit: 'V' });
    expect(found['current']).toMatchObject({ raw: 6_001, value: null });
    expect(found['camera']).toMatchObject({ raw: true, value: true });
  });

  it('MC-ERR-047 a damaged packet is refused by decode and changes no value', async () => {
    const whole = housekeeping('6b6c000107d0020003');
    const damaged = `${whole.slice(0, -1)}${whole.endsWith('0') ? '1' : '0'}`;
    const answer = await decode({ target: 'board', frame: damaged });
    expect([answer.status, codes(answer)]).toEqual([422, ['driver::decode-failed']]);
  });
});

describe('the thermal chamber, by lines of text', () => {
  it('MC-TC-036 MC-TC-047 is answered and does what it was asked', async () => {
    const sent = { target: 'chamber', telecommand: 'set_temperature', args: { goal: 25 } };
    const events = await history('chamber', await submit(sent));
    expect(events.map(({ state }) => state)).toEqual(['PENDING', 'ENCODED', 'SENT', 'VERIFIED']);
    await shows('chamber', 'goal', 25);
    await shows('chamber', 'door', 'CLOSED');
  });

  it('MC-TC-038 MC-TC-040 is VERIFY_FAILED with the line it answered', async () => {
    const last = await outcome({ target: 'chamber', telecommand: 'set_temperature', args: { goal: 140 } });
    expect(last).toMatchObject({ state: 'VERIFY_FAILED' });
    expect(last.detail).toContain('code 2');
    expect(last.detail).toContain('ERR 2 out of range');
  });

  it('MC-TC-038 is VERIFY_TIMEOUT, or VERIFY_FAILED before the window ends, when no answer comes', async () => {
    await fault('chamber-1', 'mute', true);
    const mute = await outcome({ target: 'chamber', telecommand: 'heater', args: { on: false } });
    const early = await outcome({ target: 'chamber', telecommand: 'set_temperature', args: { goal: 30 } });
    await fault('chamber-1', 'mute', false);
    expect(mute).toMatchObject({ state: 'VERIFY_TIMEOUT' });
    const detail = `no answer within ${ANSWER_S} s of sending`;
    expect(early).toMatchObject({ state: 'VERIFY_FAILED', detail });
  });

  it('lane.J7 has one line outstanding: each answer is of the telecommand that was sent last', async () => {
    await fault('chamber-1', 'door_open', true);
    const bodies = Array.from({ length: 8 }, (_, n) =>
      n % 2 === 0
        ? { target: 'chamber', telecommand: 'heater', args: { on: true } }
        : { target: 'chamber', telecommand: 'set_label', args: { text: `row ${n}` } },
    );
    const ids: string[] = [];
    for (const body of bodies) ids.push(await submit(body));
    const ends = await Promise.all(ids.map((id) => history('chamber', id)));
    await fault('chamber-1', 'door_open', false);
    expect(ends.map((events) => events.at(-1)!.state)).toEqual(
      bodies.map(({ telecommand }) => (telecommand === 'heater' ? 'VERIFY_FAILED' : 'VERIFIED')),
    );
    for (const [n, events] of ends.entries()) {
      const sent = events.find(({ state }) => state === 'SENT')!;
      const before = ends[n - 1]?.at(-1);
      if (before !== undefined) expect(Date.parse(sent.at)).toBeGreaterThanOrEqual(Date.parse(before.at));
    }
  });

  it('reads an answer that is a value as telemetry too', async () => {
    await outcome({ target: 'chamber', telecommand: 'set_label', args: { text: 'say "hi"' } });
    expect((await outcome({ target: 'chamber', telecommand: 'read_label' })).state).toBe('VERIFIED');
    await shows('chamber', 'label', 'say "hi"');
  });

  it('MC-ENC-007 encodes the line, and shows it as text', async () => {
    const { body } = await encode({ target: 'chamber', telecommand: 'set_temperature', args: { goal: 20 } });
    expect(body).toMatchObject({ text: 'SET TEMP 20.00', size: 14, args: { goal: 20 } });
  });

  it('MC-ERR-046 refuses what would not stay on one line, before anything is sent', async () => {
    const args = { text: 'a\nSET TEMP 120.00' };
    const answer = await encode({ target: 'chamber', telecommand: 'set_label', args });
    expect([answer.status, codes(answer)]).toEqual([422, ['driver::encode-failed']]);
    const last = await outcome({ target: 'chamber', telecommand: 'set_label', args });
    expect(last).toMatchObject({ state: 'ENCODE_FAILED' });
    expect(last.detail).toContain('U+000A');
  });

  it('MC-ENC-016 decodes a line given as text', async () => {
    const text = 'STATE -12.50 SET 25.00 HEATER ON DOOR OPEN';
    const { status, body } = await decode({ target: 'chamber', text });
    expect(status, JSON.stringify(body)).toBe(200);
    const found = Object.fromEntries(body.samples.map((sample) => [sample.measure, sample]));
    expect(found['temperature']).toMatchObject({ raw: -12.5, value: -12.5, unit: 'degC' });
    expect(found['heater']).toMatchObject({ raw: true, value: true });
    expect(found['door']).toMatchObject({ raw: 1, value: 'OPEN' });
    expect(codes(await decode({ target: 'chamber', text: 'what?' }))).toEqual(['driver::decode-failed']);
  });

  it('counts lines that match nothing', async () => {
    const counted = async () => {
      const text = await (await fetch(`${cell.api}/metrics`)).text();
      return Number(/mcs_frames_unreadable_total\{gateway="chamber-1"\} (\d+)/.exec(text)?.[1] ?? 0);
    };
    const before = await counted();
    await fault('chamber-1', 'noise', true);
    await until(async () => (await counted()) > before);
    await fault('chamber-1', 'noise', false);
  });
});
