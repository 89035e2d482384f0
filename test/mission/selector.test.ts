/** Selectors of measures: the three forms, what they name, and anything else. */

import { describe, expect, it } from 'vitest';
import { matchOrdinals, parseSelectors } from '../../mission/selector.ts';
import { loadedPlatform } from './documents.ts';

const platform = loadedPlatform({
  components: {
    battery: { instances: ['1', '2'], measures: { voltage: { type: 'f64' }, mode: { type: 'u8' } } },
    obc: { measures: { mode: { type: 'u8' } } },
  },
});

function keys(text: string): string[] {
  const selectors = parseSelectors(text);
  if (!selectors.ok) throw new Error(JSON.stringify(selectors.faults));
  return [...matchOrdinals(platform, selectors.value)].map((ordinal) => platform.measures[ordinal]!.key);
}

describe('selectors', () => {
  it('MC-VAL-013 name one measure, a measure of every instance, or a measure of any component', () => {
    expect(keys('battery[2].voltage')).toEqual(['battery[2].voltage']);
    expect(keys('battery.voltage')).toEqual(['battery[1].voltage', 'battery[2].voltage']);
    expect(keys('mode')).toEqual(['battery[1].mode', 'battery[2].mode', 'obc.mode']);
    expect(keys('obc.mode,battery[1].voltage')).toEqual(['battery[1].voltage', 'obc.mode']);
  });

  it('a measure named by several selectors is there once', () => {
    expect(keys('mode,obc.mode,mode')).toEqual(['battery[1].mode', 'battery[2].mode', 'obc.mode']);
  });

  it('MC-VAL-014 no selector names every measure', () => {
    expect(keys('')).toHaveLength(5);
  });

  it('MC-VAL-018 a well-formed selector that names nothing is accepted and names nothing', () => {
    expect(keys('nothing')).toEqual([]);
    expect(keys('battery[3].voltage,obc[1].mode,obc.voltage')).toEqual([]);
    expect(keys('nothing,obc.mode')).toEqual(['obc.mode']);
  });

  it.each([
    ',',
    'a,',
    'a b',
    ' a',
    'a.',
    '.a',
    'a[.b',
    'a[].b',
    'a[1]',
    '[1].a',
    'a.b.c',
    'a.b[1]',
    '1a',
    'a*',
    'ä',
  ])('MC-VAL-015 %j is refused', (text) => {
    const result = parseSelectors(text);
    expect(result.ok ? [] : result.faults.map(({ code }) => code)).toContain('api::invalid-measure');
  });

  it('every bad selector is said', () => {
    const result = parseSelectors('a..b,mode,c d');
    expect(result.ok ? [] : result.faults.map(({ message }) => message)).toEqual([
      '"a..b" is not a measure selector',
      '"c d" is not a measure selector',
    ]);
  });
});
