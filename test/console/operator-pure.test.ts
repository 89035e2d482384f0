/** What the operator's console works out without a browser. */

import { describe, expect, it } from 'vitest';
import {
  addressOf,
  chartOf,
  fragmentOf,
  hrefOf,
  onPage,
  systemAddress,
  withQuery,
} from '../../console/operator/address.ts';
import { alarmRows } from '../../console/operator/alarms/alarm-rows.ts';
import type { LiveValue } from '../../console/operator/data/live-value.ts';
import { ServiceClock } from '../../console/operator/data/service-clock.ts';
import { found, type PaletteEntry } from '../../console/operator/frame/palette-entries.ts';
import { passInProgress, passWords } from '../../console/operator/frame/pass-words.ts';
import { fieldFault, fieldWords, sentValue } from '../../console/operator/parts/arguments.ts';
import { counted } from '../../console/operator/parts/counted.ts';
import { intervalWords, standingOf, valueText } from '../../console/operator/parts/limits.ts';
import { windowOf } from '../../console/operator/parts/row-window.ts';
import { inOrder } from '../../console/operator/runs/run-order.ts';
import { createDraft, maySend } from '../../console/operator/telecommands/draft.ts';
import { columnsOf, trackOf } from '../../console/operator/values/plot-data.ts';
import { panned, rangeOf, zoomed } from '../../console/operator/values/plot-time.ts';
import { sparkPoints, valueRows } from '../../console/operator/values/value-rows.ts';
import { ServiceError } from '../../console/service-error.ts';
import type { Alarm } from '../../contract/alarm.ts';
import type { RunSummary } from '../../contract/run.ts';

const AT = Date.parse('2026-03-01T12:00:00.000Z');

describe('an address', () => {
  it('comes back as it was written, whatever is in a name', () => {
    const address = onPage(addressOf(''), 'values', 'a/b c', {
      target: 'sat1',
      find: 'x&y=z#%',
      plot: 'a[1].b,c.d',
    });
    expect(addressOf(fragmentOf(address))).toEqual(address);
  });

  it('of the system page is that of the inspector, with the target before the entity', () => {
    const chart = chartOf('telecommand', 'sat 1.01J', 'sat 1');
    expect(chart).toBe('/inspect?target=sat+1#telecommand/sat%201.01J');
    const { search, hash } = new URL(chart, 'http://localhost');
    expect(hrefOf(systemAddress(search, hash))).toBe(chart);
    expect(hrefOf(systemAddress('', ''))).toBe('/inspect');
    expect(hrefOf(onPage(systemAddress(search, hash), 'values'))).toBe('/#/values?target=sat+1');
  });

  it('that is cut off or unknown still names a page', () => {
    expect(addressOf('#/nowhere').page).toBe('alarms');
    expect(addressOf('#/runs/%E0%A').selected).toBe('%E0%A');
    expect(fragmentOf(withQuery(addressOf('#/values?find=a&plot=b'), { find: '' }))).toBe('#/values?plot=b');
  });
});

describe('the clock of the service', () => {
  it('converges on the difference of the clocks from headers of whole seconds', () => {
    const clock = new ServiceClock(() => AT);
    const before = AT + 617;
    // Twelve minutes ahead, cut off to the second.
    for (let n = 0; n < 40; n += 1) {
      const arrived = before + n * 1_037;
      const header = new Date(Math.floor((arrived + 720_000) / 1000) * 1000).toUTCString();
      clock.take(header, arrived, arrived);
    }
    expect(Math.abs(clock.now() - AT - 720_000)).toBeLessThan(100);
    clock.take(null, before, before);
    clock.take('no date', before, before);
    expect(Math.abs(clock.now() - AT - 720_000)).toBeLessThan(100);
  });

  it('is that of the browser where both agree within the header', () => {
    const clock = new ServiceClock(() => AT);
    clock.take(new Date(Math.floor(AT / 1000) * 1000).toUTCString(), AT + 690, AT + 700);
    expect(clock.now()).toBe(AT);
  });

  it.each([
    ['forward', 3_600_000],
    ['back', -3_600_000],
  ])(
    'service-clock.C2 is right at the first answer behind a clock of the browser that was set %s',
    (_, set) => {
      let browser = AT;
      const clock = new ServiceClock(() => browser);
      const answer = (service: number): void =>
        clock.take(new Date(Math.floor(service / 1000) * 1000).toUTCString(), browser - 20, browser);
      for (let n = 0; n < 20; n += 1) {
        browser += 1_037;
        answer(browser + 720_000);
      }
      browser += set;
      answer(browser + 720_000 - set);
      expect(Math.abs(clock.now() - browser - 720_000 + set)).toBeLessThan(1_100);
    },
  );
});

describe('the palette', () => {
  const entries: PaletteEntry[] = ['obc.mode', 'battery.voltage', 'voltage.x'].map((name) => ({
    kind: 'measure',
    name,
    detail: 'd',
    to: '',
  }));
  it('finds what has every word, and what begins with the first one before the rest', () => {
    expect(found(entries, 'VOLT').map(({ name }) => name)).toEqual(['voltage.x', 'battery.voltage']);
    expect(found(entries, 'measure obc').map(({ name }) => name)).toEqual(['obc.mode']);
    expect(found(entries, 'nothing')).toEqual([]);
  });

  it('shows at most sixty of ten thousand', () => {
    const many = Array.from({ length: 10_000 }, (_, n) => ({ ...entries[0]!, name: `m${n}` }));
    expect(found(many, 'm').length).toBe(60);
    expect(found(many, '').length).toBe(60);
  });
});

describe('passes', () => {
  const pass = (aos: number, los: number, status: 'booked' | 'predicted') => ({
    pass: {
      id: 'p',
      target: 'sat1',
      station: 'kiruna',
      aos: new Date(AT + aos).toISOString(),
      los: new Date(AT + los).toISOString(),
      max_elevation: '20 deg',
      source: 'fds' as const,
      status,
    },
  });
  it('count down to AOS, then to LOS', () => {
    const words = (...passes: ReturnType<typeof pass>[]) => passWords(passes, AT, true);
    expect(words().text).toBe('no pass known');
    expect(passWords([], AT, false).text).toBe('passes not read yet');
    expect(words(pass(65_000, 600_000, 'predicted')).text).toBe('AOS kiruna in 1 min 5 s, not booked');
    expect(words(pass(-5_000, 60_000, 'booked'))).toEqual({
      text: 'In pass over kiruna: LOS in 1 min 0 s',
      tone: 'ok',
    });
  });

  it('that are not booked say so to their end, and give way to a booked one', () => {
    const [predicted, booked] = [pass(-60_000, 30_000, 'predicted'), pass(-5_000, 60_000, 'booked')];
    expect(passWords([predicted], AT, true)).toEqual({
      text: 'In pass over kiruna, not booked: LOS in 30 s',
      tone: '',
    });
    expect(passInProgress([predicted, booked, pass(5_000, 60_000, 'booked')], AT)).toBe(booked);
    expect(passInProgress([pass(5_000, 60_000, 'booked')], AT)).toBeUndefined();
    const now = pass(0, 60_000, 'booked');
    expect(passInProgress([now], AT)).toBe(now);
  });
});

describe('limits', () => {
  const limits = { soft: [6.8, 8.3] as [number, number], hard: [6.4, null] as [number, null], unit: 'V' };
  it('name the one that is crossed, the hard one first', () => {
    expect(standingOf(7, limits)).toEqual({ level: 'normal', crossed: '' });
    expect(standingOf(6.8, limits).level).toBe('normal');
    expect(standingOf(6.7, limits)).toEqual({ level: 'warning', crossed: 'below the soft minimum 6.8 V' });
    expect(standingOf(6.3, limits)).toEqual({ level: 'critical', crossed: 'below the hard minimum 6.4 V' });
    expect(standingOf(9, limits)).toEqual({ level: 'warning', crossed: 'above the soft maximum 8.3 V' });
    expect(standingOf('SAFE', limits).level).toBe('normal');
    expect(intervalWords([null, 3])).toBe('≤ 3');
    expect([intervalWords([6.8, 8.3], 'V'), intervalWords([0, null], 'degC')]).toEqual([
      '6.8 to 8.3 V',
      '≥ 0 degC',
    ]);
    expect(valueText(1 / 3)).toBe('0.3333333');
    // A clock on board in seconds.
    expect([1_456_789_012.3456, 12_345_678.5, -1_234_567.25].map(valueText)).toEqual([
      '1456789012.346',
      '12345678.5',
      '-1234567.25',
    ]);
    expect([1e300 / 3, Number.NaN, Number.POSITIVE_INFINITY].map(valueText)).toEqual([
      '3.3333333333333335e+299',
      'NaN',
      'Infinity',
    ]);
    expect(valueText(null)).toBe('unknown');
    expect(valueText('x'.repeat(500)).length).toBe(121);
  });

  it('limits.V1 is read as it was sent, whatever is in it that nobody sees or that turns it around', () => {
    expect(valueText('\u202e12.5 V\u202c')).toBe('\\u202e12.5 V\\u202c');
    expect(valueText('12\u200b3')).toBe('12\\u200b3');
    expect(valueText('ok\u0007')).toBe('ok\\u0007');
    expect(['two\nlines', 'Ада', 'می\u200cخواهم'].map(valueText)).toEqual([
      'two\nlines',
      'Ада',
      'می\u200cخواهم',
    ]);
  });
});

describe('alarms', () => {
  const alarm = (
    name: string,
    state: Alarm['record']['state'],
    more: Partial<Alarm['record']> = {},
  ): Alarm => ({
    target: 'sat1',
    component: 'obc',
    alarm: name,
    record: {
      previous: 'NORMAL',
      state,
      severity: 'warning',
      seq: 1,
      changed_at: '2026-03-01T12:00:00Z',
      ...more,
    },
  });
  it('stand in the order in which they need somebody, with the newest run of their reaction', () => {
    const rows = alarmRows(
      [
        alarm('acked', 'ACTIVE_ACK', { severity: 'critical' }),
        alarm('shelved', 'ACTIVE_UNACK', { severity: 'critical', shelved_until: '2026-03-01T13:00:00Z' }),
        alarm('warning', 'ACTIVE_UNACK'),
        alarm('critical', 'ACTIVE_UNACK', { severity: 'critical' }),
        alarm('cleared', 'CLEARED_UNACK'),
      ],
      [run('new', { by: 'alarm sat1.obc._.critical' }), run('old', { by: 'alarm sat1.obc._.critical' })],
      () => [],
    );
    expect(rows.map(({ alarm: { alarm: name } }) => name)).toEqual([
      'critical',
      'warning',
      'cleared',
      'acked',
      'shelved',
    ]);
    expect(rows[0]!.reaction?.run).toBe('new');
    expect(rows[0]!.path).toBe('obc.critical');
    expect(rows.map(({ canAcknowledge }) => canAcknowledge)).toEqual([true, true, true, false, true]);
  });
});

function run(name: string, more: Partial<RunSummary> = {}): RunSummary {
  return {
    run: name,
    procedure: 'p',
    suspended: false,
    environment: 'bench',
    targets: { sat: 'sat1' },
    ...more,
  };
}

describe('runs', () => {
  it('that wait come first, the nearest deadline before the others, and what has ended last', () => {
    const pending = { path: 'a', kind: 'ask' as const };
    const listed = inOrder([
      run('passed', { finished: true }),
      run('running'),
      run('failed', { finished: false, pending }),
      run('suspended', { suspended: true }),
      run('later', { pending: { ...pending, deadline: '2026-03-01T13:00:00Z' } }),
      run('soon', { pending: { ...pending, deadline: '2026-03-01T12:01:00Z' } }),
      run('whenever', { pending }),
    ]);
    expect(listed.map((each) => each.run)).toEqual([
      'soon',
      'later',
      'whenever',
      'suspended',
      'running',
      'passed',
      'failed',
    ]);
  });
});

it('one thing is counted as one', () => {
  expect(counted(1, 'alarm')).toBe('1 alarm');
  expect(counted(0, 'alarm')).toBe('0 alarms');
  expect(counted(2, 'pass', 'passes')).toBe('2 passes');
});

describe('a field', () => {
  const period = {
    name: 'period',
    type: 'u16',
    unit: 's',
    range: [10, 600] as [number, number],
    required: true,
  };
  it('takes a number in its unit, or one with a unit of its own, and says what is wrong with the rest', () => {
    expect(fieldWords(period)).toBe('whole number in s, 10 to 600');
    expect(fieldFault(period, '')).toBe('required');
    expect(fieldFault(period, '9')).toBe('at least 10 s');
    expect(fieldFault(period, '601')).toBe('at most 600 s');
    expect(fieldFault(period, '2 min')).toBeUndefined();
    expect(fieldFault(period, 'soon')).toBe('a number in s, or with its unit');
    expect(sentValue(period, ' 120 ')).toBe(120);
    expect(sentValue(period, '2 min')).toBe('2 min');
    expect(sentValue({ ...period, type: 'u64' }, '18446744073709551615')).toBe('18446744073709551615');
    expect(sentValue({ name: 'on', type: 'bool', required: false }, 'false')).toBe(false);
    expect(sentValue(period, '')).toBeUndefined();
  });
});

describe('a draft of a telecommand', () => {
  const asked = { target: 'sat1', telecommand: 'obc.reboot', args: {} };
  const reviewed = () => {
    const draft = createDraft();
    draft.trigger.begun({ of: 'sat1 obc.reboot', typed: {} });
    draft.trigger.checking({ asked, id: 'A' });
    draft.trigger.checked({ id: 'A' });
    return draft;
  };
  const stageOf = (draft: ReturnType<typeof createDraft>) => draft.getSnapshot().context.stage;

  it('goes back to the form when anything is changed after its review', () => {
    const draft = reviewed();
    expect(stageOf(draft)).toBe('review');
    draft.trigger.typed({ name: 'period', text: '7' });
    expect(stageOf(draft)).toBe('form');
    expect(draft.getSnapshot().context.id).toBe('');
    draft.trigger.sending();
    expect(stageOf(draft)).toBe('form');
  });

  it('keeps its identifier while the service does not answer, and takes no answer to an earlier dry run', () => {
    const draft = reviewed();
    draft.trigger.sending();
    draft.trigger.refused({ id: 'A', refusal: new ServiceError(0, []) });
    expect(stageOf(draft)).toBe('review');
    expect(draft.getSnapshot().context.id).toBe('A');
    draft.trigger.back();
    draft.trigger.checking({ asked, id: 'B' });
    draft.trigger.checked({ id: 'A' });
    expect(stageOf(draft)).toBe('checking');
  });

  it('telecommands/draft.D4 takes no answer to the telecommand before it', () => {
    const draft = reviewed();
    draft.trigger.sending();
    draft.trigger.begun({ of: 'sat1 obc.ping', typed: {} });
    draft.trigger.checking({ asked, id: 'B' });
    draft.trigger.checked({ id: 'B' });
    draft.trigger.sending();
    draft.trigger.sent({ id: 'A', duplicate: false });
    draft.trigger.refused({ id: 'A', refusal: new ServiceError(422, []) });
    expect(stageOf(draft)).toBe('sending');
    draft.trigger.sent({ id: 'B', duplicate: false });
    expect(stageOf(draft)).toBe('sent');
  });

  it('that cannot be resolved never comes to a review; one that could not be encoded does', () => {
    const draft = createDraft();
    draft.trigger.checking({ asked, id: 'A' });
    draft.trigger.checked({
      id: 'A',
      refusal: new ServiceError(422, [{ code: 'tc::out-of-range', message: 'm' }]),
    });
    expect(stageOf(draft)).toBe('form');
    draft.trigger.checking({ asked, id: 'C' });
    draft.trigger.checked({
      id: 'C',
      refusal: new ServiceError(503, [{ code: 'driver::timeout', message: 'm' }]),
    });
    expect(stageOf(draft)).toBe('review');
  });

  it('that is hazardous may be sent only by its whole name', () => {
    const draft = reviewed();
    const may = () => maySend(draft.getSnapshot().context, true);
    expect(may()).toBe(false);
    draft.trigger.named({ text: 'reboot' });
    expect(may()).toBe(false);
    draft.trigger.named({ text: 'obc.reboot ' });
    expect(may()).toBe(true);
    draft.trigger.sending();
    expect(may()).toBe(false);
  });
});

describe('the time axis', () => {
  it('moves with the service until it is moved by a person, and stays within its bounds', () => {
    const live = rangeOf({}, AT);
    expect(live).toEqual({ from: AT - 600_000, to: AT, isLive: true });
    const back = rangeOf(panned(live, -0.5), AT);
    expect(back).toEqual({ from: AT - 900_000, to: AT - 300_000, isLive: false });
    expect(rangeOf(zoomed(back, 2, back.from), AT).from).toBe(back.from);
    const least = rangeOf(zoomed(back, 1e-9), AT);
    expect(least.to - least.from).toBe(1_000);
    const most = rangeOf(zoomed(back, 1e9), AT);
    expect(most.to - most.from).toBeLessThanOrEqual(21 * 31_557_600_000);
    expect(rangeOf({ from: 'x', to: 'y', span: '7 d' }, AT).from).toBe(AT - 604_800_000);
  });
});

describe('what is plotted', () => {
  const bucket = (second: number, mean: number | null, more = {}) => {
    const time = new Date(AT + second * 1000).toISOString();
    return {
      time,
      n: mean === null ? 0 : 1,
      min: mean,
      max: mean,
      mean,
      first_time: time,
      last_time: time,
      last: mean,
      ...more,
    };
  };
  const measure = { name: 'a.b', component: 'a', measure: 'b', in_catalogue: true, unit: 'V' };
  const at = (second: number) => AT / 1000 + second;

  it('is broken where something was lost and where samples are silent for long', () => {
    const buckets = [0, 1, 2, 3, 20, 21].map((second) => bucket(second, second));
    const silent = trackOf({ ...measure, buckets }, false, 1_000, undefined);
    expect(silent.values).toEqual([0, 1, 2, 3, null, 20, 21]);
    const lost = trackOf(
      { ...measure, buckets: [bucket(0, 0), bucket(1, null, { lost: true }), bucket(2, 2)] },
      false,
      1_000,
      undefined,
    );
    expect(lost.values).toEqual([0, null, 2]);
  });

  it('goes on with live samples behind the archived ones, each once', () => {
    const track = trackOf({ ...measure, buckets: [bucket(0, 0), bucket(1, 1)] }, false, 1_000, {
      times: [at(0), at(1), at(2), at(3)],
      values: [0, 1, 2, 3],
    });
    expect(track.values).toEqual([0, 1, 2, 3]);
    expect(track.note).toBe('');
  });

  it('says why there is nothing to draw', () => {
    expect(trackOf({ ...measure, buckets: [] }, false, 1_000, undefined).note).toBe(
      'no samples in this time',
    );
    const text = trackOf(
      { ...measure, type: 'Mode', buckets: [bucket(0, null, { n: 1, last: 'SAFE' })] },
      false,
      1_000,
      undefined,
    );
    expect(text.note).toBe('Mode: listed, not drawn');
  });

  it('shares one column of times, in which what has no sample is no gap', () => {
    const one = trackOf({ ...measure, buckets: [bucket(0, 5), bucket(2, 7)] }, false, 1_000, undefined);
    const other = trackOf({ ...measure, name: 'c', buckets: [bucket(1, 6)] }, true, 1_000, undefined);
    expect(columnsOf([one, other])).toEqual({
      times: [at(0), at(1), at(2)],
      values: [
        [5, undefined, 7],
        [undefined, 6, undefined],
      ],
    });
  });
});

describe('the table of values', () => {
  const measures = ['a.fine', 'a.stale', 'a.low', 'a.never'].map((name) => ({
    name,
    type: 'f64',
    soft: [0, 10] as [number, number],
    derived: false,
  }));
  const catalogue = {
    platform: 'p',
    measures,
    byName: new Map(measures.map((each) => [each.name, each])),
    telecommands: [],
  };
  const live = (name: string, value: number, agoMs: number): readonly [string, LiveValue] =>
    [
      name,
      {
        name,
        sample: { value, time: '', ground_time: '', delivery: 'realtime' as const },
        groundAt: AT - agoMs,
        spark: [],
        tail: undefined,
      },
    ] as const;
  const values = new Map([
    live('a.fine', 5, 0),
    live('a.stale', 5, 61_000),
    live('a.low', -1, 0),
    live('files[7].size', 9, 0),
  ]);
  const choice = { find: '', abnormalFirst: false, staleAfterMs: 60_000 };

  it('has what the catalogue has and what came beside it, and finds by every word', () => {
    expect(valueRows(catalogue, values, choice, AT).map(({ name }) => name)).toEqual([
      'a.fine',
      'a.stale',
      'a.low',
      'a.never',
      'files[7].size',
    ]);
    expect(valueRows(catalogue, values, { ...choice, find: 'A. S' }, AT).map(({ name }) => name)).toEqual([
      'a.stale',
    ]);
  });

  it('has the abnormal first when asked, then the stale, then what never came', () => {
    const rows = valueRows(catalogue, values, { ...choice, abnormalFirst: true }, AT);
    expect(rows.map(({ name }) => name)).toEqual(['a.low', 'a.stale', 'a.never', 'a.fine', 'files[7].size']);
    expect(rows.map(({ isStale }) => isStale)).toEqual([false, true, false, false, false]);
  });

  it('draws only the rows in sight', () => {
    expect(windowOf(0, 600, 30, 5_000)).toEqual({ first: 0, shown: 28 });
    expect(windowOf(30_000, 600, 30, 5_000)).toEqual({ first: 996, shown: 28 });
    expect(windowOf(1e9, 600, 30, 5)).toEqual({ first: 0, shown: 5 });
    expect(windowOf(1e9, 600, 30, 100)).toEqual({ first: 72, shown: 28 });
    expect(windowOf(0, 600, 30, 0)).toEqual({ first: 0, shown: 0 });
    expect(sparkPoints([1, 1], 10, 4)).toBe('0.0,2.0 10.0,2.0');
    expect(sparkPoints([0, 2, 1], 10, 4)).toBe('0.0,4.0 5.0,0.0 10.0,2.0');
  });
});
