/** What is read of the radio, and the commands of its routes. RF Bench Service, section 2 and rule 7 of section 4. */

import { isDeepStrictEqual } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { Aux, Capabilities, Clocks } from '../../../../contract/bench/capability.ts';
import type { Profile } from '../../../../contract/bench/profile.ts';
import { RadioStatus } from '../../../../contract/bench/radio.ts';
import { shapeFaults } from '../../../../radio/document/fault.ts';
import { errno } from '../../../../radio/iio/context.ts';
import type { StubFaults } from '../../../../radio/stub/faults.ts';
import { until } from '../../../support/until.ts';
import { accepted, type BenchWorld, FAST, OTHER, refused, startBenchWorld } from '../bench-world.ts';

const S_BAND = 2_400_000_000;

/** An offset of its own, so that no value of the status is 0. */
const OFFSET: Profile = {
  ...FAST,
  name: 'offset',
  rx: { ...FAST.rx, nco_offset_hz: 20_000 },
  tx: { ...FAST.tx, nco_offset_hz: 20_000 },
};

/** Everything that the status reads, each as the board fails to report it. */
const READ_BY_STATUS: readonly (readonly [string, StubFaults])[] = [
  ...[
    'altvoltage0 (out) frequency',
    'altvoltage1 (out) frequency',
    'ensm_mode',
    'debug loopback',
    'voltage0 (in) hardwaregain',
    'voltage0 (out) hardwaregain',
    'voltage0 (in) sampling_frequency',
    'voltage0 (in) rf_bandwidth',
    'voltage0 (out) rf_bandwidth',
    'rx_path_rates',
  ].map((name) => [name, { attributes: { [`ad9361-phy ${name}`]: errno.EIO } }] as const),
  ...(['control', 'clear', 'status', 'receiveOffset', 'transmitOffset'] as const).map(
    (name) => [name, { deadRegisters: [name] }] as const,
  ),
];

let world: BenchWorld;
afterEach(async () => world.stop());

describe('the status', () => {
  it('RB-RAD-008 RB-RAD-009 RB-RAD-011 of a radio that was applied has every field of the interface', async () => {
    world = await startBenchWorld();
    await accepted(world.bench.profiles.apply('other'));
    const status = await accepted(world.bench.radio.status());
    expect(shapeFaults(RadioStatus, status)).toEqual([]);
    expect(status).toMatchObject({
      center_frequency_hz: OTHER.center_frequency_hz,
      profile_center_frequency_hz: OTHER.center_frequency_hz,
      rx_lo_hz: OTHER.center_frequency_hz - 2_000,
      tx_lo_hz: OTHER.center_frequency_hz,
      rx_nco_offset_hz: 2_000,
      tx_nco_offset_hz: 0,
      rx_gain_db: 30,
      tx_gain_db: -20,
      rx_rf_gain_db: 30,
      tx_rf_gain_db: -20,
      sample_rate_sps: 4_000_000,
      loopback: false,
    });
  });

  it('RB-RAD-014 reports which direction runs, and which cannot be read', async () => {
    world = await startBenchWorld();
    const { bench } = world;
    expect(await accepted(bench.radio.status())).toMatchObject({ tx_state: 'idle' });
    await accepted(bench.chain.condition({ target: 'pl-loopback', profile: 'fast' }));
    expect(await accepted(bench.radio.status())).toMatchObject({ rx_state: 'active', tx_state: 'active' });
    world.board().inject({ deadRegisters: ['status', 'control'] });
    expect(await accepted(bench.radio.status())).toMatchObject({ rx_state: 'error', tx_state: 'error' });
  });

  it('RB-RAD-012 gives the width as the part quantises it, and null where it cannot be read', async () => {
    world = await startBenchWorld();
    await accepted(world.bench.profiles.apply('fast'));
    const { rx_bandwidth_hz } = await accepted(world.bench.radio.status());
    expect(rx_bandwidth_hz).not.toBe(14_000_000);
    expect(Math.abs(rx_bandwidth_hz! - 14_000_000)).toBeLessThan(3_000_000);
    world.board().inject({ attributes: { 'ad9361-phy voltage0 (in) rf_bandwidth': errno.EIO } });
    const status = await accepted(world.bench.radio.status());
    expect(JSON.parse(JSON.stringify(status))).toHaveProperty('rx_bandwidth_hz', null);
    expect(status.tx_bandwidth_hz).toEqual(expect.any(Number));
  });

  it.each(READ_BY_STATUS)(
    'status.S1 RB-RAD-008 %s unreadable is never a number, a word or a state of the radio',
    async (_, fault) => {
      world = await startBenchWorld({ profiles: [OFFSET] });
      await accepted(world.bench.chain.condition({ target: 'device-loopback', profile: OFFSET.name }));
      await until(async () => (await accepted(world.bench.radio.status())).carrier_lock === true);
      const before = await accepted(world.bench.radio.status());
      // Nothing of it is what an unreadable value was once taken for.
      expect(
        Object.values(before).filter((value) => value === 0 || value === false || value === null),
      ).toEqual([]);
      world.board().inject(fault);
      const status = await accepted(world.bench.radio.status());
      expect(shapeFaults(RadioStatus, status)).toEqual([]);
      const changed = Object.keys(before).filter(
        (key) => !isDeepStrictEqual(status[key as never], before[key as never]),
      );
      expect(changed.length).toBeGreaterThan(0);
      for (const key of changed) {
        const value = status[key as keyof RadioStatus] as unknown;
        expect([key, value === null || value === undefined || value === 'error']).toEqual([key, true]);
      }
    },
  );

  it('status.S1 RB-RAD-008 a loopback is known by one switch that is on, and by no less than two that are off', async () => {
    world = await startBenchWorld();
    const { radio } = world.bench;
    expect(await accepted(radio.status())).toMatchObject({ loopback: false });
    world.board().inject({ deadRegisters: ['loopback'] });
    expect(await accepted(radio.status())).toMatchObject({ loopback: null });
    const device = { device: 'ad9361-phy', of: 'debug', name: 'loopback' } as const;
    await world.board().write(device, '1');
    expect(await accepted(radio.status())).toMatchObject({ loopback: true });
  });

  it('status.S1 RB-RAD-001 a tune whose digital offset is unreadable is refused, and moves nothing', async () => {
    world = await startBenchWorld();
    const { radio } = world.bench;
    const before = await accepted(radio.status());
    world.board().inject({ deadRegisters: ['receiveOffset'] });
    expect(await refused(radio.tune({ center_frequency_hz: 1_000_000_000 }))).toMatchObject({
      code: 'board_failed',
    });
    world.board().inject({ deadRegisters: undefined });
    expect(await accepted(radio.status())).toEqual(before);
  });

  it('status.S3 a board without a modem has no lock, no offset and no loopback of a logic', async () => {
    world = await startBenchWorld();
    const devices = world.board().devices as unknown as { name: string }[];
    devices.splice(
      devices.findIndex(({ name }) => name === 'modem-ctl'),
      1,
    );
    world.board().inject({ attributes: { 'modem-ctl debug direct_reg_access': errno.ENODEV } });
    expect(await accepted(world.bench.radio.status())).toMatchObject({
      timing_lock: false,
      carrier_lock: false,
      loopback: false,
      rx_nco_offset_hz: 0,
      tx_nco_offset_hz: 0,
      center_frequency_hz: S_BAND,
    });
  });

  it('status.S1 what an operator is reported a gain that is unreadable is that it is not known', async () => {
    world = await startBenchWorld();
    world.board().inject({ attributes: { 'ad9361-phy voltage0 (out) hardwaregain': errno.EIO } });
    const holder = { kind: 'scenario', id: 'one' } as const;
    expect((await world.user.hold(holder)).ok).toBe(true);
    const done = await world.user.perform({ do: 'radio.gain', with: { rx_gain_db: 30 } }, holder);
    expect(done).toMatchObject({
      value: { detail: 'receiver at 30 dB, transmitter not known: the board does not report it' },
    });
  });

  it('RB-RAD-010 keeps the centre of the profile under a manual tune', async () => {
    world = await startBenchWorld();
    await accepted(world.bench.profiles.apply('fast'));
    const tuned = await accepted(world.bench.radio.tune({ center_frequency_hz: 2_410_000_000 }));
    expect(tuned).toMatchObject({ center_frequency_hz: 2_410_000_000, profile_center_frequency_hz: S_BAND });
  });

  it('is refused while there is no board', async () => {
    world = await startBenchWorld();
    world.board().lose('the plug is out');
    for (const ask of ['status', 'capabilities', 'aux', 'clocks'] as const)
      expect(await refused(world.bench.radio[ask]())).toMatchObject({ code: 'unavailable' });
  });
});

describe('frequency', () => {
  it('RB-RAD-001 RB-RAD-002 drives both oscillators, or the one that is named', async () => {
    world = await startBenchWorld();
    const { radio } = world.bench;
    expect(await accepted(radio.tune({ center_frequency_hz: S_BAND }))).toMatchObject({
      rx_lo_hz: S_BAND,
      tx_lo_hz: S_BAND,
    });
    expect(await accepted(radio.tune({ center_frequency_hz: 1_000_000_000, channel: 'tx' }))).toMatchObject({
      rx_lo_hz: S_BAND,
      tx_lo_hz: 1_000_000_000,
    });
  });

  it('RB-RAD-003 with tune_lo false only the digital oscillator is written, within the bound it names', async () => {
    world = await startBenchWorld();
    const { radio, profiles } = world.bench;
    await accepted(profiles.apply('fast'));
    const wanted = { center_frequency_hz: S_BAND + 100_000, channel: 'rx', tune_lo: false } as const;
    expect(await accepted(radio.tune(wanted))).toMatchObject({
      rx_lo_hz: S_BAND,
      rx_nco_offset_hz: 100_000,
      tx_nco_offset_hz: 0,
      center_frequency_hz: S_BAND + 100_000,
    });
    const fault = await refused(radio.tune({ center_frequency_hz: S_BAND + 5_000_000, tune_lo: false }));
    expect(fault).toMatchObject({
      code: 'validation_failed',
      message: expect.stringMatching(/moved by \d+ Hz/),
    });
    expect(await accepted(radio.status())).toMatchObject({ rx_nco_offset_hz: 100_000, tx_nco_offset_hz: 0 });
  });

  it('RB-RAD-015 out of reach is refused with the range, and changes nothing', async () => {
    world = await startBenchWorld();
    const { radio, profiles } = world.bench;
    await accepted(profiles.apply('fast'));
    const before = await accepted(radio.status());
    const fault = await refused(radio.tune({ center_frequency_hz: 50_000_000 }));
    expect(fault).toMatchObject({
      code: 'validation_failed',
      message: expect.stringContaining('70000000 to 6000000000 Hz'),
    });
    expect(await accepted(radio.status())).toEqual(before);
    expect(await profiles.active()).toEqual({ name: 'fast', dirty: false });
  });
});

describe('gain', () => {
  it('RB-RAD-004 RB-RAD-005 sets what is given and leaves what is null or absent', async () => {
    world = await startBenchWorld();
    const { radio, profiles } = world.bench;
    await accepted(profiles.apply('fast'));
    const before = await accepted(radio.status());
    expect(await accepted(radio.gain({}))).toEqual(before);
    expect(await accepted(radio.gain({ rx_gain_db: null, tx_gain_db: null }))).toEqual(before);
    expect((await profiles.active()).dirty).toBe(false);
    expect(await accepted(radio.gain({ rx_gain_db: 20 }))).toMatchObject({ rx_gain_db: 20, tx_gain_db: -10 });
    expect(await accepted(radio.gain({ tx_gain_db: -30, rx_gain_db: null }))).toMatchObject({
      rx_gain_db: 20,
      tx_gain_db: -30,
    });
  });

  it('RB-RAD-004 outside the range of the band it is refused, with both faults at once', async () => {
    world = await startBenchWorld();
    const { radio } = world.bench;
    await accepted(radio.tune({ center_frequency_hz: S_BAND }));
    const { message, code } = await refused(radio.gain({ rx_gain_db: 72, tx_gain_db: 1 }));
    expect(code).toBe('validation_failed');
    expect(message).toContain('-3 to 71 dB');
    expect(message).toContain('-89.75 to 0 dB');
    await accepted(radio.tune({ center_frequency_hz: 1_000_000_000 }));
    expect(await accepted(radio.gain({ rx_gain_db: 72 }))).toMatchObject({ rx_gain_db: 72 });
  });
});

describe('in a loopback', () => {
  it('tuning.T3 RB-CHAIN-005 the transmitter stays muted: a level that radiates is refused, also where the path cannot be read', async () => {
    world = await startBenchWorld();
    const { radio, chain, profiles } = world.bench;
    for (const target of ['pl-loopback', 'device-loopback'] as const) {
      await accepted(chain.condition({ target, profile: 'fast' }));
      const fault = await refused(radio.gain({ rx_gain_db: 20, tx_gain_db: -10 }));
      expect(fault).toMatchObject({ code: 'conflict', message: expect.stringContaining(target) });
      // Nothing of it was done.
      expect(await accepted(radio.status())).toMatchObject({ rx_gain_db: 40, tx_rf_gain_db: -89.75 });
      expect((await profiles.active()).dirty).toBe(false);
      expect(await accepted(radio.gain({ tx_gain_db: -85 }))).toMatchObject({ tx_gain_db: -85 });
    }
    world.board().inject({ deadRegisters: ['loopback'] });
    const unread = await refused(radio.gain({ tx_gain_db: -10 }));
    expect(unread).toMatchObject({ code: 'conflict', message: expect.stringContaining('cannot be read') });
  });
});

describe('loopback and reset', () => {
  it('RB-RAD-006 switches the loopback of the part with the transmitter muted, and both switches off', async () => {
    world = await startBenchWorld();
    const { radio, chain } = world.bench;
    await accepted(chain.condition({ target: 'air', profile: 'fast' }));
    expect(await accepted(radio.loopback(true))).toMatchObject({ loopback: true, tx_gain_db: -89 });
    expect(world.board().truth().target).toBe('device-loopback');
    await accepted(chain.condition({ target: 'pl-loopback' }));
    expect(await accepted(radio.loopback(false))).toMatchObject({ loopback: false });
    expect(world.board().truth().target).toBe('air');
  });

  it.each(['rx', 'tx', 'all'] as const)('RB-RAD-007 resets %s and answers the status', async (scope) => {
    world = await startBenchWorld();
    const status = await accepted(world.bench.radio.reset(scope));
    expect(shapeFaults(RadioStatus, status)).toEqual([]);
  });
});

describe('what the board refuses', () => {
  it.each([
    [errno.EINVAL, 'validation_failed', 'EINVAL'],
    [errno.ERANGE, 'validation_failed', 'ERANGE'],
    [errno.ETIMEDOUT, 'timeout', 'ETIMEDOUT'],
    [errno.ENODEV, 'unavailable', 'ENODEV'],
    [errno.EIO, 'board_failed', 'EIO'],
  ] as const)('error %d is %s, with the attribute and the number', async (number, code, name) => {
    world = await startBenchWorld();
    world.board().inject({ attributes: { 'ad9361-phy altvoltage0 (out) frequency': number } });
    const fault = await refused(world.bench.radio.tune({ center_frequency_hz: S_BAND }));
    expect(fault).toMatchObject({ code, message: expect.stringContaining(`altvoltage0 (out) frequency`) });
    expect(fault.message).toContain(name);
  });

  it('RB-PROF-003 a change that the board broke off has made the profile dirty', async () => {
    world = await startBenchWorld();
    await accepted(world.bench.profiles.apply('fast'));
    world.board().inject({ attributes: { 'ad9361-phy altvoltage1 (out) frequency': errno.EIO } });
    await refused(world.bench.radio.tune({ center_frequency_hz: 2_410_000_000 }));
    expect(await world.bench.profiles.active()).toMatchObject({ dirty: true });
  });
});

describe('the hardware', () => {
  it('RB-CAP-001 RB-CAP-002 RB-CAP-003 lists modulations, channels and rates, and that the board is a model', async () => {
    world = await startBenchWorld();
    const found = await accepted(world.bench.radio.capabilities());
    expect(shapeFaults(Capabilities, found)).toEqual([]);
    expect(found).toMatchObject({ mock: true, rx_channels: 2, tx_channels: 2 });
    expect(found.symbol_rates.some(({ available }) => available)).toBe(true);
    for (const { available, unavailable_reason } of found.symbol_rates)
      expect(unavailable_reason !== undefined).toBe(!available);
  });

  it('RB-CAP-005 gives each register, or why it has no value', async () => {
    world = await startBenchWorld();
    world.board().inject({ deadRegisters: ['syncWord'] });
    const aux = await accepted(world.bench.radio.aux());
    expect(shapeFaults(Aux, aux)).toEqual([]);
    expect(aux.available).toBe(true);
    const dead = aux.regs.find(({ name }) => name === 'SYNC_WORD');
    expect(dead).not.toHaveProperty('value');
    expect(dead?.error).toMatch(/./);
    expect(aux.regs.find(({ name }) => name === 'ID')).toMatchObject({ value: 0x4d4f_444d, addr: '0x00' });
    world.board().inject({ attributes: { 'modem-ctl debug direct_reg_access': errno.EIO } });
    expect(await accepted(world.bench.radio.aux())).toMatchObject({
      available: false,
      reason: expect.any(String),
    });
  });

  it('RB-CAP-006 RB-CAP-007 gives the clocks as the framework has them, or that it does not report', async () => {
    world = await startBenchWorld();
    const clocks = await accepted(world.bench.radio.clocks());
    expect(shapeFaults(Clocks, clocks)).toEqual([]);
    expect(clocks.clocks.find(({ name }) => name === 'bbpll_clk')).toMatchObject({ enable: 1, prepare: 1 });
    world.board().inject({ stoppedClocks: ['rx_sampl_clk'] });
    const stopped = (await accepted(world.bench.radio.clocks())).clocks.find(
      ({ name }) => name === 'rx_sampl_clk',
    );
    expect(stopped).toMatchObject({ enable: 0 });
    expect(stopped!.rate_hz).toBeGreaterThan(0);
    world.board().inject({ attributes: { 'modem-ctl clocks': errno.EIO } });
    expect(await accepted(world.bench.radio.clocks())).toMatchObject({ available: false, clocks: [] });
  });
});
