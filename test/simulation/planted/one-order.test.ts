/** The checkers that hold every consumer against the current values shown to fail. */

import { describe, expect, it } from 'vitest';
import { decodeBatch, encodeBatch, type ValueBatch } from '../../../contract/batch.ts';
import { ROLES } from '../../../supervision/role.ts';
import { violationsOf } from '../checkers/all.ts';
import type { Measurement } from '../instruments.ts';
import type { Launch } from '../launch.ts';
import type { Scenario, Slot, Submission } from '../scenario.ts';
import { attempt } from '../trial.ts';
import { type RunOptions, run } from '../world.ts';
import { unmarking, unordered } from './defects.ts';

const slot = (n: number): Slot => ({ roles: [...ROLES], host: `host${n}`, skewMs: 0, startMs: 100 * n });

const setMode: Submission = {
  at: 4_000,
  target: 'sat1',
  telecommand: 'obc.set_mode',
  args: { mode: 'SAFE' },
  slot: 0,
  again: [],
};
const tuning: Launch = {
  at: 6_000,
  slot: 0,
  commands: [],
  what: {
    kind: 'procedure',
    request: {
      run: 'tune',
      environment: 'bench',
      targets: { sat: 'sat1' },
      inputs: { serial: 0, period: '60 s' },
    },
  },
};

/** What the spacecraft said a minute ago, before it was asked for anything: SAFE, and a watchdog of 60 s. */
const stragglers: Measurement[] = Array.from({ length: 140 }, (_, n) => ({
  at: 3_500 + 50 * n,
  target: 'sat1',
  deferred: false,
  blocks: [
    {
      measures: ['obc.mode', 'obc.counter', 'obc.watchdog'],
      rows: [{ ageMs: 0, onboardAgeMs: 65_000, raw: [1, n, 60] }],
    },
  ],
}));

const scenario: Scenario = {
  seed: 7,
  slots: [slot(0), slot(1)],
  submissions: [setMode],
  launches: [tuning],
  faults: [],
  stragglers,
  calmAt: 12_000,
};

/** A level beyond its limits that comes late. */
const level = (at: number, ageMs: number, value: number): Measurement => ({
  at,
  target: 'sat1',
  deferred: false,
  blocks: [{ measures: ['rig[1].level', 'rig[1].flow'], rows: [{ ageMs, raw: [value, 30] }] }],
});
const watching: Scenario = {
  seed: 7,
  slots: [slot(0), slot(1)],
  submissions: [],
  launches: [],
  faults: [],
  calmAt: 9_000,
  watch: {
    measurements: [level(4_000, 0, 5), level(5_000, 3_000, 9.5)],
    last: [level(11_000, 0, 5)],
    acts: [],
  },
};

async function brokenBy(options: RunOptions, from: Scenario): Promise<Set<string>> {
  const { violations } = await attempt(from, options);
  return new Set(violations.map(({ checker }) => checker));
}

describe('one order for every consumer', () => {
  it('MC-VAL-016 MC-TC-038 nothing is broken where nothing is planted, however late the stragglers', async () => {
    expect(await brokenBy({}, scenario)).toEqual(new Set());
    expect(await brokenBy({}, watching)).toEqual(new Set());
  });

  it('verified-by-current and judged-by-current see consumers that take samples as they come', async () => {
    const broken = await brokenBy({ wrapBus: unordered }, scenario);
    expect([...broken]).toEqual(expect.arrayContaining(['verified-by-current', 'judged-by-current']));
  });

  it('every-crossing-once sees alarms that take samples as they come', async () => {
    expect(await brokenBy({ wrapBus: unordered }, watching)).toContain('every-crossing-once');
  });

  it('marked-as-shown sees an owner that marks nothing', async () => {
    expect(await brokenBy({ wrapBus: unmarking }, watching)).toContain('marked-as-shown');
  });

  it('derived-of-current sees what is derived from a sample that is not current', async () => {
    const { history } = await run(watching);
    const values = history.values.map((message) => {
      const batch = decodeBatch<ValueBatch>(message.data);
      const blocks = batch.blocks.map((block) => ({
        ...block,
        value: block.value.map((v) => (v === 150 ? 285 : v)),
      }));
      return { ...message, data: encodeBatch({ ...batch, blocks }) };
    });
    const broken = violationsOf({ ...history, values }).map(({ checker }) => checker);
    expect(broken).toContain('derived-of-current');
  });
});
