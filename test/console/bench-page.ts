/**
 * The page of the bench on its real service: radio, runs and front end as the daemon has them, over the model of a
 * board, on the real clock, with records in memory. `FAST` makes blocks of two milliseconds, so that nobody waits for a
 * measurement.
 */

import { randomUUID } from 'node:crypto';
import { Registry } from 'prom-client';
import { ulid } from 'ulid';
import { createRuns, type Runs } from '../../actors/sdr/runs/runs.ts';
import type { Campaign } from '../../contract/bench/campaign.ts';
import type { Scenario } from '../../contract/bench/scenario.ts';
import { startBenchFrontEnd } from '../../http/bench/front-end.ts';
import { benchPages } from '../../http/pages/bench.ts';
import type { FrontEnd } from '../../http/serve.ts';
import { seededRandom } from '../../ports/seeded-random.ts';
import { createDeadLetters } from '../../supervision/cells/dead-letters.ts';
import { cellsOf } from '../../supervision/cells/host.ts';
import { Kind } from '../../supervision/cells/kind.ts';
import { realClock } from '../../supervision/clock.ts';
import { type BenchWorld, FAST, OTHER, startBenchWorld } from '../actors/sdr/bench-world.ts';
import { KeptBucket } from '../actors/sdr/kept-bucket.ts';
import { KeptRuns } from '../actors/sdr/runs-bench.ts';

export interface BenchPageService {
  /** Of the front end that is there now, or was last. */
  readonly url: string;
  readonly world: BenchWorld;
  /** Ends the front end alone; the next one has a port of its own: that of before may be taken by others meanwhile. */
  closeFrontEnd(): Promise<void>;
  openFrontEnd(): Promise<void>;
  stop(): Promise<void>;
}

/** A proof inside the logic, with samples, an assertion that reads the link and one that reads only the script. */
export const PROOF: Scenario = {
  name: 'proof',
  display_name: 'Proof inside the logic',
  profile_ref: FAST.name,
  tags: ['quick'],
  description: 'Byte-exact inside the logic.',
  target: 'pl-loopback',
  sampler: { interval_ms: 50, metrics: ['rx.carrier_lock', 'ad9361.temp_c'] },
  timeline: [
    { at_ms: 0, id: 'condition', do: 'chain.condition', with: { target: 'pl-loopback', profile: FAST.name } },
    { at_ms: 300, id: 'measure', do: 'datapath.measure', with: { prbs: 15, blocks: 4 }, save: 'm' },
  ],
  assertions: [
    { name: 'byte exact', source: 'measure', ref: 'm', field: 'verdict', op: '==', value: 'BytePerfect' },
    { name: 'was measured', source: 'script', step: 'measure', op: '==', value: 'done' },
  ],
};

/** Lasts until it is cancelled. */
export const LONG: Scenario = {
  name: 'long',
  description: 'Waits.',
  profile_ref: FAST.name,
  target: 'air',
  tags: [],
  timeout_s: 400,
  sampler: { interval_ms: 1_000, metrics: ['rx.carrier_lock'] },
  timeline: [
    { at_ms: 0, id: 'begin', do: 'radio.gain', with: { rx_gain_db: 30 } },
    { at_ms: 300_000, id: 'end', do: 'radio.gain', with: { rx_gain_db: 40 } },
  ],
  assertions: [
    { name: 'held', source: 'metric', metric: 'rx.carrier_lock', agg: 'all', op: '==', value: true },
  ],
};

/** Fades over the cable, from no error to many. */
export const FALL: Campaign = {
  name: 'fall',
  display_name: 'Proof, then waterfall',
  description: 'Proof and waterfall.',
  tags: [],
  steps: [
    { id: 'proof', kind: 'scenario', scenario: PROOF.name },
    { id: 'air', kind: 'action', do: 'chain.condition', with: { target: 'air', profile: FAST.name } },
    {
      id: 'waterfall',
      kind: 'sweep',
      profile: FAST.name,
      measure: { prbs: 15, blocks: 4 },
      vary: { tx_gain_db: { from: -20, to: -40, step: -4 } },
    },
  ],
};

/** Listening, with its board attached; nothing is applied yet. */
export async function startBenchPage(): Promise<BenchPageService> {
  const world = await startBenchWorld({ profiles: [FAST, OTHER] });
  const runs = await startRuns(world);
  const bench = { ...world.bench, scenarios: runs.scenarios, campaigns: runs.campaigns };
  const listen = (): Promise<FrontEnd> =>
    startBenchFrontEnd({
      bench,
      clock: realClock,
      log: world.log,
      registry: new Registry(),
      pages: benchPages,
    });
  let frontEnd = await listen();
  return {
    get url() {
      return frontEnd.url;
    },
    world,
    closeFrontEnd: () => frontEnd.close(),
    openFrontEnd: async () => {
      frontEnd = await listen();
    },
    stop: async () => {
      await frontEnd.close();
      runs.stop();
      await world.stop();
    },
  };
}

async function startRuns({ user, events, log, radio }: BenchWorld): Promise<Runs> {
  const runs = createRuns({
    board: user,
    events,
    clock: realClock,
    log,
    reports: new KeptBucket(),
    profiles: () => radio.profiles(),
    documents: {
      scenarios: new Map([PROOF, LONG].map((each) => [each.name, each])),
      campaigns: new Map([[FALL.name, FALL]]),
    },
    stores: { scenario: new KeptRuns(), campaign: new KeptRuns() },
    uptime: () => radio.uptimeMs(),
    clockTrusted: () => true,
    ids: { scenario: randomUUID, campaign: () => ulid(), session: randomUUID() },
  });
  const kindOf = (name: 'scenario' | 'campaign'): Kind =>
    new Kind({
      binding: runs.bindings[name],
      clock: realClock,
      log,
      random: seededRandom(1),
      deadLetters: createDeadLetters(undefined, log),
      onGone: (id, why) => runs.gone(name, id, why),
      onEscalated: (reason) => {
        throw new Error(reason);
      },
    });
  await runs.start({ scenario: cellsOf(kindOf('scenario')), campaign: cellsOf(kindOf('campaign')) });
  return runs;
}
