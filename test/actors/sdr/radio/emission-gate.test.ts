/** Every way in which bytes reach the transmitter, before one gate. RF Bench Service, section 4, rules 9 to 11. */

import { afterEach, describe, expect, it } from 'vitest';
import type { BoardHolder } from '../../../../actors/sdr/radio/board-user.ts';
import type { BenchFault } from '../../../../contract/bench/errors.ts';
import type { Result } from '../../../../contract/result.ts';
import { prbs } from '../../../../radio/prbs.ts';
import { until } from '../../../support/until.ts';
import { accepted, type BenchWorld, refused, startBenchWorld } from '../bench-world.ts';

const PRBS = prbs(15, 8 * 4096);
const PACKET = { protocol: 'raw', payload_hex: 'c0'.repeat(300) } as const;
const RUN: BoardHolder = { kind: 'scenario', id: '7d1a1c1e-0000-4000-8000-000000000001' };

let world: BenchWorld;
afterEach(async () => world.stop());

type Asked = Promise<Result<unknown, BenchFault>>;

async function byRun(verb: 'datapath.transmit' | 'datapath.flush' | 'datapath.measure', body: object) {
  await accepted(world.user.hold(RUN));
  return world.user.perform({ do: verb, with: body }, RUN).finally(() => world.user.release(RUN));
}

/** Route, feed and script alike; `isMeasurement`: gated on air alone. */
const ways: readonly {
  readonly what: string;
  readonly isMeasurement?: boolean;
  readonly ask: (force?: boolean) => Asked;
  /** It takes no force. */
  readonly isUnforced?: boolean;
}[] = [
  {
    what: 'transmit',
    ask: (force) => world.bench.datapath.transmit({ packets: [PACKET], ...forced(force) }),
  },
  {
    what: 'a packet of /ws/transmit',
    isUnforced: true,
    ask: () => world.bench.datapath.feed(PACKET, undefined),
  },
  { what: 'flush', ask: (force) => world.bench.datapath.flush(forced(force)) },
  {
    what: 'loopback',
    isMeasurement: true,
    ask: (force) => world.bench.datapath.loopback(PRBS, { timeoutMs: 150, ...forced(force) }),
  },
  {
    what: 'measure',
    isMeasurement: true,
    ask: (force) => world.bench.datapath.measure(PRBS, { timeoutMs: 150, ...forced(force) }),
  },
  {
    what: 'transmit of a script',
    ask: (force) => byRun('datapath.transmit', { packets: [PACKET], ...forced(force) }),
  },
  { what: 'flush of a script', ask: (force) => byRun('datapath.flush', forced(force)) },
  {
    what: 'measure of a script',
    isMeasurement: true,
    ask: (force) => byRun('datapath.measure', { blocks: 4, timeout_ms: 150, ...forced(force) }),
  },
];

function forced(force: boolean | undefined): { readonly force?: boolean } {
  return force === undefined ? {} : { force };
}

/** Conditioned, with something pending to be flushed; then the oscillator is moved by another tool. */
async function disturbed(target: 'air' | 'pl-loopback'): Promise<void> {
  world = await startBenchWorld();
  await accepted(world.bench.chain.condition({ target, profile: 'fast' }));
  await accepted(world.bench.datapath.transmit({ packets: [PACKET] }));
  await world.board().write({ device: 'ad9361-phy', of: 'device', name: 'ensm_mode' }, 'alert');
}

const sent = (): number => world.board().truth().queued;

describe('emission-gate.E1 one gate', () => {
  it.each(ways)(
    'RB-TX-010 RB-TX-011 $what over the air is refused while the chain cannot carry it',
    async (way) => {
      await disturbed('air');
      const fault = await refused(way.ask());
      expect(fault).toMatchObject({
        code: 'conflict',
        next: { condition: expect.any(String), command: expect.stringContaining('POST') },
        message: expect.stringContaining('the chain cannot carry it'),
      });
      expect(sent()).toBe(0);
      if (way.isUnforced === true) return;
      // By force it is not the gate that refuses.
      const outcome = await way.ask(true);
      const message = outcome.ok ? '' : outcome.faults[0].message;
      expect(message).not.toContain('the chain cannot carry it');
    },
  );

  it.each(ways)(
    'emission-gate.E2 $what in a loopback: a measurement is let through, all else waits for the chain',
    async (way) => {
      await disturbed('pl-loopback');
      const outcome = await way.ask();
      const message = outcome.ok ? '' : outcome.faults[0].message;
      if (way.isMeasurement === true) expect(message).not.toContain('the chain cannot carry it');
      else expect(message).toContain('the chain cannot carry it');
    },
  );
});

describe('a change of the path drops what waits', () => {
  const HERE = 'pl-loopback';
  const ELSEWHERE: Readonly<Record<string, () => Asked>> = {
    'a conditioning to the air': () => world.bench.chain.condition({ target: 'air' }),
    'the loopback of the part': () => world.bench.radio.loopback(true),
    'no loopback': () => world.bench.radio.loopback(false),
  };
  const between: Readonly<Record<string, () => Promise<unknown>>> = {
    'at once': async () => undefined,
    'behind an apply': () => accepted(world.bench.profiles.apply('fast')),
    'behind disable and enable': async () => {
      await accepted(world.bench.datapath.disable());
      await accepted(world.bench.datapath.enable());
    },
  };

  it.each(
    Object.keys(ELSEWHERE).flatMap((change) => Object.keys(between).map((when) => [change, when] as const)),
  )('%s, %s: counted, reported, and never sent', async (change, when) => {
    world = await startBenchWorld();
    const { bench } = world;
    await accepted(bench.chain.condition({ target: HERE, profile: 'fast' }));
    await accepted(bench.datapath.transmit({ packets: [PACKET] }));
    await between[when]!();
    expect(await accepted(ELSEWHERE[change]!())).toMatchObject({ dropped_bytes: 300 });
    expect(bench.events.events({ kind: 'transmit.dropped', limit: 9 })).toMatchObject([
      { message: expect.stringContaining('300 bytes') },
    ]);
    await accepted(bench.chain.condition({ target: 'air' }));
    expect(await accepted(bench.datapath.flush({}))).toEqual({ useful_bytes: 0, tx_chain_running: true });
  });

  it('by another tool: nothing of before leaves with what is sent next', async () => {
    world = await startBenchWorld();
    const { bench } = world;
    await accepted(bench.chain.condition({ target: HERE, profile: 'fast' }));
    await accepted(bench.datapath.transmit({ packets: [PACKET] }));
    const access = { device: 'modem-ctl', of: 'debug', name: 'direct_reg_access' } as const;
    await world.board().write(access, '0xc 0x0');
    const reply = await accepted(bench.datapath.flush({ force: true }));
    expect(reply).toMatchObject({ useful_bytes: 0, dropped_bytes: 300 });
    expect(bench.events.events({ kind: 'transmit.dropped', limit: 9 })).toHaveLength(1);
  });

  it('blocks that the driver has taken go with it', async () => {
    world = await startBenchWorld();
    const { bench } = world;
    await accepted(bench.chain.condition({ target: HERE, profile: 'fast' }));
    const access = { device: 'modem-ctl', of: 'debug', name: 'direct_reg_access' } as const;
    await world.board().write(access, '0x8 0x0');
    const packets = [{ protocol: 'raw' as const, payload_hex: 'ab'.repeat(3 * 4096) }];
    await accepted(bench.datapath.transmit({ force: true, packets }));
    expect(sent()).toBe(3);
    expect(await accepted(bench.radio.loopback(false))).toMatchObject({ dropped_bytes: 3 * 4096 });
    expect(sent()).toBe(0);
  });

  it('emission-gate.E3 a measurement in a loopback ends with it, and feeds nothing to the air', async () => {
    world = await startBenchWorld();
    const { bench } = world;
    await accepted(bench.chain.condition({ target: HERE, profile: 'fast' }));
    world.board().inject({ stalled: { receive: true } });
    const measured = bench.datapath.measure(PRBS, { timeoutMs: 60_000 });
    await until(() => sent() > 0);
    await accepted(bench.chain.condition({ target: 'air' }));
    expect(sent()).toBe(0);
    expect(await refused(measured)).toMatchObject({ code: 'conflict' });
  });
});
