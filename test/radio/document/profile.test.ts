/** Profiles: what is valid, and how everything else is refused. */

import { describe, expect, it } from 'vitest';
import { Profile } from '../../../contract/bench/profile.ts';
import { refused } from '../../../contract/result.ts';
import { AD9361_BOUNDS } from '../../../radio/document/bounds.ts';
import { checkProfile, readProfile } from '../../../radio/document/profile.ts';
import { faultsOf, valid } from './demo-bench.ts';

const example = (Profile as unknown as { examples: [Profile] }).examples[0];
const least = {
  name: 'least',
  modulation: 'qpsk',
  symbol_rate_baud: 1_000_000,
  center_frequency_hz: 2_400_000_000,
  rx: { gain_db: 40 },
  tx: { gain_db: -10 },
};
const faults = (change: object) => faultsOf(checkProfile({ ...least, ...change }));

describe('a profile', () => {
  it('RB-PROF-013 is valid as in the example of the interface, and with as little as this', () => {
    expect(valid(checkProfile(example))).toEqual(example);
    expect(valid(checkProfile(least))).toEqual(least);
  });

  it('RB-PROF-006 is read from YAML and from JSON alike', () => {
    const yaml = [
      'name: least\nmodulation: qpsk\nsymbol_rate_baud: 1000000\ncenter_frequency_hz: 2400000000',
      'rx: { gain_db: 40 }\ntx: { gain_db: -10 }\n',
    ].join('\n');
    expect(valid(readProfile(yaml))).toEqual(least);
    expect(valid(readProfile(JSON.stringify(least)))).toEqual(least);
  });

  it('is refused with every fault at once, each as path and reason', () => {
    const wrong = {
      name: 'a b',
      modulation: 'qam',
      symbol_rate_baud: 0,
      center_frequency_hz: 1.5,
      colour: 'red',
      rx: { gain_db: 40, lna: true },
      tx: { gain_db: 3 },
    };
    expect(faultsOf(checkProfile(wrong)).map((fault) => fault.slice(0, fault.indexOf(': ')))).toEqual([
      'name',
      'modulation',
      'symbol_rate_baud',
      'center_frequency_hz',
      'colour',
      'rx.lna',
      'tx.gain_db',
    ]);
    expect(faultsOf(checkProfile(wrong))).toContainEqual(
      expect.stringContaining('tx.gain_db: is 3; the maximum is 0'),
    );
  });

  it.each(['active', 'validate'])('RB-GEN-011 cannot be called %s', (name) => {
    expect(faults({ name })).toEqual([expect.stringMatching(/^name: ".*" is a word of the interface/)]);
  });

  it('names the bound that its rate hits, by the function that is given', () => {
    expect(faults({ symbol_rate_baud: 1200 })).toEqual([
      expect.stringMatching(/^symbol_rate_baud: .*1200 Bd reaches 0\.6144 Msps, below the AD9361 minimum/),
    ]);
    const bounds = { ...AD9361_BOUNDS, rate: () => refused('too slow', 'too odd') };
    expect(faultsOf(checkProfile(least, bounds))).toEqual([
      'symbol_rate_baud: too slow',
      'symbol_rate_baud: too odd',
    ]);
  });

  it.each([
    [2_400_000_000, 71, 72, '-3 to 71 dB'],
    [437_000_000, 73, 74, '-1 to 73 dB'],
    [5_800_000_000, 62, 63, '-10 to 62 dB'],
  ])('at %i Hz has a receiver gain in the range of the band', (center_frequency_hz, most, above, range) => {
    expect(faults({ center_frequency_hz, rx: { gain_db: most } })).toEqual([]);
    expect(faults({ center_frequency_hz, rx: { gain_db: above } })).toEqual([
      `rx.gain_db: is ${above}; the range is ${range}`,
    ]);
  });

  it('has an attenuation in the steps of the part', () => {
    expect(faults({ tx: { gain_db: -10.25 } })).toEqual([]);
    expect(faults({ tx: { gain_db: -10.3 } })).toEqual(['tx.gain_db: is -10.3; the steps are 0.25 dB']);
  });

  it('has both oscillators within their range', () => {
    expect(faults({ center_frequency_hz: 50_000_000 })).toEqual([
      'center_frequency_hz: the oscillator of rx is 50000000; the range is 70000000 to 6000000000 Hz',
    ]);
    expect(faults({ center_frequency_hz: 40_000_000 })).toHaveLength(2);
  });

  it('has filters at least as wide as its signal, and as the part has them', () => {
    expect(faults({ rx: { gain_db: 40, bandwidth_hz: 1_350_000 } })).toEqual([]);
    expect(faults({ rx: { gain_db: 40, bandwidth_hz: 1_349_999 } })).toEqual([
      expect.stringMatching(/^rx\.bandwidth_hz: is 1349999; the signal is 1350000 Hz wide/),
    ]);
    expect(faults({ tx: { gain_db: 0, bandwidth_hz: 41_000_000 } })).toEqual([
      'tx.bandwidth_hz: is 41000000; the range is 200000 to 40000000 Hz',
    ]);
  });

  it('is moved digitally only as far as filter and sample rate carry the signal', () => {
    const offset = (bandwidth_hz: number, nco_offset_hz: number) =>
      faults({ rx: { gain_db: 40, bandwidth_hz, nco_offset_hz } });
    expect(offset(2_000_000, 325_000)).toEqual([]);
    expect(offset(2_000_000, -325_000)).toEqual([]);
    expect(offset(2_000_000, 325_001)).toEqual([
      expect.stringMatching(/^rx\.nco_offset_hz: .* by 325000 Hz/),
    ]);
    // 4 Msps are planned for 1 MBd: a wider filter does not help.
    expect(offset(20_000_000, 1_325_000)).toEqual([]);
    expect(offset(20_000_000, 1_325_001)).toHaveLength(1);
    // No filter is narrower than 200 kHz: a slow signal without a stated width may move within that.
    const slow = (nco_offset_hz: number) =>
      faults({ symbol_rate_baud: 9600, rx: { gain_db: 40, nco_offset_hz } });
    expect(slow(93_520)).toEqual([]);
    expect(slow(93_521)).toHaveLength(1);
  });

  it.each([
    [{ framing: { kind: 'slot', frame_len: 300 } }, /^framing\.frame_len: is 300; slots have to divide/],
    [{ modulation: 'dbpsk', framing: { kind: 'stream', differential: false } }, /^framing\.differential: /],
    [{ framing: { kind: 'stream', sync_word_hex: '1acffc1d00' } }, /^framing\.sync_word_hex: has 5 bytes/],
    [{ fec: { outer: 'none', interleave: 2 } }, /^fec\.interleave: is 2/],
  ])('has a coding that holds together: %o', (change, fault) => {
    expect(faults(change)).toEqual([expect.stringMatching(fault)]);
  });

  it('may have frames of any length in a stream', () => {
    expect(faults({ framing: { kind: 'stream', frame_len: 300 } })).toEqual([]);
  });

  it('uses a modulation that the board does', () => {
    const bounds = { ...AD9361_BOUNDS, modulations: ['bpsk'] as const };
    expect(faultsOf(checkProfile(least, bounds))).toEqual(['modulation: "qpsk" is not done; allowed: bpsk']);
  });
});

describe('text that is no document', () => {
  it('is refused with as many faults as people fix at once, each of a length they read', () => {
    const faults = faultsOf(readProfile('"'.repeat(2_000)));
    expect(faults).toHaveLength(101);
    expect(faults.at(-1)).toMatch(/^document: has \d+ more faults$/);
    const long = faultsOf(checkProfile({ ...least, modulation: 'x'.repeat(10_000) }));
    expect(long[0]!.length).toBeLessThan(500);
  });

  it.each([
    ['', /^document: is empty/],
    ['- a', /^document: is not a mapping/],
    ['a: 1\na: 2', /^line 2, column 1: the key "a" is given twice/],
    ['a: [', /^line 1, column \d+: /],
    ['a: 1\n---\nb: 2', /^document: there are 2/],
    ['[', /^line 1, /],
    ['['.repeat(200_000), /^document: nests deeper/],
    ['- '.repeat(100_000), /^document: nests deeper/],
    ['["]",'.repeat(40_000), /^document: nests deeper/],
    [`{"a": ${'{"b": '.repeat(40_000)}`, /^document: nests deeper/],
    [
      Array.from({ length: 400 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n'),
      /^document: nests deeper/,
    ],
    [`a: &a [x]\nb: [${'*a, '.repeat(200)}]`, /^document: cannot be read: Excessive alias count/],
    ['x'.repeat(2_000_000), /^document: has 2000000 characters/],
    [`a: [${'!a 1, '.repeat(251)}]`, /^document: has more than 250 tags, anchors and aliases/],
    ['&a '.repeat(251), /^document: has more than 250 tags, anchors and aliases/],
    [`a: [${', '.repeat(17)}]`, /^document: has more than 16 commas that separate nothing/],
    ['---\na: 1\n'.repeat(20), /^document: has more than 16 commas that separate nothing, or documents/],
    [`a: [${'1,'.repeat(60_000)}]`, /^document: has more than 100000 words and signs/],
  ])('is refused with the place: %#', (text, fault) => {
    const [first] = faultsOf(readProfile(text));
    expect(first).toMatch(fault);
  });

  it.each([
    ['comments', `# ${'!a &b *c , --- '.repeat(400)}\nname: x`],
    ['comments of their own', `${'# !a &b *c ,\n'.repeat(400)}name: x`],
    ['quoted texts', `name: "${'!a &b *c ,, --- '.repeat(400)}"`],
    ['folded texts', `name: >\n${'  !a &b *c\n  ,,\n  ---\n'.repeat(400)}`],
    ['plain texts', `name: a${' !a &b *c ,,'.repeat(400)}`],
    ['lists with a comma at their end', `name: [${'[1, 2, ], '.repeat(400)}]`],
  ])('radio/document/read.D4 counts no sign in %s', (_, text) => {
    expect(faultsOf(readProfile(text)).join(' ')).not.toContain('more than');
  });
});
