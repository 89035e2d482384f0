import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isToken } from '../../../contract/token.ts';
import { passIds } from '../../../mission/orbit/pass-id.ts';
import { type PredictedPass, predictPasses } from '../../../mission/orbit/predict.ts';
import { KIRUNA, knownElements, SANTIAGO } from './orbits.ts';

const at = (time: string) => ({ target: 'sat1', station: 'kiruna', culminationMs: Date.parse(time) });

describe('identifiers of passes', () => {
  it('name target, station and the culmination to ten minutes', () => {
    expect(passIds([at('2024-06-25T01:06:41.295Z')])).toEqual(['sat1-kiruna-20240625T0110']);
    expect(passIds([at('2024-12-31T23:58:00Z')])).toEqual(['sat1-kiruna-20250101T0000']);
  });

  it('pass-id.I3 are finer where two would be the same, for both', () => {
    expect(
      passIds([at('2024-06-25T01:06:41Z'), at('2024-06-25T01:12:20Z'), at('2024-06-25T02:00:00Z')]),
    ).toEqual(['sat1-kiruna-20240625T0107', 'sat1-kiruna-20240625T0112', 'sat1-kiruna-20240625T0200']);
  });

  it('pass-id.I3 are different tokens, whenever the passes culminate', () => {
    const times = fc.uniqueArray(fc.integer({ min: 0, max: 3_600_000 }), { maxLength: 50 });
    fc.assert(
      fc.property(times, (list) => {
        const ids = passIds(list.map((culminationMs) => ({ ...at('1970-01-01'), culminationMs })));
        expect(new Set(ids).size).toBe(list.length);
        expect(ids.every(isToken)).toBe(true);
      }),
    );
  });

  it('pass-id.I1 stay nearly always as elements are refined, and a pass that gets another one still overlaps itself', () => {
    const { noaa20 } = knownElements();
    const fromMs = Date.parse('2024-06-25');
    const passesWith = (elements: typeof noaa20): readonly PredictedPass[] => {
      const predicted = predictPasses({
        targets: [{ target: 'noaa20', elements }],
        stations: [KIRUNA, SANTIAGO],
        fromMs,
        days: 7,
      });
      if (!predicted.ok) throw new Error(JSON.stringify(predicted.faults));
      return predicted.value.targets[0]!.passes;
    };
    const before = passesWith(noaa20);
    // Five seconds along the orbit.
    const after = passesWith({
      ...noaa20,
      meanAnomalyDeg: noaa20.meanAnomalyDeg + (5 / 86_400) * 14.196 * 360,
    });
    expect(after.length).toBe(before.length);
    const changed = after.filter(({ id }, index) => id !== before[index]!.id);
    expect(changed.length).toBeLessThanOrEqual(5);
    for (const [index, { aosMs, losMs }] of after.entries()) {
      expect(aosMs).toBeLessThan(before[index]!.losMs);
      expect(losMs).toBeGreaterThan(before[index]!.aosMs);
    }
  });
});
