/** The state of the chain and its conditioning by the routes. RF Bench Service, section 4, rules 5 and 6. */

import { afterEach, describe, expect, it } from 'vitest';
import {
  CHAIN_STAGES,
  CHAIN_TARGETS,
  ChainState,
  Conditioned,
  Recovered,
} from '../../../../contract/bench/chain.ts';
import { shapeFaults } from '../../../../radio/document/fault.ts';
import { errno } from '../../../../radio/iio/context.ts';
import { prbs } from '../../../../radio/prbs.ts';
import { accepted, type BenchWorld, refused, startBenchWorld } from '../bench-world.ts';

let world: BenchWorld;
afterEach(async () => world.stop());

const PRBS = prbs(15, 8 * 4096);

describe('the state', () => {
  it.each(CHAIN_TARGETS)(
    'RB-CHAIN-001 RB-CHAIN-020 is reported for %s, with stages in conditioning order',
    async (target) => {
      world = await startBenchWorld();
      const state = await accepted(world.bench.chain.state(target));
      expect(shapeFaults(ChainState, state)).toEqual([]);
      expect(state).toMatchObject({
        target,
        stage: 'session',
        ready: false,
        next: { condition: 'session.profile' },
      });
      const stages = state.conditions.map(({ stage }) => (CHAIN_STAGES as readonly string[]).indexOf(stage));
      expect(stages).not.toContain(-1);
      expect(Math.max(...stages)).toBe(CHAIN_STAGES.indexOf('proof'));
    },
  );

  it.each(CHAIN_TARGETS)('RB-CHAIN-002 defaults to what the board is wired for: %s', async (wired) => {
    world = await startBenchWorld({ wired });
    expect(await accepted(world.bench.chain.state(undefined))).toMatchObject({ target: wired });
  });

  it('RB-CHAIN-002 which is the air unless said otherwise', async () => {
    world = await startBenchWorld();
    expect(await accepted(world.bench.chain.state(undefined))).toMatchObject({ target: 'air' });
  });

  it('is reported without a board, where everything on it is unknown', async () => {
    world = await startBenchWorld();
    world.board().lose('the plug is out');
    const state = await accepted(world.bench.chain.state('air'));
    expect(state).toMatchObject({ current_target: null, reaches_the_connector: false, ready: false });
    expect(state.conditions.find(({ key }) => key === 'board.phy')).toMatchObject({ verdict: 'unknown' });
  });
});

describe('conditioning', () => {
  it('RB-CHAIN-010 goes to the air under the applied profile unless reported otherwise', async () => {
    world = await startBenchWorld({ wired: 'pl-loopback' });
    await accepted(world.bench.profiles.apply('fast'));
    const done = await accepted(world.bench.chain.condition({}));
    expect(shapeFaults(Conditioned, done)).toEqual([]);
    expect(done.state).toMatchObject({ target: 'air', ready: true, reaches_the_connector: true });
    expect(await world.bench.profiles.active()).toEqual({ name: 'fast', dirty: false });
  });

  it('RB-CHAIN-014 RB-CHAIN-015 is refused as a conflict with no profile applied and none given', async () => {
    world = await startBenchWorld();
    expect(await refused(world.bench.chain.condition({ target: 'air' }))).toMatchObject({
      code: 'conflict',
      help: expect.stringContaining('/apply'),
    });
    expect(await refused(world.bench.chain.condition({ profile: 'nobody' }))).toMatchObject({
      code: 'not_found',
    });
  });

  it('RB-CHAIN-013 a given profile is applied by it, as by its route: counted, in its revisions, clean', async () => {
    world = await startBenchWorld();
    const { chain, profiles, radio } = world.bench;
    await accepted(profiles.apply('other'));
    await accepted(chain.condition({ target: 'air', profile: 'fast' }));
    expect(await profiles.active()).toEqual({ name: 'fast', dirty: false });
    expect(profiles.revisions('fast')).toMatchObject([{ version: 1, cfg_epoch: 2 }]);
    expect(world.context().record.epoch).toBe(2);
    const conditioned = await accepted(radio.status());
    await accepted(profiles.apply('fast'));
    const { tx_state: _, timing_lock: _t, carrier_lock: _c, ...set } = await accepted(radio.status());
    expect(conditioned).toMatchObject(set);
  });

  it('RB-CHAIN-013 a profile that the board is set to already is taken up without a step', async () => {
    world = await startBenchWorld();
    await accepted(world.bench.chain.condition({ target: 'pl-loopback', profile: 'fast' }));
    const again = await accepted(world.bench.chain.condition({ target: 'pl-loopback', profile: 'fast' }));
    expect(again.steps).toEqual([]);
    expect(world.context().record.epoch).toBe(1);
  });

  it('cleans what was changed by hand', async () => {
    world = await startBenchWorld();
    const { chain, profiles, radio } = world.bench;
    await accepted(chain.condition({ target: 'air', profile: 'fast' }));
    await accepted(radio.gain({ rx_gain_db: 3 }));
    expect(await accepted(chain.state('air'))).toMatchObject({
      ready: false,
      next: { condition: 'tx.quiet' },
    });
    const done = await accepted(chain.condition({ target: 'air' }));
    expect(done.steps).toContain('gain.rx');
    expect(await profiles.active()).toEqual({ name: 'fast', dirty: false });
  });

  it('uses the sample rate it is asked for where the profile can have it, and names the bound where not', async () => {
    world = await startBenchWorld();
    const { chain, radio } = world.bench;
    const asked = { target: 'pl-loopback', profile: 'other' } as const;
    const wide = await accepted(chain.condition({ ...asked, rate_sps: 8_000_000 }));
    expect(wide.state.ready).toBe(true);
    expect(await accepted(radio.status())).toMatchObject({ sample_rate_sps: 8_000_000 });
    expect((await accepted(chain.state('pl-loopback'))).ready).toBe(true);
    for (const rate_sps of [0, 5_000_000, 80_000_000])
      expect(await refused(chain.condition({ ...asked, rate_sps }))).toMatchObject({
        code: 'validation_failed',
        message: expect.stringMatching(/^rate_sps: .*sps/),
      });
  });

  it('stopped in the middle it is refused with the first missing step, and the profile is dirty', async () => {
    world = await startBenchWorld();
    const { chain, profiles } = world.bench;
    await accepted(profiles.apply('fast'));
    world.board().inject({ attributes: { 'ad9361-phy debug loopback': errno.EIO } });
    const fault = await refused(chain.condition({ target: 'device-loopback' }));
    expect(fault).toMatchObject({
      code: 'conflict',
      next: { condition: expect.any(String) },
      help: expect.any(String),
    });
    expect(fault.state?.ready).toBe(false);
    expect(await profiles.active()).toMatchObject({
      name: 'fast',
      dirty: true,
      dirty_reason: 'POST /api/v1/chain/condition',
    });
  });

  it('a board lost in the middle is refused as unavailable', async () => {
    world = await startBenchWorld();
    await accepted(world.bench.profiles.apply('fast'));
    const pending = refused(world.bench.chain.condition({ target: 'air' }));
    world.board().lose('the plug is out');
    expect(await pending).toMatchObject({ code: 'unavailable' });
    expect(await world.bench.profiles.active()).toEqual({ dirty: false });
  });

  it('following the command of the state, one after the other, makes the chain ready as well', async () => {
    world = await startBenchWorld();
    const { bench } = world;
    await accepted(bench.profiles.apply('fast'));
    const commands: string[] = [];
    for (let turn = 0; turn < 20; turn += 1) {
      const { next } = await accepted(bench.chain.state('air'));
      if (next === null) break;
      commands.push(next.command);
      if (next.command.includes('datapath/enable')) await accepted(bench.datapath.enable());
      else if (next.command.includes('radio/gain'))
        await accepted(bench.radio.gain(JSON.parse(next.command.slice(next.command.indexOf('{')))));
      else throw new Error(next.command);
    }
    expect(commands.length).toBeGreaterThan(0);
    expect(await accepted(bench.chain.state('air'))).toMatchObject({ ready: true });
  });
});

describe('the proof', () => {
  it('is that of the last measurement under this configuration, and gone with a change by hand or an apply', async () => {
    world = await startBenchWorld();
    const { chain, datapath, radio, profiles } = world.bench;
    const proof = async () =>
      (await accepted(chain.state('pl-loopback'))).conditions.find(({ key }) => key === 'proof.loopback')
        ?.verdict;
    const prove = async () => {
      await accepted(chain.condition({ target: 'pl-loopback', profile: 'fast' }));
      await accepted(datapath.measure(PRBS, {}));
    };
    await prove();
    expect(await proof()).toBe('met');
    expect((await accepted(chain.state('air'))).conditions.at(-1)).toMatchObject({ verdict: 'unmet' });
    await accepted(radio.gain({ rx_gain_db: 3 }));
    expect(await proof()).toBe('unmet');
    await prove();
    await accepted(profiles.apply('fast'));
    expect(await proof()).toBe('unmet');
  });
});

describe('recover', () => {
  it('RB-CHAIN-016 RB-CHAIN-019 pulses the CLEAR bits and reports what was pulsed and read back, never that it worked', async () => {
    world = await startBenchWorld();
    const recovered = await accepted(world.bench.chain.recover());
    expect(shapeFaults(Recovered, recovered)).toEqual([]);
    expect(recovered.pulsed.map(({ reg, bit }) => [reg, bit])).toEqual([
      ['CLEAR', 1],
      ['CLEAR', 2],
      ['CLEAR', 4],
    ]);
    for (const { bit, before, during, after } of recovered.pulsed)
      expect({ before, during, after }).toEqual({ before: 0, during: bit, after: 0 });
    expect(recovered.read_back.map(({ name }) => name)).toContain('CLEAR');
    expect(recovered.note).toMatch(/loopback shows that it worked/);
  });

  it('RB-CHAIN-016 frees a receiver that is stuck, which only a measurement shows', async () => {
    world = await startBenchWorld();
    const { chain, datapath } = world.bench;
    await accepted(chain.condition({ target: 'pl-loopback', profile: 'fast' }));
    world.board().inject({ stuckReceiver: true });
    expect(await refused(datapath.measure(PRBS, { timeoutMs: 300 }))).toMatchObject({ code: 'timeout' });
    await accepted(chain.recover());
    expect(await accepted(datapath.measure(PRBS, {}))).toMatchObject({ verdict: 'BytePerfect' });
  });

  it('RB-CHAIN-018 is unavailable without the driver of the logic', async () => {
    world = await startBenchWorld();
    world.board().inject({ attributes: { 'modem-ctl debug direct_reg_access': errno.ENODEV } });
    expect(await refused(world.bench.chain.recover())).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('driver'),
    });
  });
});
