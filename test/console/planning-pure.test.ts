/** What the pages of passes and files work out without a browser. */

import { describe, expect, it } from 'vitest';
import { unitsIn } from '../../console/input-units.ts';
import { stretches } from '../../console/inspect/range-shares.ts';
import { between, heldPass, inOrder } from '../../console/operator/data/held-pass.ts';
import { fileRows, listedBetween, sizeText } from '../../console/operator/files/file-rows.ts';
import { paceWords, rateOf } from '../../console/operator/files/transfer-pace.ts';
import { fieldWords } from '../../console/operator/parts/arguments.ts';
import { inputFields, pairsOf, runOf } from '../../console/operator/parts/procedure-fields.ts';
import { filterWords } from '../../console/operator/passes/rule-words.ts';
import {
  comparison,
  durationMs,
  offsetAt,
  proposedId,
  slackOf,
  slackWords,
  startOf,
} from '../../console/operator/passes/schedule-words.ts';
import { barsOf, lanesOf, neighbour, passAt, timeAt } from '../../console/operator/passes/timeline-layout.ts';
import {
  broughtIntoSight,
  ticksOf,
  timelineRange,
  zoomedTimeline,
} from '../../console/operator/passes/timeline-range.ts';
import type { MissionView } from '../../contract/mission-view.ts';
import type { ProcedureView } from '../../contract/procedure.ts';
import type { Schedule } from '../../contract/schedule.ts';

const AT = Date.parse('2026-03-01T12:00:00.000Z');
const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;

/** A pass of ten minutes that begins so many minutes behind `AT`. */
function pass(minute: number, station = 'kiruna', more: object = {}) {
  const moment = (of: number): string => new Date(AT + of * MINUTE).toISOString();
  return heldPass({
    pass: {
      id: `${station}-${minute}`,
      target: 'sat1',
      station,
      aos: moment(minute),
      los: moment(minute + 10),
      max_elevation: '20 deg',
      source: 'fds',
      status: 'predicted',
      ...more,
    },
  });
}

describe('the timeline', () => {
  const sight = { from: AT, to: AT + DAY, width: 1_440 };
  const passes = inOrder([
    pass(300),
    pass(100, 'santiago'),
    pass(0),
    pass(300, 'santiago'),
    pass(-5),
    pass(2_000),
  ]);
  const lanes = lanesOf(passes, 'station');

  it('has a lane for each station, without what is cancelled, and bars of what is in sight alone', () => {
    const cancelled = pass(50, 'svalbard', { status: 'cancelled' });
    expect(lanesOf([...passes, cancelled], 'station').map(({ name }) => name)).toEqual([
      'kiruna',
      'santiago',
    ]);
    expect(lanesOf(passes, 'target').map(({ passes: own }) => own.length)).toEqual([6]);
    expect(barsOf(lanes[0]!, sight).map(({ x, width }) => [x, width])).toEqual([
      [0, 5],
      [0, 10],
      [300, 10],
    ]);
    expect(between(passes, AT, AT + DAY).length).toBe(5);
  });

  it('draws no more bars than the screen has dots, whatever the number of passes', () => {
    const many = lanesOf(
      Array.from({ length: 20_000 }, (_, n) => pass(n * 26)),
      'station',
    )[0]!;
    const year = { from: AT, to: AT + 366 * DAY, width: 1_440 };
    const bars = barsOf(many, year);
    expect(bars.length).toBeLessThanOrEqual(1_440 / 3 + 1);
    expect(bars.reduce((sum, { more }) => sum + 1 + more, 0)).toBe(20_000);
    expect(barsOf(many, { from: AT + DAY, to: AT + DAY + 60 * MINUTE, width: 1_440 }).length).toBe(2);
  });

  it('finds the pass under the pointer, and the time', () => {
    expect(passAt(lanes[0]!, 303, sight)?.view.pass.id).toBe('kiruna-300');
    expect(passAt(lanes[0]!, 314, sight)?.view.pass.id).toBe('kiruna-300');
    expect(passAt(lanes[0]!, 330, sight)).toBeUndefined();
    expect(timeAt(60, sight)).toBe(AT + 60 * MINUTE);
  });

  it('goes through every pass by keyboard, also two that begin together', () => {
    const later: string[] = [];
    let at = neighbour(lanes, undefined, 'later', AT - 6 * MINUTE);
    for (let n = 0; n < 7; n += 1) {
      later.push(at!.view.pass.id);
      at = neighbour(lanes, at, 'later', AT);
    }
    expect(later).toEqual([
      'kiruna--5',
      'kiruna-0',
      'santiago-100',
      'kiruna-300',
      'santiago-300',
      'kiruna-2000',
      'kiruna-2000',
    ]);
    const earlier: string[] = [];
    for (let n = 0; n < 6; n += 1) {
      earlier.push(at!.view.pass.id);
      at = neighbour(lanes, at, 'earlier', AT);
    }
    expect(earlier).toEqual([...later.slice(0, 6)].reverse());
    expect(neighbour(lanes, lanes[0]!.passes[2], 'down', AT)?.view.pass.id).toBe('santiago-300');
    expect(neighbour(lanes, lanes[0]!.passes[2], 'up', AT)?.view.pass.id).toBe('kiruna-300');
    expect(neighbour([], undefined, 'later', AT)).toBeUndefined();
  });

  it('shows what its address says, and what cannot be meant as the next day', () => {
    expect(timelineRange({}, AT).isLive).toBe(true);
    expect(
      timelineRange({ from: 'x', to: '2026-01-01' }, AT).to - timelineRange({ span: 'y' }, AT).from,
    ).toBe(DAY);
    const query = { from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z' };
    const range = timelineRange(query, AT);
    expect([range.to - range.from, range.isLive]).toEqual([DAY, false]);
    const { from, to } = zoomedTimeline(range, 0.5, range.from);
    expect([from, to]).toEqual(['2026-03-01T00:00:00.000Z', '2026-03-01T12:00:00.000Z']);
    expect(broughtIntoSight(range, AT)).toBeUndefined();
    expect(broughtIntoSight(range, AT + DAY)).toMatchObject({ from: '2026-03-02T00:00:00.000Z' });
  });

  it('has as many marks on its axis as there is room for, over two hours as over two years', () => {
    for (const span of [120 * MINUTE, DAY, 30 * DAY, 731 * DAY])
      expect(ticksOf({ from: AT, to: AT + span }, 12).length).toBeLessThanOrEqual(13);
    expect(ticksOf({ from: AT, to: AT + DAY }, 12).find(({ isDay }) => isDay)?.text).toBe('03-02');
  });
});

describe('a schedule', () => {
  const schedule = {
    id: 's1',
    pass: 'kiruna-0',
    target: 'sat1',
    fire_at: new Date(AT + 2 * MINUTE).toISOString(),
    max_duration: '95 s',
    ir: 'a'.repeat(64),
  } as Schedule;

  it('says how long before LOS it is over, or how far behind', () => {
    expect(slackWords(slackOf(schedule, pass(0)))).toBe('over at the latest 6 min 25 s before LOS');
    expect(slackWords(slackOf({ ...schedule, max_duration: '9 min' }, pass(0)))).toBe(
      'may last until 1 min 0 s after LOS',
    );
    expect([durationMs('1.5 min'), durationMs('244 s'), durationMs('soon')]).toEqual([
      90_000,
      244_000,
      undefined,
    ]);
  });

  it('compares what was validated with what is now, to the millisecond', () => {
    const { aos, los } = pass(0).view.pass;
    const validation = { by: 'eve', at: aos, pass: 'kiruna-0', aos, los, ir: schedule.ir };
    expect(comparison({ ...schedule, validation }, pass(0)).some(({ differs }) => differs)).toBe(false);
    const moved = pass(0, 'kiruna', { aos: new Date(AT + 1).toISOString() });
    expect(
      comparison({ ...schedule, validation, ir: 'b'.repeat(64) }, moved)
        .filter(({ differs }) => differs)
        .map(({ what }) => what),
    ).toEqual(['AOS', 'resolved run']);
    expect(comparison(schedule, undefined).map(({ validated }) => validated)).toEqual(['–', '–', '–', '–']);
  });

  it('is proposed under a name that is free, and starts where it was dropped', () => {
    expect(proposedId('a b', 'p1', new Set())).toBe('a-b-p1');
    expect(proposedId('a', 'p1', new Set(['a-p1', 'a-p1-2']))).toBe('a-p1-3');
    expect([startOf(''), startOf('0 s'), startOf('30'), startOf(' 2 min ')]).toEqual([
      'aos',
      'aos',
      'aos + 30 s',
      'aos + 2 min',
    ]);
    expect(offsetAt(AT + 61_400, pass(0))).toBe('61 s');
    expect(offsetAt(AT + DAY, pass(0))).toBe('600 s');
  });

  it('of a rule: what it matches in words', () => {
    expect(filterWords(undefined)).toBe('every pass');
    expect(filterWords({ min_elevation: '20 deg', uplink: false, station: 'kiruna', status: 'booked' })).toBe(
      'booked, at least 20 deg, over kiruna, without uplink',
    );
  });
});

describe('a transfer', () => {
  const transfer = {
    size: 10_000,
    received: [
      [0, 2_000],
      [4_000, 5_000],
    ] as [number, number][],
  };
  const points = [
    { at: AT - 10_000, bytes: 1_000 },
    { at: AT - 5_000, bytes: 2_000 },
    { at: AT, bytes: 3_000 },
  ];

  it('says its rate from what came, and whether it ends before LOS at that rate', () => {
    expect(rateOf(points, AT)).toBe(1_600);
    expect(paceWords(transfer, points, undefined, AT)).toBe(
      '1.6 kbit/s over the last 10 s · 35 s left at that rate · no pass in progress',
    );
    expect(paceWords(transfer, points, { station: 'kiruna', los: AT + MINUTE }, AT)).toContain(
      'ends 25 s before LOS 12:01:00Z over kiruna',
    );
    expect(paceWords(transfer, points, { station: 'kiruna', los: AT + 30_000 }, AT)).toContain(
      '△ would end 5.0 s after LOS',
    );
  });

  it('says no rate where nothing came lately, or too little was seen', () => {
    expect(paceWords(transfer, points, undefined, AT + 21_000)).toBe('nothing is coming at the moment');
    expect(rateOf(points.slice(2), AT)).toBeUndefined();
    expect(
      rateOf(
        [
          { at: AT, bytes: 5 },
          { at: AT + 9_000, bytes: 5 },
        ],
        AT + 9_000,
      ),
    ).toBeUndefined();
  });

  it('draws parts that are alike as one, and leaves out what is missing', () => {
    expect(stretches([0, 1, 1, 0.5, 0, 1])).toEqual([
      { x: 1, width: 2, share: 1 },
      { x: 3, width: 1, share: 0.5 },
      { x: 5, width: 1, share: 1 },
    ]);
  });
});

describe('a directory', () => {
  const files = [
    { id: '2', size: 10, generation: 1, listed_at: '2026-03-01T11:00:00Z', checksum: 'abcd' },
    { id: '7', size: 99, generation: 2, listed_at: '2026-03-01T12:00:00Z', transfer: 'VERIFIED' },
    { id: '9' },
  ];

  it('is found in, put in order, and tied to the download of the current generation', () => {
    const live = (generation: number, direction: 'download' | 'upload') => ({
      key: '',
      points: [],
      transfer: { target: 'sat1', file_id: '7', generation, direction } as never,
    });
    const transfers = [live(1, 'download'), live(2, 'upload'), live(2, 'download')];
    const ids = (find: string, order: string): string[] =>
      fileRows(files, transfers, find, order).map(({ file }) => file.id);
    expect(ids('', 'identifier')).toEqual(['2', '7', '9']);
    expect(ids('', 'largest first')).toEqual(['7', '2', '9']);
    expect(ids('', 'listed longest ago')).toEqual(['9', '2', '7']);
    expect(ids('ABCD', '')).toEqual(['2']);
    expect(ids('verified', '')).toEqual(['7']);
    expect(fileRows(files, transfers, '', '')[1]!.transfer).toBe(transfers[2]);
    expect(fileRows(files, transfers, '', '')[0]!.transfer).toBeUndefined();
  });

  it('says when it was listed, of the newest and the oldest entry', () => {
    expect(listedBetween(files)).toEqual({ newest: AT, oldest: AT - 60 * MINUTE });
    expect(listedBetween([{ id: '1' }])).toBeUndefined();
    expect([sizeText(2_048), sizeText(183_500), sizeText(4e6)]).toEqual([
      '2,048 B',
      '183,500 B (184 kB)',
      '4,000,000 B (4.00 MB)',
    ]);
  });
});

describe('inputs of a procedure', () => {
  const shoot = {
    procedure: 'shoot',
    library: 'ops@1.0.0',
    draft: false,
    roles: { sat: 'cubesat@1.0.0' },
    inputs: [
      { name: 'exposure', type: 'f64', unit: 'ms', required: false, default: 20 },
      { name: 'count', type: 'u8', required: true },
    ],
    uploads: [],
  } satisfies ProcedureView;
  const inner = { ...shoot, procedure: 'inner', inputs: [{ ...shoot.inputs[0]!, unit: 's' }] };
  const mission = { procedures: [shoot, inner] } as unknown as MissionView;

  it('go with the unit of their field, and are read with it', () => {
    const run = runOf(shoot, { exposure: '30', count: '2', ' target of sat': 'sat1' });
    expect(run.inputs).toEqual({ exposure: '30 ms', count: 2 });
    expect(runOf(shoot, { exposure: '1 s' }).inputs).toEqual({ exposure: '1 s' });
    expect(pairsOf(run, mission)).toBe('sat=sat1, exposure=30 ms, count=2');
    expect(pairsOf({ ...run, inputs: { exposure: 30 } }, mission)).toBe('sat=sat1, exposure=30 ms');
    expect(pairsOf({ ...run, inputs: { exposure: 30 } }, undefined)).toBe('sat=sat1, exposure=30');
    const [exposure, count] = inputFields(shoot);
    expect([fieldWords(exposure!), fieldWords(count!)]).toEqual([
      'number in ms; default 20 ms',
      'whole number',
    ]);
  });

  it('are in the units of the procedure in which they are, called ones included', () => {
    const call = {
      path: 'go',
      kind: 'call',
      if_failed: false,
      procedure: 'inner',
      library: 'ops@1.0.0',
    } as const;
    const units = unitsIn(mission, shoot, [call]);
    expect([undefined, 'first', 'go', 'go/first'].map((path) => units(path)('exposure'))).toEqual([
      'ms',
      'ms',
      'ms',
      's',
    ]);
    expect(unitsIn(mission, undefined, [])('first')('exposure')).toBeUndefined();
    expect(units('first')('unheard_of')).toBeUndefined();
  });
});
