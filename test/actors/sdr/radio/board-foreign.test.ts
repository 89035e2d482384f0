/**
 * What another tool has left behind on the board: a second transmitter, an oscillator powered down, a bank that is no
 * modem.
 */

import { afterEach, describe, expect, it } from 'vitest';
import type { IioAttribute } from '../../../../radio/iio/context.ts';
import { accepted, type BenchWorld, refused, startBenchWorld } from '../bench-world.ts';

let world: BenchWorld;
afterEach(async () => world.stop());

const SECOND: IioAttribute = {
  device: 'ad9361-phy',
  of: 'channel',
  channel: 'voltage1',
  output: true,
  name: 'hardwaregain',
};
const powerdown = (channel: 'altvoltage0' | 'altvoltage1'): IioAttribute => ({
  device: 'ad9361-phy',
  of: 'channel',
  channel,
  output: true,
  name: 'powerdown',
});

const secondDb = async (): Promise<number> => Number.parseFloat(await world.board().read(SECOND));

describe('actions.A2 the second transmitter', () => {
  const muting: Readonly<Record<string, () => Promise<unknown>>> = {
    'an apply': () => accepted(world.bench.profiles.apply('fast')),
    'a conditioning to the air': () => accepted(world.bench.chain.condition({ target: 'air' })),
    'a conditioning to a loopback': () =>
      accepted(world.bench.chain.condition({ target: 'device-loopback' })),
    'the loopback of the part': () => accepted(world.bench.radio.loopback(true)),
    'a gain that mutes': () => accepted(world.bench.radio.gain({ tx_gain_db: -89 })),
    'a gain that is heard': () => accepted(world.bench.radio.gain({ tx_gain_db: -10 })),
    'a reset': () => accepted(world.bench.radio.reset('tx')),
  };

  it.each(Object.keys(muting))('RB-CHAIN-012 is muted by %s', async (what) => {
    world = await startBenchWorld();
    await accepted(world.bench.chain.condition({ target: 'air', profile: 'fast' }));
    await world.board().write(SECOND, '-10');
    await muting[what]!();
    expect(await secondDb()).toBeLessThanOrEqual(-80);
  });

  it('RB-CHAIN-006 is looked at: one that radiates is what is missing, for every target', async () => {
    world = await startBenchWorld();
    const { bench } = world;
    for (const target of ['air', 'device-loopback', 'pl-loopback'] as const) {
      await accepted(bench.chain.condition({ target, profile: 'fast' }));
      await world.board().write(SECOND, '-10');
      const state = await accepted(bench.chain.state(target));
      expect(state).toMatchObject({ ready: false, next: { condition: 'tx.level' } });
    }
  });
});

/** Does what the state names, as a person does. */
async function follow(command: string): Promise<void> {
  const { radio, datapath } = world.bench;
  const at = command.indexOf('{');
  const body = at < 0 ? {} : JSON.parse(command.slice(at));
  if (command.includes('/radio/frequency')) await accepted(radio.tune(body));
  else if (command.includes('/radio/gain')) await accepted(radio.gain(body));
  else if (command.includes('/datapath/enable')) await accepted(datapath.enable());
  else throw new Error(`nobody follows ${command}`);
}

describe('an oscillator that was powered down', () => {
  it.each(['altvoltage0', 'altvoltage1'] as const)(
    'RB-RAD-001 RB-CHAIN-008 %s: the command that the state names brings it up',
    async (channel) => {
      world = await startBenchWorld();
      const { bench } = world;
      await accepted(bench.chain.condition({ target: 'air', profile: 'fast' }));
      await world.board().write(powerdown(channel), '1');
      const followed: string[] = [];
      for (let { next } = await accepted(bench.chain.state('air')); next !== null; ) {
        followed.push(next.condition);
        expect(followed.length).toBeLessThan(6);
        await follow(next.command);
        ({ next } = await accepted(bench.chain.state('air')));
      }
      expect(followed).toContain(channel === 'altvoltage0' ? 'lo.rx' : 'lo.tx');
      expect(await world.board().read(powerdown(channel))).toBe('0');
      expect(await accepted(bench.chain.state('air'))).toMatchObject({ ready: true });
    },
  );

  it('conditioning brings it up too', async () => {
    world = await startBenchWorld();
    await accepted(world.bench.chain.condition({ target: 'air', profile: 'fast' }));
    await world.board().write(powerdown('altvoltage1'), '1');
    const { state } = await accepted(world.bench.chain.condition({ target: 'air' }));
    expect(state.ready).toBe(true);
  });

  it('one that stays down is a conflict that says so, not a success', async () => {
    world = await startBenchWorld();
    const board = world.board();
    const write = board.write.bind(board);
    await board.write(powerdown('altvoltage1'), '1');
    board.write = async (at, value) => {
      if (at.name !== 'powerdown') await write(at, value);
    };
    expect(
      await refused(world.bench.radio.tune({ center_frequency_hz: 2_400_000_000, channel: 'tx' })),
    ).toMatchObject({
      code: 'conflict',
      help: expect.stringContaining('powerdown'),
      message: expect.stringContaining('stays powered down'),
    });
  });
});

describe('modem.M2 a register bank that is not that of the modem', () => {
  const ACCESS = 'direct_reg_access';

  /** Another core answers at its place; what is written to it is counted. */
  function foreignBank(): { readonly written: string[] } {
    const board = world.board();
    const [read, write] = [board.read.bind(board), board.write.bind(board)];
    const written: string[] = [];
    board.read = async (at) => (at.name === ACCESS && at.device === 'modem-ctl' ? '0xDEAD' : read(at));
    board.write = async (at, value) => {
      if (at.name !== ACCESS || at.device !== 'modem-ctl') return write(at, value);
      if (value.includes(' ')) written.push(value);
    };
    return { written };
  }

  it('is neither written nor trusted: not for offsets, not for a status, not for the egress', async () => {
    world = await startBenchWorld();
    const { bench } = world;
    await accepted(bench.radio.tune({ center_frequency_hz: 2_400_000_000 }));
    const { written } = foreignBank();
    // It was known before: looking at the chain finds out.
    await bench.chain.state('air');
    // It is not known where the digital oscillator stands: a tune would lead it is not known where.
    for (const tune_lo of [true, false])
      expect(await refused(bench.radio.tune({ center_frequency_hz: 2_400_000_100, tune_lo }))).toMatchObject({
        message: expect.stringContaining('identifies itself as 0xdead'),
      });
    expect(await accepted(bench.radio.status())).toMatchObject({
      rx_lo_hz: 2_400_000_000,
      rx_nco_offset_hz: null,
      tx_nco_offset_hz: null,
    });
    await refused(bench.chain.recover());
    await refused(bench.profiles.apply('fast'));
    await refused(bench.datapath.disable());
    expect(written).toEqual([]);
    // What can be muted is.
    expect(await accepted(bench.radio.status())).toMatchObject({ tx_rf_gain_db: -89.75, tx_state: 'error' });
    expect((await accepted(bench.radio.aux())).regs.slice(1).every(({ value }) => value === undefined)).toBe(
      true,
    );
  });
});
