/** From a cold board to bytes that come back as they were. RF Bench Service, section 4; flow F-25. */

import { afterEach, describe, expect, it } from 'vitest';
import { CHAIN_TARGETS } from '../../../../contract/bench/chain.ts';
import { prbs } from '../../../../radio/prbs.ts';
import { accepted, type BenchWorld, refused, startBenchWorld } from '../bench-world.ts';

let world: BenchWorld | undefined;
afterEach(async () => {
  await world?.stop();
  world = undefined;
});

describe('from cold to byte-exact', () => {
  it.each(CHAIN_TARGETS)(
    'RB-CHAIN-009 RB-DP-015 RB-DP-016 conditions to %s and measures BytePerfect',
    async (target) => {
      world = await startBenchWorld();
      const { bench } = world;
      expect((await refused(bench.chain.condition({ target }))).code).toBe('conflict');
      const applied = await accepted(bench.profiles.apply('fast'));
      expect(applied).toMatchObject({ profile_name: 'fast', cfg_epoch: 1 });
      const conditioned = await accepted(bench.chain.condition({ target }));
      expect(conditioned.state).toMatchObject({ ready: true, target });
      const measured = await accepted(bench.datapath.measure(prbs(15, 16 * 4096), {}));
      expect(measured).toMatchObject({ verdict: 'BytePerfect', rotation_slip: false, overall_ratio: 1 });
      const proven = await accepted(bench.chain.state(target));
      expect(proven.conditions.find(({ key }) => key === 'proof.loopback')).toMatchObject({ verdict: 'met' });
    },
  );
});
