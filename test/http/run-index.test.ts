/** The index of runs against a bucket whose watch the test plays. */

import { ulid } from 'ulid';
import { describe, expect, it } from 'vitest';
import { RUN_LIST_MOST } from '../../contract/limits/run.ts';
import type { RunSummary } from '../../contract/run.ts';
import { watchRuns } from '../../http/run-index.ts';
import { submittedRun } from '../../mission/procedure/run-status.ts';
import type { Bus, Entry } from '../../ports/bus.ts';
import { processorMs, timesCeiling } from '../support/processor-time.ts';
import { until } from '../support/until.ts';
import { absentBus, memoryLog } from './fixture.ts';

const program = { procedure: 'p', environment: 'bench', targets: {} };
const runAt = (ms: number): RunSummary => submittedRun(ulid(ms), program);

function entryOf(summary: RunSummary): Entry {
  return { key: summary.run, value: Buffer.from(JSON.stringify(summary)), revision: 1, at: 0 };
}

/** A bus with one bucket whose watch says what the test says; `connected` and `ready` are switches. */
function indexBus({ watchable = true } = {}) {
  const state = { connected: true, stopped: 0, watches: 0, watchable };
  let tell: (key: string, entry: Entry | undefined) => void = () => {};
  let ready = (): void => {};
  const listeners: ((connected: boolean) => void)[] = [];
  const bucket = {
    ...absentBus.bucket({ name: 'mcs_runs', history: 1 }),
    watch: async (_filter: string, changed: typeof tell) => {
      if (!state.watchable) throw new Error('not now');
      state.watches += 1;
      tell = changed;
      const stop = async (): Promise<void> => {
        state.stopped += 1;
      };
      const reported = new Promise<void>((resolve) => {
        ready = resolve;
      });
      return { ready: reported, stop };
    },
  };
  const bus: Bus = {
    ...absentBus,
    get connected() {
      return state.connected;
    },
    onConnection(listener) {
      listeners.push(listener);
      return () => {};
    },
    bucket: () => bucket,
  };
  return {
    bus,
    state,
    put: (summary: RunSummary) => tell(summary.run, entryOf(summary)),
    tell: (key: string, entry: Entry | undefined) => tell(key, entry),
    ready: () => ready(),
    connect: (connected: boolean) => {
      state.connected = connected;
      for (const listener of listeners) listener(connected);
    },
  };
}

async function liveIndex() {
  const world = indexBus();
  const log = memoryLog();
  const index = watchRuns(world.bus, log);
  await until(() => world.state.watches === 1);
  world.ready();
  await until(() => index.newest(1) !== undefined);
  return { ...world, index, log };
}

describe('the index of runs', () => {
  it('MC-RUN-044 lists the newest first, whatever order they are reported in, and at most as many as asked', async () => {
    const { index, put } = await liveIndex();
    const runs = [3, 1, 4, 2].map((ms) => runAt(ms * 1_000));
    for (const each of runs) put(each);
    const sorted = [...runs].sort((a, b) => (a.run < b.run ? 1 : -1));
    expect(index.newest(10)).toEqual(sorted);
    expect(index.newest(2)).toEqual(sorted.slice(0, 2));
  });

  it('shows the newest state of a run, and no run that is gone', async () => {
    const { index, put, tell } = await liveIndex();
    const each = runAt(1);
    put(each);
    put({ ...each, step: '#1', suspended: true });
    expect(index.newest(10)).toEqual([{ ...each, step: '#1', suspended: true }]);
    expect(index.of(each.run)?.step).toBe('#1');
    tell(each.run, undefined);
    expect(index.newest(10)).toEqual([]);
  });

  it('run-index.N1 keeps the newest and forgets older ones, reported late or early', async () => {
    const { index, put } = await liveIndex();
    const runs = Array.from({ length: RUN_LIST_MOST + 5 }, (_, place) => runAt(1_000 + place));
    for (const each of [...runs.slice(5), ...runs.slice(0, 5)]) put(each);
    const kept = index.newest(1_000)!;
    expect(kept).toHaveLength(RUN_LIST_MOST);
    expect(kept.at(-1)?.run).toBe(runs[5]?.run);
    expect(index.of(runs[0]!.run)).toBeUndefined();
  });

  it('reports each change until it is left, and what leaves the list as gone', async () => {
    const { index, put, tell, log } = await liveIndex();
    const runs = Array.from({ length: RUN_LIST_MOST + 1 }, (_, place) => runAt(1_000 + place));
    const [oldest, second] = runs;
    for (const each of runs.slice(1)) put(each);
    const changes: [string, boolean][] = [];
    const leave = index.onChange((run, now) => changes.push([run, now !== undefined]));
    // Older than all that are kept: it never comes in.
    put(oldest!);
    expect(changes).toEqual([]);
    const newest = runAt(9_000);
    put(newest);
    expect(changes.splice(0)).toEqual([
      [second!.run, false],
      [newest.run, true],
    ]);
    put({ ...newest, suspended: true });
    tell(newest.run, { ...entryOf(newest), value: new Uint8Array(0) });
    tell(newest.run, undefined);
    expect(changes.splice(0)).toEqual([
      [newest.run, true],
      [newest.run, false],
    ]);
    expect(log.lines).toEqual([]);
    tell(newest.run, { ...entryOf(newest), value: Buffer.from('{}') });
    expect(log.lines.map(({ message }) => message)).toEqual(['malformed entry in the list of runs skipped']);
    leave();
    put(newest);
    expect(changes).toEqual([]);
    // Of one that is not kept nothing is taken out in the place of another.
    tell(oldest!.run, undefined);
    expect(index.newest(RUN_LIST_MOST)).toHaveLength(RUN_LIST_MOST);
  });

  it('run-index.N2 knows nothing before everything was reported, and nothing while the bus is away', async () => {
    const world = indexBus();
    const index = watchRuns(world.bus, memoryLog());
    await until(() => world.state.watches === 1);
    world.put(runAt(1));
    expect(index.newest(10)).toBeUndefined();
    world.ready();
    await until(() => index.newest(10)?.length === 1);
    world.connect(false);
    expect(index.newest(10)).toBeUndefined();
    world.connect(true);
    expect(index.newest(10)).toHaveLength(1);
    expect(world.state.watches).toBe(1);
  });

  it('begins to watch when the bus comes back, if it could not before', async () => {
    const world = indexBus({ watchable: false });
    const log = memoryLog();
    const index = watchRuns(world.bus, log);
    await until(() => log.lines.some(({ message }) => message === 'a bucket cannot be watched'));
    world.state.watchable = true;
    world.connect(true);
    await until(() => world.state.watches === 1);
    world.ready();
    await until(() => index.newest(1) !== undefined);
    await index.stop();
    expect(world.state.stopped).toBe(1);
  });

  it('passes over a malformed entry, and says so', async () => {
    const { index, tell, log } = await liveIndex();
    const { run } = runAt(1);
    tell(run, { key: run, value: Buffer.from('{'), revision: 1, at: 0 });
    tell(run, { key: run, value: Buffer.from('{"run":"other"}'), revision: 2, at: 0 });
    expect(index.newest(10)).toEqual([]);
    expect(log.lines.filter(({ level }) => level === 'warn')).toHaveLength(2);
  });

  it.each([
    { targets: null },
    { targets: ['sat1'] },
    { targets: { sat: 7 } },
    { procedure: 7 },
    { pending: null },
    { updated_at: 'yesterday' },
    { started_at: 7 },
  ])('passes over an entry of which a list could not be made: %j', async (wrong) => {
    const { index, put, tell, log } = await liveIndex();
    const [each, other] = [runAt(1), runAt(2)];
    put(other);
    tell(each.run, {
      key: each.run,
      value: Buffer.from(JSON.stringify({ ...each, ...wrong })),
      revision: 2,
      at: 0,
    });
    expect(index.newest(10)).toEqual([other]);
    expect(log.lines.map(({ message }) => message)).toEqual(['malformed entry in the list of runs skipped']);
  });
});

it('reads a long list at little more than what parsing its entries costs, however many are kept (run-index.N1)', () => {
  const entries = Array.from({ length: 5_000 }, (_, n) => entryOf(runAt(1_700_000_000_000 + n)));
  const cost = () => {
    const { bus, tell } = indexBus();
    watchRuns(bus, memoryLog());
    return processorMs(() => {
      for (const entry of entries) tell(entry.key, entry);
    });
  };
  const parsing = () =>
    processorMs(() => {
      for (const { value } of entries) JSON.parse(Buffer.from(value).toString());
    });
  expect(timesCeiling(cost, parsing, 4)).toBeLessThanOrEqual(4);
});
