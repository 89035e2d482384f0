import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Pass, StoredPass } from '../../../contract/pass.ts';
import { newestOf, replaceWindow, upsert } from '../../../mission/pass/merge.ts';
import { byAos, passNamed, shownPass } from '../../../mission/pass/pass.ts';
import { TargetPasses } from '../../../mission/pass/target-passes.ts';

const FDS = { feeder: 'dynamics', at: '2026-01-01T00:00:00.000Z' };
const PROVIDER = { feeder: 'network', at: '2026-01-01T00:00:01.000Z' };

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 2) + minute * 60_000).toISOString();

function pass(id: string, from: number, to: number, more: Partial<Pass> = {}): Pass {
  return {
    id,
    target: 'sat1',
    station: 'kiruna',
    aos: at(from),
    los: at(to),
    max_elevation: '40 deg',
    source: 'fds',
    status: 'predicted',
    ...more,
  };
}

const booking = (id: string, from: number, to: number, more: Partial<Pass> = {}): Pass =>
  pass(id, from, to, { source: 'provider', status: 'booked', ...more });

function stored(...submitted: Pass[]): TargetPasses {
  const passes = new TargetPasses();
  for (const each of submitted) upsert(passes, each, each.source === 'fds' ? FDS : PROVIDER);
  return passes;
}

const ids = (passes: TargetPasses): string[] => [...passes].map(({ id }) => id).toSorted();

describe('matching of a contribution', () => {
  it('MC-PASS-025 MC-PASS-026 MC-PASS-027 takes the stored pass with its identifier, wherever its window went', () => {
    const passes = stored(pass('p1', 0, 10), pass('p1', 500, 510, { max_elevation: '41 deg' }));
    expect(ids(passes)).toEqual(['p1']);
    expect(passes.get('p1')).toMatchObject({ aos: at(500), max_elevation: '41 deg' });
  });

  it('MC-PASS-028 takes the stored pass with a contribution of its source under its identifier, before an overlap', () => {
    const passes = stored(
      pass('p1', 0, 10),
      booking('b1', 1, 11),
      pass('p2', 100, 110),
      booking('b1', 101, 111),
    );
    expect(ids(passes)).toEqual(['p1', 'p2']);
    expect(passes.get('p1')).toMatchObject({ aos: at(101), contributions: { provider: { id: 'b1' } } });
    expect(passes.get('p2')!.contributions.provider).toBeUndefined();
  });

  it('MC-PASS-028 does not take a contribution of the other source under that identifier', () => {
    const passes = stored(pass('p1', 0, 10), booking('x', 1, 11), pass('x', 300, 310));
    expect(ids(passes)).toEqual(['p1', 'x']);
  });

  it('MC-PASS-029 MC-PASS-030 takes one over the same station that it overlaps, and else is a new pass', () => {
    const passes = stored(
      pass('p1', 0, 10),
      booking('b1', 9, 20),
      booking('b2', 5, 12, { station: 'santiago' }),
      booking('b3', 20, 30),
    );
    expect(ids(passes)).toEqual(['b2', 'b3', 'p1']);
    expect(passes.get('p1')!.contributions.provider!.id).toBe('b1');
  });

  it('MC-PASS-059 takes the one it overlaps longest, of equal ones the earliest', () => {
    const longest = stored(pass('p1', 0, 10), pass('p2', 12, 30), booking('b1', 5, 20));
    expect(longest.get('p2')!.contributions.provider!.id).toBe('b1');
    const equal = stored(pass('p2', 12, 22), pass('p1', 0, 10), booking('b1', 5, 17));
    expect(equal.get('p1')!.contributions.provider!.id).toBe('b1');
  });
});

describe('the passes of a target', () => {
  it('finds a contribution under the identifier it has now, and no longer under that of the one it replaced', () => {
    const passes = stored(booking('b1', 0, 10), booking('b2', 1, 11));
    expect(ids(passes)).toEqual(['b1']);
    expect(passes.contributed('provider', 'b2')?.id).toBe('b1');
    expect(passes.contributed('provider', 'b1')).toBeUndefined();
  });

  it('MC-PASS-059 of two of one window the one whose identifier comes first', () => {
    const [one, other] = ['p1', 'p2'].map((id) => stored(pass(id, 0, 10)).get(id)!);
    const window = { aos: Date.parse(at(0)), los: Date.parse(at(10)) };
    for (const known of [
      [one!, other!],
      [other!, one!],
    ])
      expect(new TargetPasses(known).overlapping('kiruna', window)?.id).toBe('p1');
  });
});

describe('a merged pass', () => {
  const predicted = pass('p1', 0, 10, {
    uplink: true,
    transceiver: 'tx-a',
    protocol: 'ax25',
    rates: { downlink: '9600 bit/s' },
  });
  const booked = booking('b1', 1, 9, { uplink: false, max_elevation: '39 deg', protocol: 'ccsds' });

  it('MC-PASS-031 MC-PASS-032 keeps the identifier first stored, and is found by that of each contribution', () => {
    const passes = stored(predicted, booked);
    expect(ids(passes)).toEqual(['p1']);
    expect(['p1', 'b1', 'b2'].map((name) => passNamed(passes, name)?.id)).toEqual(['p1', 'p1', undefined]);
    const other = stored(booked, predicted);
    expect(['p1', 'b1'].map((name) => passNamed(other, name)?.id)).toEqual(['b1', 'b1']);
  });

  it('MC-PASS-034 merge.M3 has the protocol of the prediction where the booking has none', () => {
    const { protocol: _, ...silent } = booked;
    expect([...stored(predicted, silent)][0]).toMatchObject({ status: 'booked', protocol: 'ax25' });
  });

  it('merge.M3 of two contributions of one moment the booking names feeder and time, and of two copies the first', () => {
    const moment = '2026-01-01T00:00:02.000Z';
    const passes = new TargetPasses();
    upsert(passes, booked, { feeder: 'network', at: moment });
    upsert(passes, predicted, { feeder: 'dynamics', at: moment });
    expect([...passes][0]).toMatchObject({ feeder: 'network', updated_at: moment });

    const copy = (elevation: string): StoredPass => {
      const one = new TargetPasses();
      return upsert(one, pass('p1', 0, 10, { max_elevation: elevation }), { feeder: 'dynamics', at: moment });
    };
    expect(newestOf(copy('1 deg'), copy('2 deg')).max_elevation).toBe('1 deg');
    expect(newestOf(copy('2 deg'), copy('1 deg')).max_elevation).toBe('2 deg');
  });

  it('merge.M3 of two copies each source counts as it said last, whichever of them it is in', () => {
    const said = (by: typeof FDS, each: Pass, second: number) =>
      [each, { ...by, at: `2026-01-01T00:00:0${second}.000Z` }] as const;
    const copyOf = (...contributed: ReturnType<typeof said>[]): StoredPass => {
      const passes = new TargetPasses();
      for (const [each, author] of contributed) upsert(passes, each, author);
      return [...passes][0]!;
    };
    const [early, late] = [pass('p1', 0, 10), pass('p1', 1, 11)];
    const [booked, moved] = [booking('b1', 0, 10), booking('b1', 2, 12)];
    const newest = copyOf(said(FDS, late, 3), said(PROVIDER, moved, 4));
    const copies = [
      copyOf(said(FDS, late, 3), said(PROVIDER, booked, 2)),
      copyOf(said(FDS, early, 1), said(PROVIDER, moved, 4)),
    ] as const;
    const { contributions } = newest;
    for (const [one, other] of [copies, copies.toReversed()] as [StoredPass, StoredPass][])
      expect(newestOf(one, other)).toMatchObject({ aos: at(2), los: at(12), contributions });
    for (const [one, other] of [
      [copyOf(said(FDS, late, 3)), copies[1]],
      [copies[0], copyOf(said(FDS, early, 1))],
    ] as const)
      expect(Object.keys(newestOf(one, other).contributions).sort()).toEqual(['fds', 'provider']);
    expect(
      Object.keys(newestOf(copyOf(said(FDS, late, 3)), copyOf(said(FDS, early, 1))).contributions),
    ).toEqual(['fds']);
  });

  it('merge.M3 of two copies of one that no source contributes to the first counts, of another those who do', () => {
    const pass = [...stored(predicted)][0]!;
    const empty: StoredPass = { ...pass, contributions: {} };
    expect(newestOf(empty, { ...empty, max_elevation: '2 deg' })).toEqual(empty);
    expect(newestOf(empty, pass)).toEqual(pass);
  });

  it.each([
    ['prediction first', [predicted, booked], 'network'],
    ['booking first', [booked, predicted], 'network'],
  ])(
    'MC-PASS-033 MC-PASS-034 says what the booking says, and else the prediction: %s',
    (_order, submitted, feeder) => {
      expect([...stored(...submitted)][0]).toMatchObject({
        aos: at(1),
        los: at(9),
        max_elevation: '39 deg',
        status: 'booked',
        uplink: false,
        source: 'provider',
        transceiver: 'tx-a',
        protocol: 'ccsds',
        rates: { downlink: '9600 bit/s' },
        feeder,
      });
    },
  );

  it('MC-GEN-002 MC-PASS-002 has its window in UTC, whichever zone its sources write, beside one stored before that', () => {
    const local = { aos: '2026-01-02T02:01:00+02:00', los: '2026-01-02t00:09:00z' };
    const utc = { aos: at(1), los: at(9) };
    expect(upsert(stored(predicted), { ...booked, ...local }, PROVIDER)).toMatchObject({
      ...utc,
      contributions: { provider: utc },
    });
    const old = new TargetPasses();
    old.set({ ...predicted, ...local, contributions: { fds: { ...predicted, ...local } } });
    expect(upsert(old, booked, PROVIDER)).toMatchObject({ id: 'p1', aos: booked.aos, los: booked.los });
  });

  it('MC-PASS-006 has an uplink unless it is said to have none', () => {
    expect(stored(pass('p1', 0, 10)).get('p1')!.uplink).toBe(true);
  });

  it('MC-PASS-011 MC-PASS-012 MC-PASS-035 names who contributed last, and when', () => {
    const passes = stored(predicted, booked);
    const later = { feeder: 'dynamics-2', at: '2026-01-01T00:10:00.000Z' };
    expect(upsert(passes, predicted, later)).toMatchObject({
      feeder: 'dynamics-2',
      updated_at: later.at,
      aos: at(1),
    });
  });

  it('MC-PASS-013 MC-PASS-036 shows the latest version of each source, and none where there is one source', () => {
    const passes = stored(predicted, booked, pass('p1', 2, 8));
    const { contributions } = shownPass(passes.get('p1')!);
    expect(contributions).toMatchObject({
      fds: { id: 'p1', aos: at(2) },
      provider: { id: 'b1', aos: at(1) },
    });
    expect(shownPass(stored(predicted).get('p1')!)).not.toHaveProperty('contributions');
  });

  it('MC-PASS-047 takes whatever status its sources write; a cancelled booking cancels it (A-41)', () => {
    const passes = stored(predicted, booked, booking('b1', 1, 9, { status: 'cancelled' }));
    expect(passes.get('p1')!.status).toBe('cancelled');
    const again = stored(predicted, booking('b1', 1, 9, { status: 'cancelled' }), booking('b1', 1, 9));
    expect(again.get('p1')!.status).toBe('booked');
  });

  it('MC-PASS-014 leaves out what a submitted pass has of the fields of the service', () => {
    const read = { ...predicted, feeder: 'mallory', updated_at: at(0), contributions: { fds: predicted } };
    expect(upsert(new TargetPasses(), read, FDS)).toMatchObject({
      feeder: 'dynamics',
      updated_at: FDS.at,
      contributions: { fds: expect.not.objectContaining({ contributions: expect.anything() }) },
    });
  });
});

describe('a snapshot', () => {
  const snapshot = (passes: Pass[], source: 'fds' | 'provider' = 'fds', from = 0, to = 100) => ({
    source,
    target: 'sat1',
    from: at(from),
    to: at(to),
    passes,
  });

  it('MC-PASS-040 MC-PASS-046 writes its passes, then cancels those of its source that it does not have', () => {
    const passes = stored(pass('p1', 0, 10), pass('p2', 50, 60), pass('p3', 90, 110));
    const replaced = replaceWindow(passes, snapshot([pass('p1', 1, 11), pass('p4', 20, 30)]), FDS);
    expect(replaced).toEqual({ upserted: ['p1', 'p4'], cancelled: ['p2', 'p3'] });
    expect(passes.get('p2')).toMatchObject({ status: 'cancelled', updated_at: FDS.at });
    expect(passes.get('p4')).toMatchObject({ status: 'predicted' });
  });

  it('MC-PASS-041 leaves the other source and what is outside of the interval alone', () => {
    const passes = stored(booking('b1', 0, 10), pass('p2', 100, 110), pass('p3', 200, 210));
    const before = new TargetPasses(passes);
    expect(replaceWindow(passes, snapshot([]), FDS)).toEqual({ upserted: [], cancelled: [] });
    expect([...passes]).toEqual([...before]);
  });

  it('MC-PASS-042 leaves a pass booked whose prediction is dropped', () => {
    const passes = stored(pass('p1', 0, 10), booking('b1', 1, 9));
    expect(replaceWindow(passes, snapshot([]), FDS).cancelled).toEqual(['p1']);
    expect(passes.get('p1')).toMatchObject({
      status: 'booked',
      contributions: { fds: { status: 'cancelled' } },
    });
  });

  it('MC-PASS-040 finds one by what its source calls it, wherever it was moved to', () => {
    const passes = stored(pass('p1', 0, 10), booking('b1', 1, 9));
    const moved = { ...snapshot([]), source: 'provider' as const, passes: [booking('b1', 70, 78)] };
    expect(replaceWindow(passes, moved, PROVIDER)).toEqual({ upserted: ['p1'], cancelled: [] });
    expect([ids(passes), passes.get('p1')]).toMatchObject([['p1'], { aos: at(70), los: at(78) }]);
  });

  it('A-43 does not cancel what a pass of the snapshot was merged into, under any identifier', () => {
    const passes = stored(pass('p1', 0, 10));
    expect(replaceWindow(passes, snapshot([pass('renamed', 2, 12)]), FDS)).toEqual({
      upserted: ['p1'],
      cancelled: [],
    });
  });

  it('merge.M4 keeps two of its passes apart that overlap, and writes them again as they are', () => {
    const passes = stored(pass('old', 2, 12));
    const both = snapshot([pass('p1', 0, 10), pass('p2', 5, 15), pass('old', 50, 60)]);
    expect(replaceWindow(passes, both, FDS)).toEqual({ upserted: ['p1', 'p2', 'old'], cancelled: [] });
    const once = [...passes].toSorted(byAos);
    replaceWindow(passes, both, FDS);
    expect([...passes].toSorted(byAos)).toEqual(once);
  });

  it('merge.M4 a pass that one of its passes names is not another one’s, though that is a contribution to it', () => {
    const passes = stored(booking('b1', 0, 10), pass('x', 1, 11));
    expect(ids(passes)).toEqual(['b1']);
    const both = snapshot([pass('b1', 0, 10), pass('x', 1, 11)]);
    expect(replaceWindow(passes, both, FDS)).toEqual({ upserted: ['b1', 'x'], cancelled: [] });
    expect(ids(passes)).toEqual(['b1', 'x']);
  });

  it('merge.M4 the next longest overlap counts where the longest is of a pass that another one belongs to', () => {
    const passes = stored(pass('p1', 0, 10), pass('p2', 10, 20));
    const both = snapshot([pass('p1', 0, 10), pass('n', 0, 12)]);
    expect(replaceWindow(passes, both, FDS).upserted).toEqual(['p1', 'p2']);
  });

  it('is idempotent: a second one changes nothing, also of what it cancelled', () => {
    const passes = stored(pass('p1', 0, 10), pass('p2', 50, 60), booking('b1', 1, 9));
    replaceWindow(passes, snapshot([pass('p1', 1, 11)]), FDS);
    const once = new TargetPasses([...passes].toSorted(byAos));
    expect(replaceWindow(passes, snapshot([pass('p1', 1, 11)]), FDS).cancelled).toEqual([]);
    expect([...passes].toSorted(byAos)).toEqual([...once]);
  });
});

describe('any contributions, in any order', () => {
  const contribution = fc
    .record({
      id: fc.constantFrom('a', 'b', 'c', 'd'),
      station: fc.constantFrom('kiruna', 'santiago'),
      from: fc.integer({ min: 0, max: 60 }),
      length: fc.integer({ min: 1, max: 20 }),
      isBooking: fc.boolean(),
      isCancelled: fc.boolean(),
    })
    .map(({ id, station, from, length, isBooking, isCancelled }) => {
      const status = isCancelled ? 'cancelled' : isBooking ? 'booked' : 'predicted';
      return pass(id, from, from + length, { station, source: isBooking ? 'provider' : 'fds', status });
    });

  it('MC-PASS-031 MC-PASS-036 keep every stored identifier, one contribution of each source, and an index that is right', () => {
    fc.assert(
      fc.property(fc.array(contribution, { maxLength: 24 }), (submitted) => {
        const passes = new TargetPasses();
        const known = new Set<string>();
        for (const each of submitted) {
          const result = upsert(passes, each, each.source === 'fds' ? FDS : PROVIDER);
          known.add(result.id);
          expect(result.contributions[each.source]).toMatchObject({ id: each.id, aos: each.aos });
          expect(new Set(ids(passes))).toEqual(known);
          expectIndexed(passes);
        }
      }),
    );
  });

  /** What the index finds is what looking at every pass finds. */
  function expectIndexed(passes: TargetPasses): void {
    const all: StoredPass[] = [...passes];
    const fresh = new TargetPasses(all);
    for (const { contributions } of all) {
      for (const { source, id } of Object.values(contributions)) {
        const [earliest] = all.filter((each) => each.contributions[source]?.id === id).toSorted(byAos);
        expect(passes.contributed(source, id)).toEqual(earliest);
      }
    }
    for (let minute = 0; minute < 80; minute += 7) {
      const window = { aos: Date.parse(at(minute)), los: Date.parse(at(minute + 5)) };
      for (const station of ['kiruna', 'santiago'])
        expect(passes.overlapping(station, window)).toEqual(fresh.overlapping(station, window));
    }
  }
});
