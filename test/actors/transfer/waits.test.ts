import { describe, expect, it } from 'vitest';
import { Waits } from '../../../actors/transfer/waits.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import { TRANSFER_REASON_MS, TRANSFER_WAIT_MS } from '../../../contract/limits/transfer.ts';
import { UNREADABLE_HOLDS } from '../../support/unreadable-holds.ts';
import { CFDP_MISSION } from '../run/effects/effect-world.ts';
import { seededBytes, TransferWorld } from './world.ts';

const RUN = '01J5ZK3M8QW7V9XH2C4T6R8YAC';
const CONTENT = seededBytes(5_000);
const EXCLUSIVE = { run: RUN, mode: 'exclusive' } as const;

/** Reasons in the order in which the record of the file had them, without repetitions. */
async function reasonsOver(world: TransferWorld, ms: number): Promise<(string | undefined)[]> {
  const seen: (string | undefined)[] = [];
  for (const end = world.now + ms; world.now < end; await world.run(250)) {
    const reason = world.stored('sat1.7.1')?.reason;
    if (seen.length === 0 || seen.at(-1) !== reason) seen.push(reason);
  }
  return seen;
}

/** How often the record was written. */
function writes(world: TransferWorld): number {
  return world.server.bucket(buckets.transfers).last('$KV.mcs_transfers.sat1.7.1')?.seq ?? 0;
}

async function requested(world: TransferWorld): Promise<void> {
  await world.list('7', CONTENT);
  await world.download('7');
}

describe('MC-XFER-005 MC-XFER-064 a download that waits says why, and that it goes on', () => {
  it('MC-XFER-064 A-09 while another run holds the target', async () => {
    const world = await TransferWorld.start();
    await world.manager('one');
    await world.hold(EXCLUSIVE);
    await requested(world);
    expect(await reasonsOver(world, 60_000)).toEqual([undefined, `sat1 is held by run ${RUN}`]);
    await world.hold();
    expect((await world.until('sat1.7.1', 'VERIFIED')).reason).toBeUndefined();
  });

  it.each(UNREADABLE_HOLDS)(
    'target-holds.H1 while the hold of its target cannot be read: %s',
    async (_, text) => {
      const world = await TransferWorld.start();
      await world.manager('one');
      await world.finish(world.outside.bucket(buckets.leases).overwrite('sat1', Buffer.from(text)));
      await requested(world);
      expect(await reasonsOver(world, 60_000)).toEqual([
        undefined,
        expect.stringContaining('who holds sat1 is not known'),
      ]);
      await world.hold();
      expect((await world.until('sat1.7.1', 'VERIFIED')).reason).toBeUndefined();
    },
  );

  it('MC-XFER-037 while its gateway is not up, once for the whole outage', async () => {
    const world = await TransferWorld.start();
    await world.manager('one');
    world.answer = (_, n) => (n < 4 ? 'chunk' : 'silent');
    await requested(world);
    await world.until('sat1.7.1', 'PARTIAL');
    world.isLinkUp = false;
    expect(await reasonsOver(world, 60_000)).toEqual([undefined, 'gateway sim-1 is not up']);
    const before = writes(world);
    await world.run(60 * 60_000);
    expect(writes(world)).toBe(before);
    world.isLinkUp = true;
    world.answer = () => 'chunk';
    expect(await reasonsOver(world, 8_000)).toEqual(['gateway sim-1 is not up', undefined]);
    await world.until('sat1.7.1', 'VERIFIED');
  });

  it('MC-XFER-043 while its requests are refused, with what they are answered', async () => {
    const world = await TransferWorld.start();
    await world.manager('one');
    world.answer = () => 'refused';
    await requested(world);
    expect(await reasonsOver(world, 60_000)).toEqual([
      undefined,
      'its requests end REJECTED: tc::target-held: target sat1 is held by run X',
    ]);
    world.answer = () => 'chunk';
    expect(await reasonsOver(world, 20_000)).toContain(undefined);
  });

  it('MC-XFER-041 while nothing comes of what is asked', async () => {
    const world = await TransferWorld.start();
    await world.manager('one');
    world.answer = () => 'lost';
    await requested(world);
    const [none, ...reasons] = await reasonsOver(world, 5 * 60_000);
    expect(none).toBeUndefined();
    expect(reasons).toEqual([
      expect.stringMatching(/^asked for, and nothing has come since 2026-03-01T12:00:/),
    ]);
    world.answer = () => 'chunk';
    expect((await world.until('sat1.7.1', 'VERIFIED')).reason).toBeUndefined();
  });

  it('MC-CFDP-002 by CFDP: while the gateway is not up, and while a run holds the target', async () => {
    const world = await TransferWorld.start(CFDP_MISSION);
    await world.manager('one');
    world.isLinkUp = false;
    await world.run(20_000);
    await requested(world);
    expect(await reasonsOver(world, 30_000)).toEqual([undefined, 'gateway sim-1 is not up']);
    await world.hold(EXCLUSIVE);
    world.isLinkUp = true;
    expect(await reasonsOver(world, 60_000)).toEqual([
      'gateway sim-1 is not up',
      `sat1 is held by run ${RUN}`,
    ]);
  });

  it('not for single requests that fail among many', async () => {
    const world = await TransferWorld.start();
    await world.manager('one');
    world.answer = (_, n) => (n % 5 === 1 ? 'failed' : n % 5 === 3 ? 'refused' : 'chunk');
    await requested(world);
    expect(await reasonsOver(world, 10_000)).toEqual([undefined]);
    expect(world.stored('sat1.7.1')?.state).toBe('VERIFIED');
  });

  it('MC-XFER-049 the reason of the leader before is taken back by the next one', async () => {
    const world = await TransferWorld.start();
    const first = await world.manager('one');
    await world.hold(EXCLUSIVE);
    await requested(world);
    await world.run(10_000);
    expect(world.stored('sat1.7.1')?.reason).toContain('is held by');
    first.kill();
    await world.hold();
    world.answer = () => 'silent';
    await world.manager('two');
    await world.run(10_000);
    expect(world.stored('sat1.7.1')).toMatchObject({ state: 'REQUESTED' });
    expect(world.stored('sat1.7.1')?.reason).toBeUndefined();
  });
});

describe('transfer/waits.G2 reasons that change', () => {
  const of = (hindrance?: string) =>
    ({ key: 'k', record: { actor: { ...(hindrance !== undefined && { hindrance }) } } }) as never;

  function world() {
    const said: { at: number; reason: string | undefined }[] = [];
    let now = 1_000_000;
    const waits = new Waits({
      clock: { now: () => now } as never,
      events: {
        hindered: (_, reason) => said.push({ at: now, reason }),
        ended: (_, reason) => said.push({ at: now, reason }),
      },
    });
    const turns = (ms: number, reasonAt: (at: number) => string | undefined): void => {
      for (const end = now + ms; now < end; now += 250) {
        const reason = reasonAt(now);
        waits.turn(of(), reason === undefined ? undefined : { reason });
      }
    };
    return { said, waits, turns };
  }

  it('are written four times a minute at most, however often they change', () => {
    const { said, turns } = world();
    turns(10 * 60_000, (at) => `reason ${Math.floor(at / 1_000)}`);
    expect(said.length).toBeLessThanOrEqual(40);
    expect(said.length).toBeGreaterThan(30);
    for (const [n, { at }] of said.entries())
      if (n > 0) expect(at - said[n - 1]!.at).toBeGreaterThanOrEqual(TRANSFER_REASON_MS);
  });

  it('that come and go within seconds are not written at all', () => {
    const { said, turns } = world();
    turns(10 * 60_000, (at) => (at % TRANSFER_WAIT_MS < TRANSFER_WAIT_MS / 2 ? 'away' : undefined));
    expect(said).toEqual([]);
  });

  it('that come and go in a quarter of a minute are written and taken back at that pace', () => {
    const { said, turns } = world();
    turns(10 * 60_000, (at) => (at % 16_000 < 8_000 ? 'away' : undefined));
    expect(said.length).toBeLessThanOrEqual((2 * 10 * 60_000) / TRANSFER_REASON_MS);
    expect(said.at(0)).toMatchObject({ reason: 'away' });
    expect(said.some(({ reason }) => reason === undefined)).toBe(true);
  });
});
