import { describe, expect, it } from 'vitest';
import type { ChartView } from '../../../contract/inspection.ts';
import type { ChartLayout } from '../../../contract/inspector.ts';
import { CHART_LAYOUTS } from '../../../contract/limits/inspect.ts';
import { Charts } from '../../../http/inspect/charts.ts';
import { LayoutLate } from '../../../http/inspect/layout.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { until } from '../../support/until.ts';

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

  it('are refused with 503 where the machine is too busy for their layout, and laid out by the next question', async () => {
    let isLate = true;
    const { of } = charts(() => {
      if (isLate) throw new LayoutLate('the chart of door was not laid out in time');
      return false;
    });
    expect(await of.of('door', undefined)).toMatchObject({
      ok: false,
      faults: [{ code: 'api::unavailable', message: 'the chart of door was not laid out in time' }],
    });
    isLate = false;
    expect(await of.of('door', undefined)).toMatchObject({ ok: true });
  });

  it('charts.H3 are laid out one at a time, that asked for last before those asked for ahead', async () => {
    const laidOut: string[] = [];
    const ends: (() => void)[] = [];
    const askAll = async (_verb: string, { kind }: { kind: string }) => [
      { instance: 'p1', answer: { ok: true, value: { kind, version: 1, digest: kind } } },
    ];
    const of = new Charts({ askAll } as never, new ManualClock(0), ({ digest }) => {
      laidOut.push(digest);
      return new Promise((resolve, reject) => {
        ends.push(() => (digest === 'b' ? reject(new Error('no room')) : resolve({ digest } as ChartLayout)));
      });
    });
    const asked = ['a', 'b', 'c', 'd'].map((kind) => of.of(kind, undefined).catch(String));
    await until(() => laidOut.length === 1);
    for (let n = 1; n <= 4; n += 1) {
      expect(laidOut).toHaveLength(n);
      ends[n - 1]!();
      await until(() => laidOut.length === Math.min(n + 1, 4));
    }
    expect(laidOut).toEqual(['a', 'd', 'c', 'b']);
    expect(await Promise.all(asked)).toMatchObject([
      { ok: true },
      'Error: no room',
      { ok: true },
      { ok: true },
    ]);
  });
});
