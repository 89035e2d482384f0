import { describe, expect, it } from 'vitest';
import type { ChartView } from '../../../contract/inspection.ts';
import type { ChartLayout } from '../../../contract/inspector.ts';
import { CHART_LAYOUTS } from '../../../contract/limits.ts';
import { Charts } from '../../../http/inspect/charts.ts';
import { ManualClock } from '../../support/manual-clock.ts';

/** Charts whose processes answer with what `shown` is; the digests that were laid out. */
function charts(fails: () => boolean = () => false) {
  const laidOut: string[] = [];
  const state = { shown: { kind: 'door', version: 1, digest: 'd1' } as unknown as ChartView };
  const askAll = async () => [{ instance: 'p1', answer: { ok: true, value: state.shown } }];
  const of = new Charts({ askAll } as never, new ManualClock(0), async ({ digest }) => {
    laidOut.push(digest);
    if (fails()) throw new Error('too much at once');
    return { digest } as ChartLayout;
  });
  return { of, laidOut, state };
}

describe('charts with their layout', () => {
  it('charts.H1 are laid out once, and another build again', async () => {
    const { of, laidOut, state } = charts();
    await Promise.all(Array.from({ length: 40 }, () => of.of('door', undefined)));
    expect(laidOut).toEqual(['d1']);
    state.shown = { ...state.shown, digest: 'd2' };
    await of.of('door', undefined);
    expect(laidOut).toEqual(['d1', 'd2']);
  });

  it('charts.H2 are kept up to a bound, and not where the layout failed', async () => {
    let failing = true;
    const { of, laidOut, state } = charts(() => failing);
    await expect(of.of('door', undefined)).rejects.toThrow('too much');
    failing = false;
    await of.of('door', undefined);
    expect(laidOut).toEqual(['d1', 'd1']);
    for (let each = 0; each < CHART_LAYOUTS; each += 1) {
      state.shown = { ...state.shown, digest: `n${each}` };
      await of.of('door', undefined);
    }
    state.shown = { ...state.shown, digest: 'd1' };
    await of.of('door', undefined);
    expect(laidOut.filter((digest) => digest === 'd1')).toHaveLength(3);
  });
});
