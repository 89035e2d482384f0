/** The table of current values, its lines, and what is written to the terminal for them. */

import { describe, expect, it } from 'vitest';
import { changeOf, keysIn } from '../../cli/screen.ts';
import { measuresByName, nameOf, ValuesTable, valueLine } from '../../cli/values-table.ts';
import type { CatalogueView } from '../../contract/catalogue.ts';
import type { CurrentValue, Sample } from '../../contract/value.ts';

const measure = { type: 'f64', derived: false };
const catalogue: CatalogueView = {
  platform: 'box@1.0.0',
  components: [
    {
      name: 'obc',
      instances: [],
      telecommands: [],
      measures: [
        { ...measure, name: 'mode', type: 'Mode' },
        { ...measure, name: 'uptime', unit: 's' },
      ],
    },
    {
      name: 'battery',
      instances: ['1', '2'],
      telecommands: [],
      measures: [{ ...measure, name: 'voltage', unit: 'V', soft: [6.8, 8.3], hard: [6.4, null] }],
    },
    { name: 'camera', instances: [], telecommands: [], measures: [{ ...measure, name: 'images' }] },
  ],
};
const NOW = Date.parse('2026-01-02T03:04:05Z');
const look = { width: 200, colour: false };
const at = (secondsAgo: number) => new Date(NOW - secondsAgo * 1_000).toISOString();
const value = (name: string, sampled: Sample['value'], more: Partial<Sample> = {}): CurrentValue => {
  const [, component, instance, measured] = /^(\w+)(?:\[(\w+)\])?\.(\w+)$/.exec(name)!;
  return {
    component: component!,
    ...(instance !== undefined && { instance }),
    measure: measured!,
    sample: { value: sampled, time: at(0), ground_time: at(0), link: 'uhf', delivery: 'realtime', ...more },
  };
};
function table(selectors: string, ...values: CurrentValue[]): string[] {
  const made = new ValuesTable(catalogue, selectors);
  for (const each of values) made.take(each);
  return made.lines(0, 100, NOW, look).map((line) => line.replace(/ +/g, ' '));
}

describe('the table', () => {
  it('values-table.T1 has a row for each measure of a component that spoke, in the order of the catalogue', () => {
    expect(table('', value('battery[2].voltage', 7.4), value('obc.uptime', 12))).toEqual([
      'obc.mode - never',
      'obc.uptime 12 s 0 s',
      'battery[1].voltage - V never',
      'battery[2].voltage 7.4 V 0 s',
    ]);
  });

  it('MC-FILE-004 has a row for each measure of a file that is known, with the unit of every file, and none before', () => {
    const size = { ...measure, name: 'size', type: 'u64', unit: 'B' };
    const files = { name: 'files', instances: [], telecommands: [], measures: [size] };
    const withFiles: CatalogueView = {
      ...catalogue,
      components: [...catalogue.components, files],
      files: { component: 'files', types: [], transfer: {} },
    };
    const made = new ValuesTable(withFiles, 'size');
    expect(made.lines(0, 100, NOW, look)).toEqual([]);
    for (const name of ['files[7].size', 'files[10].size']) made.take(value(name, 12));
    const lines = made.lines(0, 100, NOW, look).map((line) => line.replace(/ +/g, ' '));
    expect(lines).toEqual(['files[7].size 12 B 0 s', 'files[10].size 12 B 0 s']);
  });

  it('values-table.T1 has the rows that are asked for by name, received or not', () => {
    expect(table('images,battery[2].voltage')).toEqual([
      'battery[2].voltage - V never',
      'camera.images - never',
    ]);
  });

  it('gives a value that the catalogue does not have a row at the end', () => {
    expect(table('', value('obc.mode', 'SAFE'), value('new.thing', 1)).at(-1)).toBe('new.thing 1 0 s');
  });

  it.each<[Sample['value'], string]>([
    [7.4, 'battery[1].voltage 7.4 V 0 s'],
    [8.31, 'battery[1].voltage 8.31 V 0 s soft limit'],
    [6.79, 'battery[1].voltage 6.79 V 0 s soft limit'],
    [6.39, 'battery[1].voltage 6.39 V 0 s hard limit'],
    [null, 'battery[1].voltage ? V 0 s unknown'],
    [7.400000095367432, 'battery[1].voltage 7.4 V 0 s'],
  ])('values-table.T2 shows %s as %s', (sampled, line) => {
    expect(table('battery[1].voltage', value('battery[1].voltage', sampled))).toEqual([line]);
  });

  it('values-table.T2 says that a value is deferred', () => {
    const deferred = value('battery[1].voltage', 6.7, { delivery: 'deferred' });
    expect(table('battery[1].voltage', deferred)[0]).toMatch(/soft limit, deferred$/);
  });

  it.each([
    [-3, '0 s'],
    [59.9, '59 s'],
    [60, '1 min'],
    [3_599, '59 min'],
    [7_200, '2 h'],
    [200_000, '2 d'],
  ])('ages a sample of %d s ago: %s', (secondsAgo, age) => {
    const [line] = table('images', value('camera.images', 1, { ground_time: at(secondsAgo) }));
    expect(line).toBe(`camera.images 1 ${age}`);
  });

  it('values-table.T3 shows no control character of a spacecraft', () => {
    const evil = value('obc.mode', '\u001b[2J\u0007\n');
    expect(table('mode', evil)[0]).not.toMatch(/\p{Cc}/u);
    expect(valueLine(evil, undefined)).not.toMatch(/\p{Cc}/u);
  });

  it('values-table.T4 fits the terminal, and shows where it was cut', () => {
    const made = new ValuesTable(catalogue, '');
    made.take(value('battery[1].voltage', 6.1));
    for (const width of [10, 25, 40]) {
      const cut = { width, colour: false };
      for (const line of [made.heading(cut), ...made.lines(0, 9, NOW, cut)]) {
        expect(line.length).toBeLessThanOrEqual(width);
      }
      expect(made.lines(0, 1, NOW, cut)[0]!.endsWith('…')).toBe(true);
    }
    const long = table('mode', value('obc.mode', 'x'.repeat(500)))[0]!;
    expect(long).toMatch(/^obc\.mode x{19}… 0 s$/);
  });

  it('colours what is past its limits, and nothing where there is no colour', () => {
    const made = new ValuesTable(catalogue, 'voltage');
    made.take(value('battery[1].voltage', 6.1));
    const [coloured] = made.lines(0, 1, NOW, { width: 80, colour: true });
    expect([coloured?.slice(0, 5), coloured?.slice(-4)]).toEqual(['\u001b[31m', '\u001b[0m']);
    expect(made.lines(0, 1, NOW, { width: 80, colour: false })[0]).not.toContain('\u001b');
  });
});

it('a line of its own has the time, the name, the value and what is to be said of it', () => {
  const late = value('battery[2].voltage', 6.1, { delivery: 'deferred' });
  const measures = measuresByName(catalogue);
  expect(valueLine(late, measures.get(nameOf(late)))).toBe(
    '2026-01-02T03:04:05.000Z  battery[2].voltage  6.1 V  hard limit  deferred',
  );
});

describe('the screen', () => {
  it('screen.S2 writes only the rows that changed, each at its place', () => {
    expect(changeOf(['a', 'b', 'c'], ['a', 'x', 'c'], 3)).toBe('\u001b[2;1Hx\u001b[K');
    expect(changeOf(['a', 'b'], ['a', 'b'], 2)).toBe('');
  });

  it('screen.S2 never ends a line, and blanks what is no more', () => {
    const change = changeOf(['a', 'b', 'c'], ['d'], 3);
    expect(change).toBe('\u001b[1;1Hd\u001b[K\u001b[2;1H\u001b[K\u001b[3;1H\u001b[K');
    expect(change).not.toContain('\n');
  });

  it('draws every row of a terminal whose size has changed', () => {
    expect(changeOf([], ['a'], 2)).toBe('\u001b[1;1Ha\u001b[K\u001b[2;1H\u001b[K');
  });

  it('reports keys that come in one piece', () => {
    expect(keysIn('j\u001b[5~\u001b[Aq\u0003')).toEqual(['j', '\u001b[5~', '\u001b[A', 'q', '\u0003']);
    expect(keysIn('\u001b')).toEqual(['\u001b']);
  });
});
