/**
 * When the processes are asked for the tree, by a clock of the test: only while somebody looks, once for all who do.
 */

import { describe, expect, it } from 'vitest';
import type { ProcessView } from '../../../contract/inspection.ts';
import { INSPECT_STILL_MS, INSPECT_TREE_MS } from '../../../contract/limits/inspect.ts';
import { accepted } from '../../../contract/result.ts';
import { Processes } from '../../../http/inspect/processes.ts';
import { TreeFeed } from '../../../http/inspect/tree-feed.ts';
import type { Bus } from '../../../ports/bus.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { absentBus, memoryLog } from '../fixture.ts';
import { processView } from './fake-process.ts';

/** A bus with one process; `view` is what it reports. */
function feed(view: { current: ProcessView }) {
  const clock = new ManualClock(1_000_000);
  const counts = { asked: 0 };
  const bus: Bus = {
    ...absentBus,
    connected: true,
    request: async () => {
      counts.asked += 1;
      return Buffer.from(JSON.stringify(accepted({ ...view.current, at: clock.now() })));
    },
    bucket: () => ({
      ...absentBus.bucket({ name: 'mcs_members', history: 1 }),
      watch: async (_filter, changed) => {
        changed('member.p1', { key: 'member.p1', value: Buffer.from('{}'), revision: 1, at: clock.now() });
        return { ready: Promise.resolve(), stop: async () => undefined };
      },
    }),
  };
  return { clock, counts, feed: new TreeFeed(new Processes(bus, clock), clock, memoryLog()) };
}

describe('the feed of the tree', () => {
  it('asks while somebody looks, once for all, and not a moment longer', async () => {
    const { clock, counts, feed: tree } = feed({ current: processView('p1') });
    await clock.run(10 * INSPECT_TREE_MS, 100);
    expect(counts.asked).toBe(0);
    const ends = [tree.watch(() => undefined), tree.watch(() => undefined)];
    await clock.run(10 * INSPECT_TREE_MS, 100);
    expect(counts.asked).toBe(10);
    ends[0]!();
    await clock.run(INSPECT_TREE_MS, 100);
    expect(counts.asked).toBe(11);
    ends[1]!();
    await clock.run(10 * INSPECT_TREE_MS, 100);
    expect([counts.asked, clock.waiting]).toEqual([11, 0]);
  });

  it('asks no more often for each who came while it could not be read', async () => {
    const {
      clock,
      counts,
      feed: tree,
    } = feed({
      get current(): ProcessView {
        throw new Error('a defect');
      },
    });
    const ends = [];
    for (let n = 0; n < 5; n += 1) {
      ends.push(tree.watch(() => undefined));
      await clock.run(10, 10);
    }
    const before = counts.asked;
    await clock.run(10 * INSPECT_TREE_MS, 10);
    expect(counts.asked - before).toBe(10);
    for (const end of ends) end();
    expect(clock.waiting).toBe(0);
  });

  it('tree-feed.T1 reports a change within half a second, and what stays the same every five', async () => {
    const view = { current: processView('p1') };
    const { clock, feed: tree } = feed(view);
    const reported: string[] = [];
    tree.watch((json) => reported.push(json));
    await clock.run(INSPECT_STILL_MS - INSPECT_TREE_MS, 100);
    expect(reported).toHaveLength(1);
    view.current = processView('p1', { draining: true });
    await clock.run(INSPECT_TREE_MS, 100);
    expect(reported).toHaveLength(2);
    expect(reported[1]).toContain('"draining":true');
    await clock.run(INSPECT_STILL_MS + INSPECT_TREE_MS, 100);
    expect(reported).toHaveLength(3);
  });

  it('reports one who comes later at once', async () => {
    const { clock, feed: tree } = feed({ current: processView('p1') });
    tree.watch(() => undefined);
    await clock.run(INSPECT_TREE_MS, 100);
    const announced: string[] = [];
    tree.watch((json) => announced.push(json));
    expect(announced).toHaveLength(1);
  });
});
