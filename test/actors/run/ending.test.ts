import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordGivenUp, settleEnd } from '../../../actors/run/ending.ts';
import { Leases } from '../../../actors/run/leases.ts';
import { createLogStore } from '../../../actors/run/log-store.ts';
import { appendRunEvent, readRunLog } from '../../../actors/run/run-log.ts';
import { buckets } from '../../../contract/bus/buckets.ts';
import type { RunEvent } from '../../../contract/run-event.ts';
import type { RunReport } from '../../../contract/run-report.ts';
import { readHolds } from '../../../contract/target-holds.ts';
import { reportOf } from '../../../mission/procedure/run-report.ts';
import type { Bus } from '../../../ports/bus.ts';
import { startNats, type TestNats } from '../../support/nats.ts';
import { leaf, newRun, programOf } from '../../support/run-program.ts';

let nats: TestNats;
let bus: Bus;

beforeAll(async () => {
  nats = await startNats();
  bus = await nats.connected();
});
afterAll(() => nats.stop());

const program = programOf('f'.repeat(64), [leaf('a', [])]);

function given(run: string, epoch = 5) {
  return { run, ir: 'e'.repeat(64), by: 'ana', program, epoch, at: 1_000, reason: 'broken; given up by ana' };
}

function record(run: string, seq: number): RunEvent {
  return { run, seq, at: new Date(seq).toISOString(), event: 'taken_over', by: 'x' };
}

async function loggedKinds(run: string): Promise<string[]> {
  return (await readRunLog(bus, run)).map(({ event }) => `${event.seq} ${event.event}`);
}

describe('a run that is given up', () => {
  it('MC-LOG-005 MC-LOG-024 has a log that begins and ends, also when it never began', async () => {
    const run = newRun();
    expect(await recordGivenUp(bus, given(run))).toHaveLength(2);
    expect(await recordGivenUp(bus, given(run)), 'once').toHaveLength(2);
    expect(await loggedKinds(run)).toEqual(['1 started', '2 finished']);
  });

  it('goes on from where its log stands, and leaves the log of a newer owner alone', async () => {
    const [run, newer] = [newRun(), newRun()];
    await appendRunEvent(bus, { event: record(run, 1) }, { epoch: 4, expected: 0 });
    await recordGivenUp(bus, given(run));
    expect(await loggedKinds(run)).toEqual(['1 taken_over', '2 finished']);
    await appendRunEvent(bus, { event: record(newer, 1) }, { epoch: 6, expected: 0 });
    expect(await recordGivenUp(bus, given(newer))).toBeUndefined();
    expect(await loggedKinds(newer)).toEqual(['1 taken_over']);
  });

  it('MC-STM-021 gives back what it held, also when nobody knows its program', async () => {
    const run = newRun();
    await recordGivenUp(bus, given(run));
    const leases = new Leases(bus);
    await leases.take(run, [{ target: 'sat1', mode: 'exclusive' }]);
    await settleEnd(bus, run, undefined);
    expect(await leases.take(newRun(), [{ target: 'sat1', mode: 'exclusive' }])).toEqual([]);
    const entry = await bus.bucket(buckets.runReports).get(run);
    const report = JSON.parse(Buffer.from(entry!.value).toString()) as RunReport;
    expect(report).toMatchObject({ run, ended: { ok: false, reason: 'broken; given up by ana' } });
  });

  it('has a report of bounded size that says what it leaves out', () => {
    const log = Array.from({ length: 400 }, (_, n) => record('r', n + 1));
    const { interruptions, events } = reportOf('r', log);
    expect({ shown: interruptions.entries.length, omitted: interruptions.omitted, events }).toEqual({
      shown: 250,
      omitted: 150,
      events: 400,
    });
  });
});

describe('the log of a run', () => {
  it('MC-LOG-002 MC-LOG-026 has one writer: another one that comes behind is fenced and leaves no gap', async () => {
    const run = newRun();
    const input = { run, ir: 'e', program, at: 0 };
    const store = createLogStore({ bus, begunOf: () => ({ input, epoch: 1 }), appended: () => undefined });
    const commit = (seqs: number[], position: number) => ({
      id: run,
      epoch: 1,
      position,
      final: false,
      records: seqs.map((seq) => ({ type: 'record', event: record(run, seq) })),
      envelope: () => {
        throw new Error('no snapshot is kept');
      },
    });
    const first = await store.commit(commit([1, 2], 0));
    expect(first.outcome).toBe('committed');
    const position = first.outcome === 'committed' ? first.position : 0;
    const other = { ...record(run, 3), by: 'y' } as RunEvent;
    await appendRunEvent(bus, { event: other }, { epoch: 2, expected: position });
    expect(await store.commit(commit([3, 4], position))).toEqual({ outcome: 'fenced' });
    expect(await store.commit(commit([4], position)), 'also under a number that is free').toEqual({
      outcome: 'fenced',
    });
    expect(await loggedKinds(run)).toEqual(['1 taken_over', '2 taken_over', '3 taken_over']);
  });

  it('MC-STM-021 the end is in the log before a target is given back, and whoever is fenced gives none back', async () => {
    const run = newRun();
    const held = programOf('f'.repeat(64), [leaf('a', [])], {
      leases: [{ target: 'sat2', mode: 'exclusive' }],
    });
    const leases = new Leases(bus);
    await leases.take(run, held.leases);
    const holders = async (): Promise<string[]> => {
      const entry = await bus.bucket(buckets.leases).get('sat2');
      return readHolds(entry?.value).holders.map((holder) => holder.run);
    };
    const input = { run, ir: 'e', program: held, at: 0 };
    const seen: string[][] = [];
    const store = createLogStore({
      bus,
      begunOf: () => ({ input, epoch: 1 }),
      appended: () => undefined,
    });
    const commit = async (expected: number) => {
      const end: RunEvent = { run, seq: 1, at: new Date(0).toISOString(), event: 'finished', ok: true };
      const committed = await store.commit({
        id: run,
        epoch: 1,
        position: expected,
        final: true,
        records: [{ type: 'record', event: end }],
        envelope: () => {
          throw new Error('no snapshot is kept');
        },
      } as never);
      seen.push(await holders());
      return committed;
    };
    expect(await commit(1_000_000)).toEqual({ outcome: 'fenced' });
    expect(await commit(0)).toMatchObject({ outcome: 'committed' });
    expect(seen).toEqual([[run], [run]]);
    await settleEnd(bus, run, held);
    expect(await holders()).toEqual([]);
  });

  it('takes an append whose answer was lost for stored', async () => {
    const run = newRun();
    const event = record(run, 1);
    const first = await appendRunEvent(bus, { event, source: 9 }, { epoch: 1, expected: 0 });
    expect(await appendRunEvent(bus, { event, source: 9 }, { epoch: 1, expected: 0 })).toBe(first);
    expect(await readRunLog(bus, run)).toMatchObject([{ epoch: 1, source: 9, position: first }]);
  });
});
