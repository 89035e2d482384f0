import { describe, expect, it } from 'vitest';
import { Verifier } from '../../../actors/telecommand/verification.ts';
import { encodeBatch, type ValueBatch, type VerificationReport } from '../../../contract/batch.ts';
import { header } from '../../../contract/bus/headers.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import type { BusPosition } from '../../../contract/link.ts';
import type { Platform, Verification } from '../../../mission/platform.ts';
import type { ReceivedValue } from '../../../ports/target-values.ts';
import { compiled, KEYS } from '../../mission/condition-platform.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';
import { keptLog } from '../../support/silent-log.ts';
import { LogBus } from './log-bus.ts';
import { batch, block, platformOf } from './platform.ts';

const SENT = 1_000_000;
const HERE = platformOf('here');
const COUNTER = 'obc.counter';
const received = (value: number, groundMs: number): ReceivedValue => ({
  value,
  groundMs,
  timeMs: groundMs,
  deferred: false,
});

interface Options {
  readonly known?: Record<string, ReceivedValue>;
  readonly platforms?: readonly Platform[];
  /** The moment somebody first looks. */
  readonly at?: number;
  /** Of the value stream, that what is known holds. */
  readonly position?: () => number;
}

type Wanted = Partial<Record<'expect' | 'fail', string>> &
  Partial<Pick<Verification, 'reports' | 'withinMs'>> & { readonly handed?: BusPosition };

function verification({
  known = {},
  platforms = [HERE],
  at = SENT,
  position = () => Number.NaN,
}: Options = {}) {
  const clock = new ManualClock(at);
  const bus = new LogBus();
  bus.now = () => clock.now();
  const verifier = new Verifier({
    bus,
    clock,
    log: keptLog(),
    target: 'sat1',
    platformOf: (digest) => platforms.find((each) => each.digest === digest),
    sample: ({ ordinal }) => known[KEYS[ordinal]!],
    position,
  });
  const abort = new AbortController();
  const store = async (stored: ValueBatch): Promise<void> => {
    await bus.append(streams.values, subject.values('sat1'), encodeBatch(stored));
    await settled();
  };
  const verify = async (
    { expect: wanted, fail, reports, withinMs = 60_000, handed }: Wanted,
    reference = 'ref',
  ) => {
    const open = (text: string | undefined) => (text === undefined ? undefined : compiled(text));
    const seen: { verdict?: string | undefined; at?: number } = {};
    const wish = { expect: open(wanted), fail: open(fail), reports, withinMs };
    void verifier
      .verify(
        { verify: wish, platform: HERE, instance: undefined, args: {}, sentAt: SENT, handed, reference },
        abort.signal,
      )
      .then((verdict) => {
        seen.verdict = verdict?.type.replace('verification.', '') ?? 'none';
        if (verdict !== undefined) seen.at = verdict.at;
      });
    await settled();
    return seen;
  };
  const counts = (...rows: [number, number][]): Promise<void> =>
    store(
      batch(HERE, [
        block(
          HERE,
          [COUNTER],
          rows.map(([after, value]) => [SENT + after, value]),
        ),
      ]),
    );
  return { clock, bus, verifier, store, verify, counts, abort };
}

describe('evidence by samples', () => {
  it('counts no sample of before the sending, whenever it arrives (telecommand/verification.V1)', async () => {
    const { verify, counts } = verification();
    const seen = await verify({ expect: 'obc.counter == 5' });
    await counts([-1, 5], [0, 5]);
    expect(seen.verdict).toBeUndefined();
    await counts([1, 5]);
    expect(seen.verdict).toBe('satisfied');
  });

  it('compares the first sample with the last one before the sending (telecommand/verification.V1)', async () => {
    const known = { [COUNTER]: received(3, SENT - 5_000) };
    const same = verification({ known });
    const unchanged = await same.verify({ expect: 'obc.counter changes' });
    await same.counts([100, 3]);
    expect(unchanged.verdict).toBeUndefined();
    await same.counts([200, 4]);
    expect(unchanged.verdict).toBe('satisfied');
  });

  it('finds the baseline in the stream when a newer sample is known already (telecommand/verification.V1, V4)', async () => {
    const one = verification({ at: SENT - 1_000, known: { [COUNTER]: received(4, SENT + 50) } });
    await one.counts([-1_000, 3]);
    // Others verify on this target: its values are followed, from after the baseline on.
    await one.verify({ expect: 'obc.counter == 99' });
    one.clock.advance(1_050);
    await one.counts([50, 4]);
    const seen = await one.verify({ expect: 'obc.counter changes' });
    await settled();
    expect(seen.verdict).toBe('satisfied');
  });

  it('misses no value between two batches, and remembers what held once (telecommand/verification.V2, V3)', async () => {
    const { verify, counts, store } = verification();
    const seen = await verify({ expect: 'obc.counter == 5', reports: 'acceptance' });
    await counts([1, 4], [2, 5], [3, 6]);
    expect(seen.verdict).toBeUndefined();
    await store(batch(HERE, [], [report({ stage: 'acceptance' })]));
    expect(seen.verdict).toBe('satisfied');
  });

  it('reports a failure at once, also when the expectation holds in the same sample (telecommand/verification.V3)', async () => {
    const { verify, counts } = verification();
    const seen = await verify({ expect: 'obc.counter > 1', fail: 'obc.counter == 5' });
    await counts([1, 5]);
    expect(seen.verdict).toBe('failed');
  });

  it('passes over deferred samples', async () => {
    const { verify, store } = verification();
    const seen = await verify({ expect: 'obc.counter == 5' });
    await store(batch(HERE, [block(HERE, [COUNTER], [[SENT + 1, 5]])], [], true));
    expect(seen.verdict).toBeUndefined();
  });

  it('MC-XFER-059 passes over reports of the past: a request with the same number was another telecommand', async () => {
    const { verify, store } = verification();
    const seen = await verify({ reports: 'acceptance', handed: NOTHING });
    await store(batch(HERE, [], [report({ stage: 'acceptance' })], true));
    expect(seen.verdict).toBeUndefined();
    await store(batch(HERE, [], [report({ stage: 'acceptance', ok: false, code: 2 })], true));
    expect(seen.verdict).toBeUndefined();
    await store(batch(HERE, [], [report({ stage: 'acceptance' })]));
    expect(seen.verdict).toBe('satisfied');
  });

  it('MC-XFER-059 a change is not counted from a deferred value that is current, but from the last one in real time', async () => {
    // Measured before the counter went to 7; it came down behind that.
    const dumped = { ...received(4, SENT - 1), timeMs: SENT - 3_600_000, deferred: true };
    const world = verification({ known: { [COUNTER]: dumped }, position: () => 2 });
    await world.counts([-5_000, 7]);
    await world.store(batch(HERE, [block(HERE, [COUNTER], [[SENT - 1, 4]])], [], true));
    const seen = await world.verify({ expect: 'obc.counter changes', handed: { ...NOTHING, values: 2 } });
    await world.counts([100, 7]);
    expect(seen.verdict).toBeUndefined();
    await world.counts([200, 8]);
    expect(seen.verdict).toBe('satisfied');
  });

  it('becomes true without another sample when it is stable long enough', async () => {
    const { verify, counts, clock } = verification();
    const seen = await verify({ expect: 'obc.counter == 5 stable for 10 s' });
    clock.advance(100);
    await counts([100, 5]);
    await clock.run(9_990, 10);
    expect(seen.verdict).toBeUndefined();
    await clock.run(20, 1);
    expect(seen).toEqual({ verdict: 'satisfied', at: SENT + 10_100 });
    expect(clock.waiting).toBeLessThanOrEqual(1);
  });
});

/** What the bus had when the frame was handed over. */
const NOTHING: BusPosition = { frames: 0, decoded: 0, values: 0 };

describe('MC-TC-038 the order of the bus decides (telecommand/verification.V1)', () => {
  // Each way a telecommand is verified: what says yes, and what says no.
  const evidence: Record<string, { wanted: Wanted; before?: number; tell: number; verdict: string }> = {
    'expect:': { wanted: { expect: 'obc.counter == 5' }, tell: 5, verdict: 'satisfied' },
    'fail:': { wanted: { reports: 'completion', fail: 'obc.counter == 5' }, tell: 5, verdict: 'failed' },
    changes: { wanted: { expect: 'obc.counter changes' }, before: 4, tell: 5, verdict: 'satisfied' },
    'a window': {
      wanted: { expect: 'delta(obc.counter, 1 min) == 1' },
      before: 4,
      tell: 5,
      verdict: 'satisfied',
    },
  };
  const stamps = [-2_000, -1, 0, 0.5, 1];

  for (const [name, { wanted, before = 5, tell, verdict }] of Object.entries(evidence)) {
    for (const stamp of stamps)
      it(`a sample behind the hand-over counts for ${name}, stamped ${stamp} ms from SENT`, async () => {
        const { verify, counts } = verification();
        // The bus had it, whatever the clock of its station says.
        await counts([stamp, before]);
        const seen = await verify({ ...wanted, handed: { ...NOTHING, values: 1 } });
        expect(seen.verdict).toBeUndefined();
        await counts([stamp, tell]);
        expect(seen.verdict).toBe(verdict);
      });
    it(`a sample behind the hand-over counts for ${name}, stored before SENT was recorded`, async () => {
      const { verify, counts, clock } = verification({ at: SENT - 5 });
      await counts([-10, before]);
      await counts([-5, tell]);
      clock.advance(5);
      expect((await verify({ ...wanted, handed: { ...NOTHING, values: 1 } })).verdict).toBe(verdict);
    });
  }

  for (const stamp of stamps)
    it(`a report behind the hand-over counts, stamped ${stamp} ms from SENT, and none of before`, async () => {
      const { verify, store } = verification();
      await store(batch(HERE, [], [report({ at: SENT + stamp })]));
      const seen = await verify({ reports: 'completion', handed: { ...NOTHING, values: 1 } });
      expect(seen.verdict).toBeUndefined();
      await store(batch(HERE, [], [report({ at: SENT + stamp })]));
      expect(seen.verdict).toBe('satisfied');
    });

  it('what a late decoder or owner makes of frames of before is of before', async () => {
    const { bus, verify } = verification();
    const handed = { frames: 70, decoded: 40, values: 0 };
    const seen = await verify({ expect: 'obc.counter == 5', handed });
    const values = batch(HERE, [block(HERE, [COUNTER], [[SENT + 5, 5]])]);
    const stored = async (decoded: number, frames: number): Promise<void> => {
      const headers = { [header.source]: String(decoded), [header.received]: String(frames) };
      await bus.append(streams.values, subject.values('sat1'), encodeBatch(values), { headers });
      await settled();
    };
    await stored(40, 69);
    await stored(41, 70);
    expect(seen.verdict).toBeUndefined();
    await stored(42, 71);
    expect(seen.verdict).toBe('satisfied');
  });

  it('begins with the current values where they are of the hand-over, and reads the stream where they are not', async () => {
    const known = { [COUNTER]: received(4, SENT + 1) };
    const here = verification({ known, position: () => 1 });
    await here.counts([-5, 4]);
    await here.verify({ expect: 'obc.counter == 99', handed: { ...NOTHING, values: 1 } });
    const shared = await here.verify({ expect: 'obc.counter changes', handed: { ...NOTHING, values: 1 } });
    await here.counts([0, 5]);
    expect(shared.verdict).toBe('satisfied');
    // The answer is what is known already.
    const late = verification({ known: { [COUNTER]: received(5, SENT) }, position: () => 2 });
    await late.counts([-5, 4]);
    await late.counts([0, 5]);
    const seen = await late.verify({ expect: 'obc.counter changes', handed: { ...NOTHING, values: 1 } });
    expect(seen.verdict).toBe('satisfied');
  });

  it('a message that is no batch of values is skipped', async () => {
    const { bus, verify, counts } = verification();
    await bus.append(streams.values, subject.values('sat1'), Buffer.from('nonsense'));
    const seen = await verify({ expect: 'obc.counter == 5', handed: NOTHING });
    await bus.append(streams.values, subject.values('sat1'), Buffer.from('nonsense'));
    await counts([0, 5]);
    expect(seen.verdict).toBe('satisfied');
  });
});

describe('whoever looks late (telecommand/verification.V4, V5)', () => {
  const late = SENT + 50_000;

  it('sees what came since the sending', async () => {
    const one = verification({ at: SENT });
    await one.counts([-500, 4]);
    one.clock.advance(1_000);
    await one.counts([1_000, 5]);
    one.clock.advance(late - SENT);
    const seen = await one.verify({ expect: 'obc.counter changes' });
    expect(seen.verdict).toBe('satisfied');
  });

  it('does not take for stable what turned again in a batch not yet read', async () => {
    const one = verification();
    await one.counts([1_000, 5]);
    await one.counts([2_000, 6]);
    one.clock.advance(late - SENT);
    const seen = await one.verify({ expect: 'obc.counter == 5 stable for 10 s' });
    expect(seen.verdict).toBeUndefined();
  });

  it('does not take for stable what turned again in the next row', async () => {
    const one = verification();
    one.clock.advance(late - SENT);
    const seen = await one.verify({ expect: 'obc.counter == 5 stable for 10 s' });
    await one.counts([1_000, 5], [2_000, 6]);
    expect(seen.verdict).toBeUndefined();
  });

  it('sees what was stable long enough between two samples', async () => {
    const one = verification();
    await one.counts([1_000, 5], [20_000, 6]);
    one.clock.advance(late - SENT);
    const seen = await one.verify({ expect: 'obc.counter == 5 stable for 10 s' });
    expect(seen.verdict).toBe('satisfied');
  });

  it('counts nothing of after the window', async () => {
    const one = verification();
    one.clock.advance(late - SENT);
    await one.counts([10_001, 5]);
    await one.store(batch(HERE, [], [report({ stage: 'completion', at: SENT + 10_001 })]));
    const seen = await one.verify({ expect: 'obc.counter == 5', withinMs: 10_000 });
    const reported = await one.verify({ reports: 'completion', withinMs: 10_000 });
    expect([seen.verdict, reported.verdict]).toEqual([undefined, undefined]);
  });

  it('tries again until the bus lets it read', async () => {
    const one = verification();
    await one.counts([1, 5]);
    one.bus.followsToFail = 4;
    const seen = await one.verify({ expect: 'obc.counter == 5' });
    expect(seen.verdict).toBeUndefined();
    await one.clock.run(2_000, 50);
    expect(seen.verdict).toBe('satisfied');
  });
});

describe('evidence by reports', () => {
  it('counts those of its reference only', async () => {
    const { verify, store } = verification();
    const seen = await verify({ reports: 'completion' });
    await store(batch(HERE, [], [report({ reference: 'other' }), report({ stage: 'acceptance' })]));
    expect(seen.verdict).toBeUndefined();
    await store(batch(HERE, [], [report({})]));
    expect(seen.verdict).toBe('satisfied');
  });

  it('fails on a report that says so, and sets no timer after that', async () => {
    const { verify, store, clock } = verification({ position: () => 0 });
    const wanted = { reports: 'completion', expect: 'obc.counter == 5 stable for 10 s' } as const;
    const seen = await verify({ ...wanted, handed: NOTHING });
    const failed = report({ ok: false, stage: 'start', code: 3 });
    await store(batch(HERE, [block(HERE, [COUNTER], [[SENT + 1, 5]])], [failed]));
    expect(seen.verdict).toBe('failed');
    // Only the lingering of the values is left.
    expect(clock.waiting).toBe(1);
  });

  it('passes over those of an earlier telecommand with the same reference', async () => {
    const { verify, store } = verification();
    const seen = await verify({ reports: 'completion' });
    await store(batch(HERE, [], [report({ at: SENT - 3_600_000 })]));
    expect(seen.verdict).toBeUndefined();
  });
});

describe('samples in the columns of another platform', () => {
  it('are found by their keys', async () => {
    const there = platformOf('there', [...KEYS].reverse());
    const { verify, store } = verification({ platforms: [HERE, there] });
    const seen = await verify({ expect: 'obc.counter == 5' });
    await store(batch(there, [block(there, ['obc.big', COUNTER], [[SENT + 1, 7, 5]])]));
    expect(seen.verdict).toBe('satisfied');
  });

  it('do not count where the unit has changed: 5 mV are not 5 V', async () => {
    const there = platformOf('there', KEYS, { 'battery[1].voltage': 'mV' });
    const { verify, store } = verification({ platforms: [HERE, there] });
    const seen = await verify({ expect: 'battery[1].voltage > 5 V' });
    await store(batch(there, [block(there, ['battery[1].voltage'], [[SENT + 1, 3_300]])]));
    expect(seen.verdict).toBeUndefined();
  });

  it('count as soon as its configuration is known', async () => {
    const there = platformOf('there', [...KEYS].reverse());
    const platforms = [HERE];
    const { verify, store } = verification({ platforms });
    const seen = await verify({ expect: 'obc.counter == 5' });
    await store(batch(there, [block(there, [COUNTER], [[SENT + 1, 4]])]));
    platforms.push(there);
    await store(batch(there, [block(there, [COUNTER], [[SENT + 2, 5]])]));
    expect(seen.verdict).toBe('satisfied');
  });
});

describe('the end of a verification', () => {
  it('leaves nothing behind when its cell goes', async () => {
    const { verify, counts, clock, abort, verifier } = verification();
    const seen = await verify({ expect: 'obc.counter == 5 stable for 10 s' });
    await counts([1, 5]);
    abort.abort();
    await settled();
    expect(seen.verdict).toBe('none');
    await verifier.stop();
    expect(clock.waiting).toBe(0);
  });
});

function report(more: Partial<VerificationReport>): VerificationReport {
  return { reference: 'ref', stage: 'completion', ok: true, at: SENT + 1, ...more };
}
