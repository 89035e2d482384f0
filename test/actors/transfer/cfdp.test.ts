import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { header } from '../../../contract/bus/headers.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import type { CfdpCall, CfdpReply } from '../../../contract/cfdp.ts';
import { CFDP_ASK_MS, CFDP_ASKED_AT_ONCE } from '../../../contract/limits/cfdp.ts';
import type { Result } from '../../../contract/result.ts';
import { CFDP_MISSION } from '../run/effects/effect-world.ts';
import { seededBytes, TransferWorld } from './world.ts';

const RUN = '01J5ZK3M8QW7V9XH2C4T6R8YAC';
const OTHER = '01J5ZK3M8QW7V9XH2C4T6R8YAD';
const EXCLUSIVE = { run: RUN, mode: 'exclusive' } as const;
const CONTENT = seededBytes(5_000);

type Said = CfdpReply | 'silence' | 'nonsense' | 'no-verb';

interface Call extends CfdpCall {
  readonly at: number;
  readonly config: string | undefined;
}

/** A driver of the link, as its calls see it. */
class StandIn {
  readonly calls: Call[] = [];
  /** What the n-th call for its file is answered. */
  answer: (call: CfdpCall, n: number) => Said = () => ({ outcome: 'running', bytes: 0 });
  readonly #world: TransferWorld;

  constructor(world: TransferWorld) {
    this.#world = world;
    world.outside.serve(subject.driverVerb('pus', 'cfdp'), async ({ data, headers }) => {
      const call = JSON.parse(Buffer.from(data).toString()) as CfdpCall;
      const n = this.of(call.file_id).length;
      this.calls.push({ ...call, at: world.now, config: headers[header.config] });
      return this.#bytes(this.answer(call, n));
    });
  }

  of(file: string): Call[] {
    return this.calls.filter(({ file_id }) => file_id === file);
  }

  /** As its entity gives them out. */
  chunks(file: string, from = 0, to = CONTENT.length): void {
    for (let at = from; at < to; at += 1_000)
      this.#world.chunk(file, 1, at, CONTENT.subarray(at, Math.min(to, at + 1_000)));
  }

  #bytes(said: Said): Promise<Uint8Array> | Uint8Array {
    if (said === 'silence') return new Promise(() => undefined);
    if (said === 'nonsense') return Buffer.from('{"ok":true,"value":{"outcome":"running","bytes":-1}}');
    const fault = { code: 'driver::no-verb', message: 'this driver cannot cfdp' } as const;
    const reply: Result<CfdpReply, typeof fault> =
      said === 'no-verb' ? { ok: false, faults: [fault] } : { ok: true, value: said };
    return Buffer.from(JSON.stringify(reply));
  }
}

async function flown(): Promise<{ world: TransferWorld; driver: StandIn }> {
  const world = await TransferWorld.start(CFDP_MISSION);
  return { world, driver: new StandIn(world) };
}

/** Runs until the record says a reason, or none, at most for a minute. */
async function untilReason(world: TransferWorld, key: string, fits: (reason?: string) => boolean) {
  for (const end = world.now + 60_000; world.now < end; await world.run(250)) {
    const stored = world.stored(key);
    if (stored !== undefined && fits(stored.reason)) return stored;
  }
  throw new Error(`${key} says ${world.stored(key)?.reason}`);
}

/** Times between calls. */
function gaps(calls: readonly Call[]): number[] {
  return calls.slice(1).map(({ at }, n) => at - calls[n]!.at);
}

describe('a file that goes by CFDP', () => {
  it('MC-CFDP-001 MC-CFDP-002 MC-CFDP-003 MC-CFDP-005 MC-CFDP-010 MC-LIM-018 is asked of the driver of the default link every five seconds in the same words, and no telecommand is sent', async () => {
    const { world, driver } = await flown();
    const manager = await world.manager('one');
    driver.answer = (_, n) => {
      if (n === 1) driver.chunks('7', 0, 2_000);
      if (n < 3) return { outcome: 'running', bytes: n * 2_000 };
      driver.chunks('7', 2_000);
      return { outcome: 'completed' };
    };
    await world.list('7', CONTENT);
    await world.download('7');
    const stored = await world.until('sat1.7.1', 'VERIFIED');
    expect((await world.content(stored))?.equals(CONTENT)).toBe(true);
    expect(driver.calls).toHaveLength(4);
    for (const gap of gaps(driver.calls)) {
      expect(gap).toBeGreaterThanOrEqual(CFDP_ASK_MS);
      expect(gap).toBeLessThan(CFDP_ASK_MS + 500);
    }
    const same = { target: 'sat1', file_id: '7', generation: 1, direction: 'download' };
    for (const { at: _, config, ...call } of driver.calls) {
      expect(call).toEqual({ ...same, file_type: 9, size: 5_000 });
      expect(config).toBe(CFDP_MISSION.revision);
    }
    expect(world.requests).toEqual([]);
    await world.run(20_000);
    expect(driver.calls).toHaveLength(4);
    const counted = await manager.registry.getSingleMetricAsString('mcs_transfers_bytes_total');
    expect(counted).toContain('mcs_transfers_bytes_total{target="sat1",outcome="asked"} 5000');
    expect(manager.failures).toEqual([]);
    await manager.stop();
  });

  it('MC-CFDP-003 MC-CFDP-005 MC-UPL-006 goes up with its source, COMPLETE only when the driver has completed it', async () => {
    const { world, driver } = await flown();
    await world.manager('one');
    await world.hold(EXCLUSIVE);
    driver.answer = (_, n) => (n < 3 ? { outcome: 'running', bytes: 5_000 } : { outcome: 'completed' });
    await world.upload('7', CONTENT, RUN);
    await world.run(14_000);
    expect(world.stored('sat1.7.1.up')).toMatchObject({ state: 'REQUESTED' });
    await world.until('sat1.7.1.up', 'COMPLETE');
    const source = createHash('sha256').update(CONTENT).digest('hex');
    for (const call of driver.calls)
      expect(call).toMatchObject({ direction: 'upload', generation: 1, size: 5_000, source });
    expect(world.requests).toEqual([]);
    await world.run(20_000);
    expect(driver.calls).toHaveLength(4);
    const checksum = crc32(CONTENT).toString(16).padStart(8, '0');
    await world.say({ file: '7', size: 5_000, generation: 1, checksum });
    await world.until('sat1.7.1.up', 'VERIFIED');
  });

  it('MC-CFDP-006 what failed says why and begins again at the next request', async () => {
    const { world, driver } = await flown();
    await world.manager('one');
    driver.answer = (_, n) =>
      n === 1 ? { outcome: 'failed', reason: 'inactivity detected' } : { outcome: 'running', bytes: 100 };
    await world.list('7', CONTENT);
    await world.download('7');
    const failed = await untilReason(world, 'sat1.7.1', (reason) => reason !== undefined);
    expect(failed).toMatchObject({
      state: 'REQUESTED',
      reason: 'CFDP failed and begins again: inactivity detected',
    });
    expect(driver.calls).toHaveLength(2);
    await untilReason(world, 'sat1.7.1', (reason) => reason === undefined);
    expect(driver.calls).toHaveLength(3);
    expect(gaps(driver.calls)[1]).toBeGreaterThanOrEqual(CFDP_ASK_MS);
    driver.answer = () => {
      driver.chunks('7');
      return { outcome: 'completed' };
    };
    await world.until('sat1.7.1', 'VERIFIED');
  });

  it.each<[Said, RegExp]>([
    ['silence', /^driver pus did not answer in time$/],
    ['nonsense', /^driver pus gave a malformed reply: .*"bytes":-1/],
    ['no-verb', /^driver pus refuses: this driver cannot cfdp$/],
  ])('MC-CFDP-005 A driver that answers %s is named in the record, and asked again', async (said, reason) => {
    const { world, driver } = await flown();
    await world.manager('one');
    driver.answer = () => said;
    await world.list('7', CONTENT);
    await world.download('7');
    await world.run(12_000);
    expect(world.stored('sat1.7.1')?.reason).toMatch(reason);
    driver.answer = () => {
      driver.chunks('7');
      return { outcome: 'completed' };
    };
    expect((await world.until('sat1.7.1', 'VERIFIED')).reason).toBeUndefined();
  });

  it('MC-CFDP-005 a driver that nobody serves is said', async () => {
    const world = await TransferWorld.start(CFDP_MISSION);
    await world.manager('one');
    await world.list('7', CONTENT);
    await world.download('7');
    const { reason } = await untilReason(world, 'sat1.7.1', (said) => said !== undefined);
    expect(reason).toBe('driver pus is not there: no process serves it');
  });

  it('MC-CFDP-002 nothing is asked while the link is not available, and it goes on behind', async () => {
    const { world, driver } = await flown();
    await world.manager('one');
    await world.list('7', CONTENT);
    await world.download('7');
    await world.run(6_000);
    world.isLinkUp = false;
    await world.run(20_000);
    const asked = driver.calls.length;
    await world.run(60_000);
    expect(driver.calls).toHaveLength(asked);
    world.isLinkUp = true;
    await world.run(6_000);
    expect(driver.calls.length).toBeGreaterThan(asked);
  });

  it('MC-CFDP-004 MC-CFDP-009 another leader asks in the same words, for what it has a part of as well', async () => {
    const { world, driver } = await flown();
    const first = await world.manager('one');
    driver.answer = () => {
      driver.chunks('7', 0, 2_000);
      return { outcome: 'running', bytes: 2_000 };
    };
    await world.list('7', CONTENT);
    await world.download('7');
    await world.until('sat1.7.1', 'PARTIAL');
    first.kill();
    await world.manager('two');
    driver.answer = () => {
      driver.chunks('7');
      return { outcome: 'completed' };
    };
    await world.until('sat1.7.1', 'VERIFIED');
    const words = driver.calls.map(({ at: _, ...call }) => JSON.stringify(call));
    expect(new Set(words).size).toBe(1);
  });

  it('MC-CFDP-005 MC-CFDP-006 completed without all of its bytes is asked for until they are there, and says so', async () => {
    const { world, driver } = await flown();
    await world.manager('one');
    driver.answer = (_, n) => {
      if (n === 0) driver.chunks('7', 0, 4_000);
      if (n === 3) driver.chunks('7');
      return { outcome: 'completed' };
    };
    await world.list('7', CONTENT);
    await world.download('7');
    await world.run(12_000);
    expect(world.stored('sat1.7.1')).toMatchObject({
      state: 'PARTIAL',
      reason: 'driver pus has the whole file, and 1000 bytes did not arrive',
    });
    await world.until('sat1.7.1', 'VERIFIED');
  });

  it('MC-XFER-029 is asked for no more once it is superseded, and a late answer changes nothing', async () => {
    const { world, driver } = await flown();
    const manager = await world.manager('one');
    await world.list('7', CONTENT);
    await world.download('7');
    driver.answer = () => 'silence';
    while (driver.calls.length === 0) await world.run(250);
    await world.list('7', CONTENT, { generation: 2 });
    await world.until('sat1.7.1', 'SUPERSEDED');
    const asked = driver.calls.length;
    await world.run(30_000);
    expect(driver.calls).toHaveLength(asked);
    expect(manager.failures).toEqual([]);
  });

  it('MC-UPL-009 MC-XFER-064 A-09 is asked for under the lease of its run only', async () => {
    const { world, driver } = await flown();
    await world.manager('one');
    await world.upload('7', CONTENT, RUN);
    await world.list('8', CONTENT);
    await world.download('8', 0, RUN);
    await world.hold({ run: OTHER, mode: 'exclusive' });
    const asked = driver.calls.length;
    await world.run(20_000);
    expect(driver.calls).toHaveLength(asked);
    expect(driver.of('7')).toEqual([]);
    expect(world.stored('sat1.7.1.up')?.reason).toBe(`sat1 is held by run ${OTHER}`);
    await world.hold(EXCLUSIVE);
    await world.run(6_000);
    expect(driver.of('7').length).toBeGreaterThan(0);
    expect(driver.of('8').length).toBeGreaterThan(0);
    expect(world.stored('sat1.7.1.up')?.reason).toBeUndefined();
  });

  it('MC-XFER-003 the first questions are for the highest priority, then the oldest, and those under way are bounded', async () => {
    const { world, driver } = await flown();
    await world.manager('one');
    world.isLinkUp = false;
    await world.run(20_000);
    const files = Array.from({ length: CFDP_ASKED_AT_ONCE + 6 }, (_, n) => `${n + 1}`);
    for (const file of files) {
      await world.list(file, CONTENT);
      await world.download(file, file === '9' ? 5 : 0);
    }
    driver.answer = () => 'silence';
    world.isLinkUp = true;
    while (driver.calls.length === 0) await world.run(250);
    expect(driver.calls.slice(0, 3).map(({ file_id }) => file_id)).toEqual(['9', '1', '2']);
    expect(driver.calls).toHaveLength(CFDP_ASKED_AT_ONCE);
    await world.run(1_000);
    expect(driver.calls, 'none is answered').toHaveLength(CFDP_ASKED_AT_ONCE);
    await world.run(11_000);
    expect(new Set(driver.calls.map(({ file_id }) => file_id)).size).toBe(files.length);
  });
});
