/**
 * Profiles: registered, applied, dirty, and what is left after a restart. RF Bench Service, section 4, rules 2 to 4.
 */

import { afterEach, describe, expect, it } from 'vitest';
import { ProfileSummary } from '../../../../contract/bench/profile.ts';
import { shapeFaults } from '../../../../radio/document/fault.ts';
import { errno } from '../../../../radio/iio/context.ts';
import { accepted, type BenchWorld, FAST, refused, startBenchWorld } from '../bench-world.ts';

const YAML = `
name: mine
modulation: qpsk
symbol_rate_baud: 1000000
center_frequency_hz: 2400000000
rx: { gain_db: 40 }
tx: { gain_db: -10 }
`;

let world: BenchWorld;
afterEach(async () => world.stop());

describe('the list', () => {
  it('RB-PROF-001 gives each profile in short, by name', async () => {
    world = await startBenchWorld();
    const list = world.bench.profiles.list();
    expect(list.map(({ name }) => name)).toEqual(['fast', 'other']);
    expect(list.flatMap((summary) => shapeFaults(ProfileSummary, summary))).toEqual([]);
    expect(list[0]).toEqual({
      name: 'fast',
      display_name: 'QPSK 7.68 MBd',
      modulation: 'qpsk',
      symbol_rate_baud: 7_680_000,
      center_frequency_hz: 2_400_000_000,
    });
  });

  it('RB-PROF-005 gives one by name, and nothing for an unknown name', async () => {
    world = await startBenchWorld();
    expect(world.bench.profiles.get('fast')).toEqual(FAST);
    expect(world.bench.profiles.get('nobody')).toBeUndefined();
  });

  it('RB-PROF-004 validates a value with every fault as a string', async () => {
    world = await startBenchWorld();
    expect(world.bench.profiles.validate(FAST)).toEqual({ ok: true, errors: [] });
    const { ok, errors } = world.bench.profiles.validate({ ...FAST, tx: { gain_db: 3 }, modulation: 'am' });
    expect(ok).toBe(false);
    expect(errors.length).toBeGreaterThanOrEqual(2);
    expect(errors.every((error) => / /.test(error))).toBe(true);
  });
});

describe('registering', () => {
  it('RB-PROF-006 RB-PROF-007 RB-PROF-008 takes YAML and JSON, reports whether the name existed, and persists nothing', async () => {
    world = await startBenchWorld();
    const { profiles } = world.bench;
    expect(await accepted(profiles.register('mine', YAML))).toEqual({
      name: 'mine',
      replaced: false,
      persisted: false,
      note: expect.stringContaining('until the daemon restarts'),
    });
    const json = JSON.stringify({ ...FAST, name: 'mine', display_name: 'Mine' });
    expect(await accepted(profiles.register('mine', json))).toMatchObject({ replaced: true });
    expect(profiles.get('mine')).toMatchObject({ display_name: 'Mine' });
    expect(world.bench.events.events({ kind: 'profile.registered', limit: 9 })).toHaveLength(2);
  });

  it('RB-PROF-009 a registered profile is gone after a restart', async () => {
    world = await startBenchWorld();
    await accepted(world.bench.profiles.register('mine', YAML));
    world = await world.restart();
    expect(world.bench.profiles.get('mine')).toBeUndefined();
    expect(world.bench.profiles.get('fast')).toEqual(FAST);
  });

  it('RB-PROF-014 what does not parse or is invalid is refused with what is wrong, and registers nothing', async () => {
    world = await startBenchWorld();
    const { profiles } = world.bench;
    expect(await refused(profiles.register('mine', 'name: [')).then(({ code }) => code)).toBe(
      'validation_failed',
    );
    const outcome = profiles.register('mine', YAML.replace('-10', '10').replace('qpsk', 'am'));
    expect(outcome.ok).toBe(false);
    if (!outcome.ok) expect(outcome.faults.every(({ code }) => code === 'validation_failed')).toBe(true);
    expect(profiles.get('mine')).toBeUndefined();
  });

  it('RB-PROF-015 a name that differs from the path is refused', async () => {
    world = await startBenchWorld();
    const fault = await refused(world.bench.profiles.register('yours', YAML));
    expect(fault).toMatchObject({ code: 'validation_failed', message: expect.stringContaining('"yours"') });
  });

  it('replacing the applied profile changes nothing of what is applied', async () => {
    world = await startBenchWorld();
    const { profiles, radio } = world.bench;
    await accepted(profiles.apply('fast'));
    const moved = JSON.stringify({ ...FAST, center_frequency_hz: 1_000_000_000 });
    await accepted(profiles.register('fast', moved));
    expect(await profiles.active()).toEqual({ name: 'fast', dirty: false });
    expect(await accepted(radio.status())).toMatchObject({ profile_center_frequency_hz: 2_400_000_000 });
  });
});

describe('the apply', () => {
  it('RB-PROF-010 RB-PROF-011 counts, and says in a sentence what it did', async () => {
    world = await startBenchWorld();
    const { profiles } = world.bench;
    const first = await accepted(profiles.apply('fast'));
    expect(first).toMatchObject({ profile_name: 'fast', cfg_epoch: 1 });
    expect(first.tuning).toContain('2400000000 Hz');
    expect(first.tuning).toContain('30720000 sps');
    expect(await accepted(profiles.apply('other'))).toMatchObject({ cfg_epoch: 2 });
    expect(world.bench.events.events({ kind: 'profile.applied', limit: 9 })).toHaveLength(2);
  });

  it('RB-PROF-010 of an unknown profile is refused, and names those that there are', async () => {
    world = await startBenchWorld();
    expect(await refused(world.bench.profiles.apply('nobody'))).toMatchObject({
      code: 'not_found',
      help: expect.stringContaining('fast'),
    });
  });

  it('RB-PROF-002 RB-PROF-003 a manual change makes it dirty with the route; the next apply cleans it', async () => {
    world = await startBenchWorld();
    const { profiles, radio, chain } = world.bench;
    expect(await profiles.active()).toEqual({ dirty: false });
    await accepted(radio.gain({ rx_gain_db: 10 }));
    expect(await profiles.active()).toEqual({ dirty: false });
    const changes: [string, () => Promise<unknown>][] = [
      ['POST /api/v1/radio/gain', () => accepted(radio.gain({ rx_gain_db: 10 }))],
      ['POST /api/v1/radio/frequency', () => accepted(radio.tune({ center_frequency_hz: 2_401_000_000 }))],
      ['POST /api/v1/radio/loopback', () => accepted(radio.loopback(false))],
      ['POST /api/v1/radio/reset', () => accepted(radio.reset('rx'))],
      ['POST /api/v1/chain/recover', () => accepted(chain.recover())],
    ];
    for (const [dirty_reason, change] of changes) {
      await accepted(profiles.apply('fast'));
      expect(await profiles.active()).toEqual({ name: 'fast', dirty: false });
      await change();
      expect(await profiles.active()).toEqual({ name: 'fast', dirty: true, dirty_reason });
    }
    expect(world.bench.events.events({ kind: 'profile.dirty', limit: 99 })).toHaveLength(changes.length);
  });

  it('RB-PROF-003 an apply that the board broke off leaves the one before dirty', async () => {
    world = await startBenchWorld();
    const { profiles } = world.bench;
    await accepted(profiles.apply('fast'));
    world.board().inject({ attributes: { 'ad9361-phy altvoltage1 (out) frequency': errno.EIO } });
    expect(await refused(profiles.apply('other'))).toMatchObject({ code: 'board_failed' });
    expect(await profiles.active()).toEqual({
      name: 'fast',
      dirty: true,
      dirty_reason: 'POST /api/v1/profiles/other/apply',
    });
  });
});

describe('revisions', () => {
  it('RB-PROF-012 are the applies, newest first, and outlive a restart with their count', async () => {
    world = await startBenchWorld();
    await accepted(world.bench.profiles.apply('fast'));
    await accepted(world.bench.profiles.apply('other'));
    await accepted(world.bench.profiles.apply('fast'));
    world = await world.restart();
    const { profiles } = world.bench;
    expect(await profiles.active()).toEqual({ dirty: false });
    const revisions = profiles.revisions('fast')!;
    expect(revisions.map(({ version, cfg_epoch }) => [version, cfg_epoch])).toEqual([
      [2, 3],
      [1, 1],
    ]);
    expect(revisions[0]).toMatchObject({ applied_by: 'manual', message: expect.stringContaining('Hz') });
    expect(Date.parse(revisions[0]!.applied_at)).not.toBeNaN();
    expect(await accepted(profiles.apply('fast'))).toMatchObject({ cfg_epoch: 4 });
  });

  it('RB-PROF-016 there are none of an unknown profile, and an empty list of one never applied', async () => {
    world = await startBenchWorld();
    expect(world.bench.profiles.revisions('nobody')).toBeUndefined();
    expect(world.bench.profiles.revisions('fast')).toEqual([]);
  });
});
