/** What the page of the bench computes without a browser. */

import { describe, expect, it } from 'vitest';
import { CalmRange, colourOf, columnsOf, shareOf, ticksOf } from '../../console/bench/decibel-scale.ts';
import { emissionWords } from '../../console/bench/emission.ts';
import { ratePicture } from '../../console/bench/error-rates.ts';
import { readFeed } from '../../console/bench/feed-message.ts';
import { commandOf, isMeasurement, mayEmit } from '../../console/bench/fix-command.ts';
import { hexLines } from '../../console/bench/hex-lines.ts';
import { decadesAround, decadesOf, decadeText, rateText } from '../../console/bench/log-axis.ts';
import { pageWords } from '../../console/bench/page-words.ts';
import { decibels, hertzOf, megahertz, percent, scaled } from '../../console/bench/quantity.ts';
import { bannerOf } from '../../console/bench/report-words.ts';
import { seriesOf } from '../../console/bench/sample-series.ts';
import { idealPoints } from '../../console/bench/symbols.ts';
import { transmitBody } from '../../console/bench/transmit-body.ts';
import { SLOT_MS, WaterfallRows } from '../../console/bench/waterfall-rows.ts';
import type { ChainState, ChainTarget } from '../../contract/bench/chain.ts';
import { encodeFeed, type FeedMessage, markDropped } from '../../contract/bench/feed.ts';
import type { Report, SweepPoint } from '../../contract/bench/run.ts';
import { bitErrorRate } from '../../radio/modulation.ts';

describe('a message of a feed', () => {
  const message: FeedMessage = {
    seq: 4_000_000_000,
    dropped: 0,
    uptimeMs: 12_345,
    floats: Float32Array.of(-90.5, 0, 1.25),
    description: { kind: 'spectrum', source: 'stub', center_hz: 2.4e9, span_hz: 4e6 },
  };
  const bytesOf = (bytes: Uint8Array): ArrayBuffer => bytes.slice().buffer as ArrayBuffer;

  it('is read as it was written, with what was left out for this watcher', () => {
    expect(readFeed(bytesOf(encodeFeed(message)))).toEqual(message);
    expect(readFeed(bytesOf(markDropped(encodeFeed(message), 7)))).toEqual({ ...message, dropped: 7 });
  });

  it('may have no numbers', () => {
    const empty = { ...message, floats: new Float32Array(0) };
    expect(readFeed(bytesOf(encodeFeed(empty)))).toEqual(empty);
  });

  it('is nothing when it is cut, of another version, or no text stands where the description should', () => {
    const whole = encodeFeed(message);
    for (const length of [0, 15, 16, 40, whole.length - 1]) {
      expect(readFeed(bytesOf(whole.subarray(0, length)))).toBeUndefined();
    }
    const newer = whole.slice();
    newer[0] = 2;
    expect(readFeed(bytesOf(newer))).toBeUndefined();
    const broken = whole.slice();
    broken[16] = 0x7d;
    expect(readFeed(bytesOf(broken))).toBeUndefined();
  });
});

describe('fix-command.F1 the command of a condition', () => {
  it.each([
    ['POST /api/v1/chain/recover', { method: 'POST', path: '/api/v1/chain/recover' }],
    [
      'POST /api/v1/radio/gain {"tx_gain_db": -89}',
      { method: 'POST', path: '/api/v1/radio/gain', body: { tx_gain_db: -89 } },
    ],
    ['POST /api/v1/profiles/qpsk-1m/apply', { method: 'POST', path: '/api/v1/profiles/qpsk-1m/apply' }],
  ])('%s is one', (text, command) => {
    expect(commandOf(text)).toEqual(command);
  });

  it.each([
    'check the board: power, cable, iiod',
    'POST /api/v1/profiles/{name}/apply',
    'POST /api/v1/radio/gain {tx: }',
    'POST https://elsewhere/api/v1/chain/recover',
    'POST /v1/runs',
    'GET /api/v1/chain',
    '',
  ])('%s is none', (text) => {
    expect(commandOf(text)).toBeUndefined();
  });

  it('is known to need a payload', () => {
    expect(isMeasurement(commandOf('POST /api/v1/datapath/measure')!)).toBe(true);
    expect(isMeasurement(commandOf('POST /api/v1/datapath/enable')!)).toBe(false);
  });

  it.each<[string, ChainTarget, boolean]>([
    ['POST /api/v1/chain/condition {"target": "air"}', 'pl-loopback', true],
    ['POST /api/v1/chain/condition', 'pl-loopback', true],
    ['POST /api/v1/chain/condition {"target": "pl-loopback"}', 'air', false],
    ['POST /api/v1/radio/gain {"tx_gain_db": -10}', 'air', true],
    ['POST /api/v1/radio/gain {"tx_gain_db": -89}', 'air', false],
    ['POST /api/v1/radio/gain {"tx_gain_db": -10}', 'device-loopback', false],
    ['POST /api/v1/radio/gain {"rx_gain_db": 40}', 'air', false],
    ['POST /api/v1/datapath/enable', 'air', true],
    ['POST /api/v1/datapath/enable', 'pl-loopback', false],
    ['POST /api/v1/profiles/qpsk-1m/apply', 'air', false],
    ['POST /api/v1/chain/recover', 'air', false],
  ])('%s for %s may emit: %s', (text, target, may) => {
    expect(mayEmit(commandOf(text)!, target)).toBe(may);
  });
});

describe('page-words.W1 a refusal in the words of the page', () => {
  it.each([
    ['apply one with POST /api/v1/profiles/qpsk-1m/apply', 'apply one with “Apply” beside the profile'],
    [
      'condition the chain to air first: POST /api/v1/chain/condition {"target": "air"}',
      'condition the chain to air first: “Condition to” in the chain',
    ],
    [
      'something has to be on the air: GET /api/v1/chain names the step',
      'something has to be on the air: the chain names the step',
    ],
    ['rx_gain_db: is 72; the range is -3 to 71 dB', 'receive gain: is 72; the range is -3 to 71 dB'],
    ['/center_frequency_hz must be integer', 'centre must be integer'],
    ['packets[2].header.src: is 40', 'packet 3.header.src: is 40'],
    ['register one with PUT /api/v1/profiles/{name}', 'register one with PUT /api/v1/profiles/{name}'],
  ])('%s', (text, words) => {
    expect(pageWords(text)).toBe(words);
  });
});

describe('bytes of a block', () => {
  it('are lines of offset, hexadecimal and text', () => {
    expect(hexLines('48656c6c6f00', 4)).toBe('0000  48 65 6c 6c  Hell\n0004  6f 00        o.');
    expect(hexLines('48656c6c6f00', 4, 1)).toBe('0000  48 65 6c 6c  Hell');
    expect(hexLines('', 16)).toBe('');
  });
});

describe('emission.M1 where the signal goes', () => {
  const state = (over: Partial<ChainState>, ...unmet: string[]): ChainState => ({
    target: 'air',
    current_target: 'air',
    reaches_the_connector: true,
    stage: 'ready',
    ready: true,
    next: null,
    conditions: ['tx.level', 'tx.egress'].map((key) => ({
      key,
      stage: 'egress',
      source: 'board',
      required: '',
      observed: '',
      breaks: '',
      fix: '',
      verdict: unmet.includes(key) ? 'unmet' : 'met',
    })),
    ...over,
  });
  const inside = { current_target: 'pl-loopback', reaches_the_connector: false } as const;

  it('is loud while it is emitted, calm while it stays inside, and loud while nobody knows', () => {
    expect(emissionWords(state({}), -10).words).toBe('Emits at the connector');
    expect(emissionWords(state({}), -10).tone).toBe('bad');
    expect(emissionWords(state({}, 'tx.egress'), -10).tone).toBe('warn');
    expect(emissionWords(state(inside), -10).tone).toBe('ok');
    expect(emissionWords(state(inside), -10).words).toContain('inside the logic');
    expect(emissionWords(state({ current_target: null, reaches_the_connector: false }), -10).tone).toBe(
      'bad',
    );
  });

  it('is calmer where the transmitter is muted', () => {
    expect(emissionWords(state({}), -89)).toMatchObject({
      tone: 'warn',
      words: expect.stringContaining('−89 dB'),
    });
    expect(emissionWords(state({}), -79).tone).toBe('bad');
  });

  it('emission.M1 a level that is unreadable counts as emitting, on every path', () => {
    expect(emissionWords(state({}), undefined)).toMatchObject({
      tone: 'bad',
      words: expect.stringContaining('cannot be read'),
    });
    const conditions = state(inside).conditions.map((condition) =>
      condition.key === 'tx.level' ? { ...condition, verdict: 'unknown' as const } : condition,
    );
    for (const target of ['pl-loopback', 'device-loopback'] as const)
      expect(
        emissionWords(state({ ...inside, current_target: target, conditions }), undefined),
      ).toMatchObject({
        tone: 'bad',
        words: expect.stringContaining('cannot be read'),
      });
  });

  it('emission.M2 another tool that feeds the transmitter emits behind a closed egress too, unless it is muted', () => {
    const foreign = (level: number) => {
      const { conditions } = state({}, 'tx.egress');
      const tone = { ...conditions[0]!, key: 'dma.tone', verdict: 'unmet' as const };
      return emissionWords(state({ conditions: [...conditions, tone] }), level);
    };
    expect(foreign(-10)).toMatchObject({ tone: 'bad', words: 'Another tool emits at the connector' });
    expect(foreign(-89)).toMatchObject({ tone: 'warn', words: expect.stringContaining('muted') });
  });

  it('is loud where a loopback is not muted', () => {
    const leaks = emissionWords(state({ ...inside, current_target: 'device-loopback' }, 'tx.level'), -10);
    expect(leaks.tone).toBe('bad');
    expect(leaks.words).toContain('inside the AD9361, but not muted');
  });
});

describe('decibel-scale.D1 the range of levels', () => {
  const noise = (from: number, to: number): Float32Array =>
    Float32Array.from({ length: 100 }, (_, n) => from + ((to - from) * n) / 99);

  const shownBy = (range: CalmRange, levels: Float32Array, at: number) => {
    const isOther = range.takes(levels, at);
    return isOther ? range.shown : 'as before';
  };

  it('shows everything in whole tens, at least forty decibels', () => {
    expect(shownBy(new CalmRange(), noise(-96, -31), 0)).toEqual({ low: -100, high: -20 });
    const narrow = new CalmRange();
    narrow.takes(noise(-90, -88), 0);
    expect(narrow.shown!.high - narrow.shown!.low).toBe(40);
  });

  it('stays while levels move a little, grows at once, and shrinks when much was empty for long', () => {
    const range = new CalmRange();
    range.takes(noise(-96, -31), 0);
    expect(shownBy(range, noise(-92, -36), 1_000)).toBe('as before');
    expect(shownBy(range, noise(-96, -12), 2_000)).toEqual({ low: -100, high: 0 });
    expect(shownBy(range, noise(-96, -58), 30_000)).toBe('as before');
    expect(shownBy(range, noise(-96, -58), 42_000)).toBe('as before');
    expect(shownBy(range, noise(-96, -58), 42_001)).toEqual({ low: -100, high: -50 });
  });

  it('keeps its other end when it grows at one', () => {
    const range = new CalmRange();
    range.takes(noise(-96, -31), 0);
    expect(shownBy(range, noise(-130, -60), 1_000)).toEqual({ low: -140, high: -20 });
  });

  it('takes no notice of what is no number, and stays where there is none', () => {
    const range = new CalmRange();
    expect(range.takes(Float32Array.of(Number.NaN, Number.NEGATIVE_INFINITY), 0)).toBe(false);
    expect(range.shown).toBeUndefined();
    range.takes(noise(-96, -31), 0);
    expect(shownBy(range, new Float32Array(0), 60_000)).toBe('as before');
    const shown = { low: -100, high: -20 };
    expect(shareOf(Number.NaN, shown)).toBe(0);
    expect([-120, -100, -60, -20, 0].map((level) => shareOf(level, shown))).toEqual([0, 0, 0.5, 1, 1]);
  });

  it('is coloured the brighter the stronger, and labelled from end to end', () => {
    const light = (share: number): number => colourOf(share).reduce((sum, channel) => sum + channel, 0);
    const steps = Array.from({ length: 21 }, (_, n) => light(n / 20));
    expect(steps).toEqual(steps.toSorted((one, other) => one - other));
    expect(ticksOf({ low: -100, high: -60 })).toEqual([-100, -90, -80, -70, -60]);
    expect(ticksOf({ low: -100, high: 0 })).toEqual([-100, -80, -60, -40, -20, 0]);
  });

  it('keeps a narrow carrier when many bins become few columns, and fills more columns than bins', () => {
    const bins = new Float32Array(1024).fill(-90);
    bins[700] = -20;
    expect(Math.max(...columnsOf(bins, 100))).toBe(-20);
    expect([...columnsOf(Float32Array.of(1, 2), 4)]).toEqual([1, 1, 2, 2]);
  });
});

describe('waterfall-rows.T1 the rows of the waterfall', () => {
  it('are the strongest of each slot, newest first, and empty where nothing came', () => {
    const rows = new WaterfallRows(4);
    expect(rows.add(Float32Array.of(1, 5), 0)).toBe(1);
    expect(rows.add(Float32Array.of(3, 2), SLOT_MS / 2)).toBe(0);
    expect(rows.add(Float32Array.of(7, 7), 3 * SLOT_MS)).toBe(3);
    expect(rows.rows.map((row) => row && [...row])).toEqual([[7, 7], undefined, undefined, [3, 5]]);
  });

  it('are bounded after any length of silence, and begin again with another number of columns', () => {
    const rows = new WaterfallRows(4);
    rows.add(Float32Array.of(1), 0);
    expect(rows.pass(1e9)).toBe(4);
    expect(rows.rows).toHaveLength(4);
    rows.add(Float32Array.of(1), 1e9);
    rows.add(Float32Array.of(2, 2), 1e9);
    expect([...rows.rows[0]!]).toEqual([2, 2]);
  });

  it('do not follow a clock that jumps back', () => {
    const rows = new WaterfallRows(4);
    rows.add(Float32Array.of(1), 10 * SLOT_MS);
    expect(rows.pass(0)).toBe(0);
    expect(rows.rows).toHaveLength(1);
  });
});

describe('an axis of error rates', () => {
  it('has whole decades around what is shown, at least two', () => {
    expect(decadesAround([2e-5, 0.03, 0, Number.NaN])).toEqual([1e-5, 0.1]);
    expect(decadesAround([0.5])).toEqual([0.01, 1]);
    expect(decadesAround([])).toEqual([1e-6, 1]);
    expect(decadesOf([1e-3, 1]).map(decadeText)).toEqual(['10⁻³', '10⁻²', '10⁻¹', '10⁰']);
    expect(decadeText(0.02)).toBe('');
  });

  it.each([
    [0, '0'],
    [2.34e-4, '2.3·10⁻⁴'],
    [0.0312, '0.031'],
    [1e-10, '1.0·10⁻¹⁰'],
  ])('words %f as %s', (rate, text) => {
    expect(rateText(rate)).toBe(text);
  });
});

describe('error-rates.W1 the waterfall of a sweep', () => {
  const point = (x: number, over: Partial<SweepPoint> = {}): SweepPoint => ({
    x,
    ratio: 0.99,
    bits: 1e6,
    ber: 1e-3,
    ber_low: 8e-4,
    ber_high: 1.2e-3,
    ebn0_db: x + 36,
    theory: 1e-3,
    ...over,
  });

  it('is drawn over Eb/N0 from the weakest on, with the theory of the modulation between', () => {
    const picture = ratePicture([point(-30), point(-34)], 'qpsk');
    expect(picture.over).toBe('ebn0');
    expect(picture.points.map(({ x }) => x)).toEqual([2, 6]);
    expect(picture.theory.at(0)).toEqual([2, bitErrorRate('qpsk', 2)]);
    expect(picture.theory.at(-1)![0]).toBe(6);
  });

  it('shows a point without errors as a bound, with room below it', () => {
    const clean = point(-20, { ber: 0, ber_low: 0, ber_high: 3e-6 });
    const picture = ratePicture([point(-30), clean], 'qpsk');
    expect(picture.points.at(-1)).toMatchObject({ isBound: true, rate: 3e-6, high: 3e-6 });
    expect(picture.points.every(({ rate, low }) => rate > 0 && low > 0)).toBe(true);
    expect(picture.decades[0]).toBeLessThanOrEqual(3e-7);
  });

  it('is drawn over what was varied where one Eb/N0 is missing, with the theory the points report', () => {
    const { ebn0_db: _, ...untold } = point(-30);
    const picture = ratePicture([untold, point(-34, { theory: 2e-2 })], 'qpsk');
    expect(picture.over).toBe('varied');
    expect(picture.theory).toEqual([
      [-34, 2e-2],
      [-30, 1e-3],
    ]);
    expect(ratePicture([], undefined)).toMatchObject({ points: [], theory: [] });
  });
});

describe('quantities', () => {
  it('are written to the hertz, in their unit, and whole only when whole', () => {
    expect(megahertz(2_400_000_001).replaceAll('\u202f', ' ')).toBe('2 400.000 001 MHz');
    expect(megahertz(437_500_000)).toBe('437.500 000 MHz');
    expect([scaled(115_200, 'Bd'), scaled(4e6, 'S/s'), scaled(-12, 'Hz')]).toEqual([
      '115.2 kBd',
      '4 MS/s',
      '−12 Hz',
    ]);
    expect([decibels(-10), decibels(-0.25, 2)]).toEqual(['−10 dB', '−0.25 dB']);
    expect([percent(1), percent(0.999_999_9), percent(0)]).toEqual(['100 %', '99.999 %', '0.000 %']);
  });

  it.each([
    ['2400', 2_400_000_000],
    ['2 400.000500', 2_400_000_500],
    ['437,5', 437_500_000],
    ['', undefined],
    ['2.4e3', undefined],
    ['-1', undefined],
    ['1.0000001', undefined],
  ])('typed as %j are %s', (typed, hertz) => {
    expect(hertzOf(typed)).toBe(hertz);
  });
});

describe('the form of a transmission', () => {
  const form = {
    ...({ protocol: 'raw', hex: 'dead beef', fields: {}, checked: false } as const),
    ...({ framing: 'stream', slotLength: '256', force: false } as const),
  };

  it('is a body with one packet a line', () => {
    expect(transmitBody({ ...form, hex: 'DE:AD\n\nbe ef\n' })).toEqual({
      body: {
        packets: [
          { protocol: 'raw', payload_hex: 'DEAD' },
          { protocol: 'raw', payload_hex: 'beef' },
        ],
        framing: { mode: 'stream' },
      },
    });
  });

  it('leaves empty fields out, and gives what is no number to the service to name', () => {
    const csp = { ...form, protocol: 'csp', fields: { src: '1', dst: 'x', pri: '' }, checked: true } as const;
    expect(transmitBody({ ...csp, framing: 'slot', force: true })).toEqual({
      body: {
        packets: [{ protocol: 'csp', header: { src: 1, dst: 'x', crc32: true }, payload_hex: 'deadbeef' }],
        framing: { mode: 'slot', slot_len: 256 },
        force: true,
      },
    });
    const ccsds = { ...form, protocol: 'ccsds', fields: { apid: '100', type: 'tc' }, checked: true } as const;
    expect(transmitBody(ccsds)).toMatchObject({
      body: { packets: [{ protocol: 'ccsds', header: { apid: 100, type: 'tc' }, crc16: true }] },
    });
  });

  it.each([
    ['', 'There is no packet'],
    ['dead\nxyz', 'Line 2 is not hexadecimal.'],
    ['abc', 'Line 1 has half a byte at its end.'],
  ])('%j is refused where it is wrong', (hex, words) => {
    expect(transmitBody({ ...form, hex })).toEqual({ fault: expect.stringContaining(words) });
  });
});

describe('the banner of a report', () => {
  const report = (over: Partial<Report>): Report => ({
    run_id: 'x',
    scenario_name: 'fade',
    status: 'passed',
    started_at: '2026-01-01T00:00:00.000Z',
    has_report: true,
    verified: true,
    aborted: false,
    events: [],
    assertions: [],
    metric_samples: [],
    source: 'stub',
    ...over,
  });

  it('is a pass only when something read the link and the timeline was completed', () => {
    expect(bannerOf(report({}))).toMatchObject({ tone: 'ok', title: '✓ Passed, verified on the link' });
    expect(bannerOf(report({ verified: false })).text).toContain('this is not a pass');
    expect(bannerOf(report({ aborted: true, status: 'failed' })).text).toContain('Neither verdict applies');
    expect(bannerOf(report({ aborted: true, status: 'cancelled' })).title).toContain('cancelled');
    expect(bannerOf(report({ has_report: false })).title).toContain('No report');
  });

  it('says where the numbers come from', () => {
    expect(bannerOf(report({ source: 'mixed' })).text).toContain('partly made by the model');
    expect(bannerOf(report({ source: 'none', verified: false })).text).toContain('no numbers');
  });
});

describe('samples as series', () => {
  it('are one for each metric, with booleans as steps and gaps where the board could not tell', () => {
    const sample = (elapsed_ms: number, name: string, value: number | boolean | null) => ({
      elapsed_ms,
      name,
      value,
      source: 'stub' as const,
    });
    const [ratio, lock] = seriesOf([
      sample(0, 'rx.ratio', 0.5),
      sample(250, 'rx.carrier_lock', true),
      sample(500, 'rx.ratio', null),
      sample(750, 'rx.carrier_lock', false),
    ]);
    expect(ratio).toEqual({
      name: 'rx.ratio',
      seconds: [0, 0.5],
      values: [0.5, null],
      isBoolean: false,
      last: null,
    });
    expect(lock).toMatchObject({ values: [1, 0], isBoolean: true, last: false });
  });
});

describe('ideal points', () => {
  it('are as many as the modulation has, on the circle', () => {
    expect(idealPoints('bpsk').map(([i]) => Math.round(i))).toEqual([1, -1]);
    expect(idealPoints('8psk')).toHaveLength(8);
    for (const [i, q] of idealPoints('qpsk')) expect(Math.abs(i)).toBeCloseTo(Math.abs(q), 9);
  });
});
