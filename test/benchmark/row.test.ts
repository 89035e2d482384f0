import { describe, expect, it } from 'vitest';
import { readArguments } from '../../benchmark/arguments.ts';
import { type Comparison, type Contender, compare, type Settings, type Turn } from '../../benchmark/row.ts';
import { percentile, ratioOf, spreadOf } from '../../benchmark/spread.ts';
import { tableOf } from '../../benchmark/table.ts';

const SETTINGS: Settings = { rounds: 3, roundMs: 1, quick: false };

/** Answers the given rates in turn, the last one again and again; says into `order` when it is asked. */
function contender(
  name: string,
  rates: readonly number[],
  order: string[],
  more: Partial<Turn> = {},
): Contender {
  let turns = 0;
  return {
    name,
    async turn() {
      order.push(name);
      const rate = rates[Math.min(turns, rates.length - 1)]!;
      turns += 1;
      return { rate, cpuUs: 1_000 / rate, ...more };
    },
  };
}

function comparison(contenders: readonly Contender[], aim?: Comparison['aim']): Comparison {
  return { row: 'row', unit: 'operations/s', contenders, ...(aim !== undefined && { aim }) };
}

describe('a row of the benchmark', () => {
  it('row.R1 lets the contenders take turns and does not count the first ones', async () => {
    const order: string[] = [];
    const ours = contender('ours', [1, 1, 100], order);
    const result = await compare(comparison([ours, contender('bare', [200], order)]), SETTINGS);
    expect(order.join(' ')).toBe('ours bare ours bare ours bare ours bare ours bare');
    expect(result.figures[0]?.rate).toEqual({ median: 100, least: 100, most: 100 });
  });

  it('row.R2 calls a figure invalid whose generator had no room left', async () => {
    const busy = contender('busy', [1], [], { generator: 0.95 });
    const free = contender('free', [1], [], { generator: 0.5 });
    const result = await compare(comparison([busy, free]), SETTINGS);
    expect(result.figures.map(({ valid }) => valid)).toEqual([false, true]);
    expect(tableOf([result])).toContain('busy (INVALID)');
  });

  it('spread.S1 takes the ratio of rounds that followed each other, not of medians', () => {
    expect(ratioOf([10, 20, 30], [20, 40, 60])).toEqual({ median: 0.5, least: 0.5, most: 0.5 });
    expect(ratioOf([1, 100, 1], [2, 100, 4]).median).toBe(0.5);
  });

  it.each([
    ['a share by rate', { share: 0.5, of: 'bare', by: 'rate' }, true],
    ['a share by rate that is not reached', { share: 0.6, of: 'bare', by: 'rate' }, false],
    ['a share by processor time', { share: 0.5, of: 'bare', by: 'processor time' }, true],
    ['a rate', { rate: 100 }, true],
    ['a rate that is not reached', { rate: 101 }, false],
  ] as const)('judges %s', async (_what, aim, met) => {
    const pair = [contender('ours', [100], []), contender('bare', [200], [])];
    const result = await compare(comparison(pair, aim), SETTINGS);
    expect(result.met).toBe(met);
    expect(tableOf([result])).toContain(met ? 'met' : 'MISSED');
  });
});

describe('numbers of rounds', () => {
  it('have a median between two middle ones', () => {
    expect(spreadOf([4, 1, 3, 2])).toEqual({ median: 2.5, least: 1, most: 4 });
  });

  it('have percentiles', () => {
    const numbers = Array.from({ length: 100 }, (_, n) => n);
    expect([percentile(numbers, 0.5), percentile(numbers, 0.99)]).toEqual([50, 99]);
  });
});

describe('the command line', () => {
  it('takes a row, rounds and a file', () => {
    const args = readArguments(['--only', 'http,tc', '--rounds', '7', '--output', 'x.json']);
    expect(args).toMatchObject({ only: ['http', 'tc'], rounds: 7, output: 'x.json', quick: false });
  });

  it.each([['--rounds', '0'], ['--rounds', 'many'], ['--fast']])('refuses %s %s', (...args) => {
    expect(() => readArguments(args)).toThrow();
  });
});
