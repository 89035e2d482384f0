/** What the console computes without a browser: addresses, times, and many frames as one change. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { addressOf, entityOf, pathOf } from '../../console/inspect/address.ts';
import { changeOf } from '../../console/inspect/entity-change.ts';
import { duration } from '../../console/moment.ts';
import { actorFrame, entityView, snapshotFrame } from '../http/inspect/fake-process.ts';

describe('the address of an entity', () => {
  it.each([
    { kind: 'telecommand', id: 'sat1.01J0000000000000000000000A' },
    { kind: 'door', id: 'a/b #?%é' },
  ])('leads back to %j', (entity) => {
    expect(entityOf(addressOf(entity))).toEqual(entity);
    expect(pathOf(entity).split('/')).toHaveLength(6);
  });

  it.each(['', '#', '#door', '#door/', '#/x', '#a/b/c', '#door/%zz'])('names nothing in %j', (fragment) => {
    expect(entityOf(fragment)).toBeUndefined();
  });
});

describe('a length of time', () => {
  it.each([
    [0, '0.0 s'],
    [9_949, '9.9 s'],
    [59_999, '59 s'],
    [61_000, '1 min 1 s'],
    [7_200_000, '2 h 0 min'],
    [90_000_000, '1 d 1 h'],
    [-1_500, '-1.5 s'],
  ])('%i ms is %s', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });
});

describe('frames of one turn', () => {
  const view = (state: string) => entityView('x', 'p1', { state });

  it('are one change: the newest state with every transition on the way, each once', () => {
    const change = changeOf([
      actorFrame(view('a')),
      snapshotFrame(view('b'), { taken: ['1', '2'] }),
      snapshotFrame(view('c'), { taken: ['2', '3'], steps: 4 }),
    ]);
    expect([change?.view.state, change?.taken, change?.done]).toEqual(['c', ['1', '2', '3'], false]);
    expect(change?.events.map(({ type }) => type)).toEqual(['door.opened', 'door.opened (4 steps)']);
  });

  it('light a bounded number of transitions, the last ones', () => {
    const frames = Array.from({ length: 100 }, (_, n) => snapshotFrame(view('b'), { taken: [`${n}`] }));
    expect(changeOf(frames)?.taken).toEqual(['92', '93', '94', '95', '96', '97', '98', '99']);
  });

  it('say when it was the last', () => {
    const last = snapshotFrame(view('b'));
    expect(changeOf([{ ...last, snapshot: { ...last.snapshot, status: 'done' } }])?.done).toBe(true);
    expect(changeOf([])).toBeUndefined();
  });
});

describe('style.S1 the tokens of the look', () => {
  const css = readFileSync(new URL('../../console/style.css', import.meta.url), 'utf8');
  const light = tokensOf(css.slice(css.indexOf(':root {')));
  const dark = tokensOf(css.slice(css.indexOf(':root[data-theme="dark"]')));
  const system = tokensOf(css.slice(css.indexOf(':root:not([data-theme="light"])')));

  it('are the same for dark by choice and dark by the system', () => {
    expect(system).toEqual(dark);
  });

  const surfaces = ['bg', 'panel', 'raised'];
  const texts = ['text', 'muted', 'accent', 'ok', 'warn', 'bad'];
  const pairs = [
    ...surfaces.flatMap((surface) => texts.map((text) => [text, surface] as const)),
    ...['accent', 'ok', 'warn', 'bad'].map((tone) => [tone, `${tone}-soft`] as const),
    ...[
      ['text', 'accent-soft'],
      ['text', 'warn-soft'],
      ['muted', 'accent-soft'],
      ['on-accent', 'accent'],
      ['on-bad', 'bad'],
    ].map(([text, surface]) => [text!, surface!] as const),
  ];

  it.each(pairs)('%s on %s has 4.5 to 1, light and dark', (text, surface) => {
    expect(contrast(light[text]!, light[surface]!)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(dark[text]!, dark[surface]!)).toBeGreaterThanOrEqual(4.5);
  });

  it.each(['control', 'focus', 'accent'])('%s stands out 3 to 1 as a border', (border) => {
    for (const tokens of [light, dark]) {
      for (const surface of surfaces)
        expect(contrast(tokens[border]!, tokens[surface]!)).toBeGreaterThanOrEqual(3);
    }
  });
});

function tokensOf(block: string): Record<string, string> {
  const body = block.slice(block.indexOf('{'), block.indexOf('}'));
  return Object.fromEntries(
    [...body.matchAll(/--([a-z-]+): (#[0-9a-f]{6});/g)].map(([, name, colour]) => [name!, colour!]),
  );
}

/** WCAG 2.2, relative luminance. */
function contrast(one: string, two: string): number {
  const [lighter, darker] = [luminance(one), luminance(two)].sort((a, b) => b - a) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
