import { describe, expect, it } from 'vitest';
import { pointOf } from '../../../../actors/sdr/campaign/sweep.ts';
import type { Measurement } from '../../../../contract/bench/datapath.ts';
import type { Attempt } from '../../../../contract/bench/run.ts';
import type { SweepStep } from '../../../../radio/document/sweep.ts';
import { bitErrorRate } from '../../../../radio/modulation.ts';
import { demoProfiles } from '../../../radio/document/demo-bench.ts';
import { granted, runsBench } from '../runs-bench.ts';
import { campaign } from '../runs-documents.ts';
import { measured, refusal, ScriptedBoard } from '../scripted-board.ts';

const step: SweepStep = {
  id: 'fall',
  kind: 'sweep',
  profile: 'qpsk-1m',
  vary: { tx_gain_db: { from: -30, to: -50, step: -10 } },
  measure: { blocks: 8 },
};

/** A board whose ratio at a gain the test says; undefined: it sustains no blocks there. */
function falling(ratioAt: (gain: number) => number | undefined): ScriptedBoard {
  let gain = 0;
  const board = new ScriptedBoard().on('radio.gain', ({ with: body }) => {
    gain = (body as { tx_gain_db: number }).tx_gain_db;
    board.readings['rx.ebn0_db'] = gain + 50;
    return measured(1);
  });
  return board.on('datapath.measure', () => {
    const ratio = ratioAt(gain);
    return ratio === undefined ? refusal('timeout', 'no blocks') : measured(ratio, 8);
  });
}

async function swept(board: ScriptedBoard, more: Partial<SweepStep> = {}): Promise<Attempt> {
  const bench = await runsBench({ board, campaigns: [campaign([{ ...step, ...more }])] });
  const { id } = granted(await bench.campaigns.start('night'));
  await bench.run(100);
  return granted(await bench.campaigns.run(id)).attempts[0]!;
}

const measurement = (ratio: number, blocks = 8): Measurement => {
  const done = measured(ratio, blocks);
  if (!done.ok || done.value.measurement === undefined) throw new Error('not measured');
  return done.value.measurement;
};

describe('a sweep', () => {
  it('RB-CAMP-025 conditions the chain, then measures at each value, with the theory beside it', async () => {
    const board = falling((gain) => (gain === -30 ? 1 : 0.9));
    const attempt = await swept(board);
    expect(attempt).toMatchObject({ step: 'fall', outcome: 'passed' });
    expect(attempt.points?.map(({ x, ratio, ebn0_db }) => [x, ratio, ebn0_db])).toEqual([
      [-30, 1, 20],
      [-40, 0.9, 10],
      [-50, 0.9, 0],
    ]);
    expect(attempt.points?.[2]?.theory).toBeCloseTo(bitErrorRate('qpsk', 0), 12);
    expect(board.done.slice(0, 3)).toEqual(['chain.condition', 'radio.gain', 'datapath.measure']);
  });

  it('what is expected at a value decides', async () => {
    const expected = { expect: { min_ratio_at: { '-30': 0.999, '-40': 0.95 } } };
    expect(
      (
        await swept(
          falling(() => 1),
          expected,
        )
      ).outcome,
    ).toBe('passed');
    const failed = await swept(
      falling((gain) => (gain === -40 ? 0.9 : 1)),
      expected,
    );
    expect(failed).toMatchObject({ outcome: 'failed', detail: expect.stringContaining('at -40 is 0.9') });
  });

  it('sweep.W2 a value at which no blocks come has no point, and an expectation there is not met', async () => {
    const board = falling((gain) => (gain === -50 ? undefined : 1));
    expect(await swept(board)).toMatchObject({
      outcome: 'passed',
      detail: expect.stringContaining('-50 dB'),
    });
    const asked = await swept(board, { expect: { min_ratio_at: { '-50': 0.1 } } });
    expect(asked).toMatchObject({
      outcome: 'failed',
      detail: expect.stringContaining('nothing was measured'),
    });
    expect((await swept(falling(() => undefined))).outcome).toBe('inconclusive');
  });

  it('what the board refuses ends it, with the points so far', async () => {
    const board = falling(() => 1);
    let asked = 0;
    board.on('radio.gain', () => (++asked === 2 ? refusal('board_failed', 'no') : measured(1)));
    expect(await swept(board)).toMatchObject({ outcome: 'failed', points: [{ x: -30 }] });
  });
});

describe('its points', () => {
  const profile = demoProfiles().get('qpsk-1m');

  it('sweep.W1 no errors seen is a bound of three over the bits, not zero', () => {
    const point = pointOf(-30, measurement(1), undefined, profile);
    expect(point).toEqual({
      x: -30,
      ratio: 1,
      bits: 8 * 4096 * 8,
      ber: 0,
      ber_low: 0,
      ber_high: 3 / (8 * 4096 * 8),
    });
  });

  it('the interval holds the estimate, and narrows with what was measured', () => {
    const few = pointOf(0, measurement(0.9, 1), undefined, profile);
    const many = pointOf(0, measurement(0.9, 64), undefined, profile);
    for (const { ber_low, ber, ber_high } of [few, many]) {
      expect(ber).toBeCloseTo(1 - 0.9 ** (1 / 8), 12);
      expect([ber_low < ber, ber < ber_high]).toEqual([true, true]);
    }
    expect(many.ber_high - many.ber_low).toBeLessThan((few.ber_high - few.ber_low) / 7);
  });

  it('half of all bits are right where nothing comes through', () => {
    expect(pointOf(0, measurement(0), undefined, profile)).toMatchObject({ ber: 0.5, ber_high: 0.5 });
  });
});
