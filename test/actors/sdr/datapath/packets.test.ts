/** Packets transmitted, fed and flushed. RF Bench Service, section 4, rules 9 and 11. */

import { afterEach, describe, expect, it } from 'vitest';
import {
  BLOCK_BYTES,
  FlushReply,
  type TransmitPacket,
  TransmitReply,
} from '../../../../contract/bench/datapath.ts';
import { shapeFaults } from '../../../../radio/document/fault.ts';
import { errno } from '../../../../radio/iio/context.ts';
import { accepted, type BenchWorld, refused, startBenchWorld } from '../bench-world.ts';

const SLOT = { mode: 'slot', slot_len: 256 } as const;
const raw = (bytes: number, byte = 0x5a): TransmitPacket => ({
  protocol: 'raw',
  payload_hex: Buffer.alloc(bytes, byte).toString('hex'),
});

let world: BenchWorld;
afterEach(async () => world.stop());

async function conditioned(profile = 'fast'): Promise<BenchWorld> {
  world = await startBenchWorld();
  await accepted(world.bench.chain.condition({ target: 'pl-loopback', profile }));
  return world;
}

describe('transmit', () => {
  it('RB-TX-001 RB-TX-009 queues packets and answers what became of them, before their block is complete', async () => {
    await conditioned();
    const reply = await accepted(
      world.bench.datapath.transmit({ packets: [raw(100), raw(256)], framing: SLOT }),
    );
    expect(shapeFaults(TransmitReply, reply)).toEqual([]);
    expect(reply).toMatchObject({
      packets: 2,
      useful_bytes: 356,
      wire_bytes: 512,
      block_useful_bytes: BLOCK_BYTES,
      boundaries_preserved: true,
      tx_chain_running: true,
      chain: { ready: true },
    });
  });

  it('RB-TX-010 is refused with the first missing step and its command where the chain cannot carry it', async () => {
    await conditioned();
    await accepted(world.bench.profiles.apply('fast'));
    const fault = await refused(world.bench.datapath.transmit({ packets: [raw(1)] }));
    expect(fault).toMatchObject({
      code: 'conflict',
      state: { ready: false },
      next: { condition: expect.any(String), command: expect.stringMatching(/^POST /) },
    });
  });

  it('RB-TX-011 force overrides that, and nothing else', async () => {
    await conditioned();
    await accepted(world.bench.profiles.apply('fast'));
    const { datapath } = world.bench;
    expect(await accepted(datapath.transmit({ packets: [raw(1)], force: true }))).toMatchObject({
      tx_chain_running: false,
      chain: { ready: false },
    });
    expect(
      await refused(datapath.transmit({ packets: [raw(300)], framing: SLOT, force: true })),
    ).toMatchObject({
      code: 'validation_failed',
    });
    expect(await refused(datapath.transmit({ packets: [raw(0)], force: true }))).toMatchObject({
      code: 'validation_failed',
      path: 'packets[0].payload_hex',
    });
  });

  it('checks the packets, then the datapath, then the framing, then the chain', async () => {
    await conditioned();
    await accepted(world.bench.profiles.apply('fast'));
    const { datapath } = world.bench;
    const packets = [raw(300)];
    expect(await refused(datapath.transmit({ packets, framing: SLOT }))).toMatchObject({
      code: 'validation_failed',
    });
    world.board().lose('the plug is out');
    await expect.poll(() => world.context().board).toBeUndefined();
    expect(await refused(datapath.transmit({ packets: [raw(0)] }))).toMatchObject({
      code: 'validation_failed',
    });
    expect(await refused(datapath.transmit({ packets, framing: SLOT }))).toMatchObject({ code: 'not_found' });
  });

  it('RB-TX-012 is not found without a datapath: no board, or one without a modem', async () => {
    await conditioned();
    const { datapath } = world.bench;
    const devices = world.board().devices as unknown as { name: string }[];
    devices.splice(
      devices.findIndex(({ name }) => name === 'modem-tx'),
      1,
    );
    for (const asked of [
      datapath.transmit({ packets: [raw(1)] }),
      datapath.feed(raw(1), undefined),
      datapath.flush({}),
    ])
      expect(await refused(asked)).toMatchObject({
        code: 'not_found',
        message: expect.stringContaining('no datapath'),
      });
  });

  it('RB-TX-012 RB-DP-008 is not found without a board', async () => {
    world = await startBenchWorld({ attached: false });
    await world.stop();
    const { datapath } = world.bench;
    for (const asked of [
      datapath.transmit({ packets: [raw(1)] }),
      datapath.feed(raw(1), undefined),
      datapath.flush({}),
    ])
      expect(await refused(asked)).toMatchObject({ code: 'not_found' });
  });

  it('RB-TX-007 a slot is as long as the frames that the modem cuts, whatever the profile says', async () => {
    await conditioned('other');
    const fault = await refused(world.bench.datapath.transmit({ packets: [raw(1)], framing: SLOT }));
    expect(fault).toMatchObject({ code: 'validation_failed', path: 'framing.slot_len' });
  });

  it('counts space packets by APID, and a refused request leaves no gap', async () => {
    await conditioned();
    const { datapath } = world.bench;
    const packet: TransmitPacket = { protocol: 'ccsds', header: { apid: 7 }, payload_hex: '00' };
    await accepted(datapath.transmit({ packets: [packet, packet] }));
    await refused(datapath.transmit({ packets: [packet], framing: { mode: 'slot', slot_len: 128 } }));
    await accepted(datapath.transmit({ packets: [packet] }));
    await accepted(datapath.flush({ blocks: 8 }));
    const bytes = Buffer.from(await accepted(datapath.capture({ blocks: 6, warmup: 1 })));
    const first = bytes.indexOf(Buffer.from('1007c000000000', 'hex'));
    expect(first).toBeGreaterThanOrEqual(0);
    expect(bytes.subarray(first, first + 21).toString('hex')).toBe(
      '1007c0000000001007c0010000001007c002000000',
    );
  });

  it('a queue that is full behind a closed egress is refused in time', async () => {
    await conditioned();
    const { datapath } = world.bench;
    await accepted(world.bench.profiles.apply('fast'));
    const packets = Array.from({ length: 70 }, () => raw(BLOCK_BYTES));
    expect(await refused(datapath.transmit({ packets, force: true }))).toMatchObject({ code: 'timeout' });
  });
});

describe('feed', () => {
  it('RB-LOG-008 queues one packet, and reports how many bytes wait', async () => {
    await conditioned();
    const { datapath } = world.bench;
    expect(await accepted(datapath.feed(raw(100), SLOT))).toEqual({ pendingBytes: 256 });
    expect(await accepted(datapath.feed(raw(1), SLOT))).toEqual({ pendingBytes: 512 });
    expect(await refused(datapath.feed(raw(257), SLOT))).toMatchObject({ code: 'validation_failed' });
    expect(await refused(datapath.feed(raw(0), SLOT))).toMatchObject({ code: 'validation_failed' });
  });
});

describe('flush', () => {
  it('RB-DP-008 RB-DP-009 RB-DP-011 transmits what waits in a padded block, and counts its useful bytes', async () => {
    await conditioned();
    const { datapath } = world.bench;
    await accepted(datapath.transmit({ packets: [raw(300)] }));
    const reply = await accepted(datapath.flush({}));
    expect(shapeFaults(FlushReply, reply)).toEqual([]);
    expect(reply).toEqual({ useful_bytes: 300, tx_chain_running: true });
    expect(await accepted(datapath.flush({}))).toEqual({ useful_bytes: 0, tx_chain_running: true });
  });

  it('RB-DP-013 RB-DP-022 with two blocks brings the result back on the receive side', async () => {
    await conditioned();
    const { datapath } = world.bench;
    const cameBack = async (flushed: number, byte: number): Promise<boolean> => {
      await accepted(datapath.transmit({ packets: [raw(BLOCK_BYTES - 1, byte)] }));
      await accepted(datapath.flush({ blocks: flushed }));
      const seen: Uint8Array[] = [];
      for (;;) {
        const block = await datapath.capture({ blocks: 1, timeout_ms: 60 });
        if (!block.ok) break;
        seen.push(block.value);
      }
      return Buffer.concat(seen).includes(Buffer.alloc(BLOCK_BYTES - 1, byte));
    };
    expect(await cameBack(1, 0x66)).toBe(false);
    expect(await cameBack(2, 0x77)).toBe(true);
  });

  it('of no blocks sends nothing and keeps what waits', async () => {
    await conditioned();
    const { datapath } = world.bench;
    await accepted(datapath.transmit({ packets: [raw(300)] }));
    expect(await accepted(datapath.flush({ blocks: 0 }))).toMatchObject({ useful_bytes: 0 });
    expect(await accepted(datapath.flush({}))).toMatchObject({ useful_bytes: 300 });
  });

  it('RB-DP-012 reports whether egress is open, and null without a driver of the logic', async () => {
    await conditioned();
    const { datapath, profiles } = world.bench;
    await accepted(profiles.apply('fast'));
    expect(await accepted(datapath.flush({}))).toMatchObject({ tx_chain_running: false });
    world.board().inject({ attributes: { 'modem-ctl debug direct_reg_access': errno.ENODEV } });
    expect(await accepted(datapath.flush({}))).toMatchObject({ tx_chain_running: null });
  });

  it('RB-DP-006 RB-DP-010 nothing leaves before its block is complete: bytes wait until they are flushed, and are lost with the board', async () => {
    await conditioned();
    const { datapath, events } = world.bench;
    await accepted(datapath.transmit({ packets: [raw(300)] }));
    expect(await refused(datapath.capture({ blocks: 1, timeout_ms: 60 }))).toMatchObject({ code: 'timeout' });
    world.board().lose('the plug is out');
    await expect.poll(() => events.events({ kind: 'transmit.lost', limit: 9 })).toHaveLength(1);
  });
});
