/**
 * A row of the benchmark: what the service does, beside the ceilings it is held against, measured in turns in the same
 * run. Knows no processes and no bus; the rows do.
 *
 * R1. Contenders take turns (A B C A B C …), so that a machine shared with others treats all of them alike; the first
 *     turns of each warm it up and are not counted.
 * R2. A figure whose generator used more than `GENERATOR_CORES` is not valid: it measured the generator.
 */

import { ratioOf, type Spread, spreadOf } from './spread.ts';

export interface Settings {
  readonly rounds: number;
  /** How long a contender is measured in one round. */
  readonly roundMs: number;
  /** Only that everything runs: numbers of entities and watchers are small too. */
  readonly quick: boolean;
}

/** What one contender did in one round. */
export interface Turn {
  /** Operations (or whatever the row counts) per second. */
  readonly rate: number;
  /** Processor time of the processes under measure per operation, without bus and generator; NaN: not measured. */
  readonly cpuUs: number;
  /** Processor time of the bus server per operation. */
  readonly busUs?: number;
  /** Cores the generator used. */
  readonly generator?: number;
  readonly p50Ms?: number;
  readonly p99Ms?: number;
}

export interface Contender {
  readonly name: string;
  turn(): Promise<Turn>;
}

/** What a row is to reach: a share of a ceiling, or a rate of its own. */
export type Aim =
  | { readonly share: number; readonly of: string; readonly by: 'processor time' | 'rate' | 'latency' }
  | { readonly rate: number };

export interface Comparison {
  readonly row: string;
  /** What is counted: `requests/s`, `samples/s`, … */
  readonly unit: string;
  readonly note?: string;
  /** The service first, then its ceilings. */
  readonly contenders: readonly Contender[];
  readonly aim?: Aim;
}

export interface Figure {
  readonly name: string;
  readonly rate: Spread;
  readonly cpuUs: Spread;
  readonly busUs?: Spread;
  readonly p50Ms?: Spread;
  readonly p99Ms?: Spread;
  /** The most any counted round used. */
  readonly generator?: number;
  readonly valid: boolean;
  /** What the service reaches of this ceiling, 1: as good. Absent for the service itself. */
  readonly share?: { readonly rate: Spread; readonly cpu: Spread; readonly p50?: Spread };
}

export interface Result {
  readonly row: string;
  readonly unit: string;
  readonly note?: string;
  readonly figures: readonly Figure[];
  readonly aim?: Aim;
  readonly met?: boolean;
}

export interface Row {
  readonly name: string;
  run(settings: Settings): Promise<Result[]>;
}

export const GENERATOR_CORES = 0.9;
/** Compilation takes seconds on a shared machine, and its threads count as work of the process. */
const WARM_UP = 2;

/** Runs the contenders in turns (R1). */
export async function compare(comparison: Comparison, { rounds, quick }: Settings): Promise<Result> {
  const { row, unit, note, contenders, aim } = comparison;
  const turns = new Map<Contender, Turn[]>(contenders.map((contender) => [contender, []]));
  for (let round = quick ? 0 : -WARM_UP; round < rounds; round += 1) {
    for (const contender of contenders) {
      const turn = await contender.turn();
      if (round >= 0) turns.get(contender)!.push(turn);
    }
  }
  const ours = turns.get(contenders[0]!)!;
  const figures = contenders.map((contender, n) =>
    figureOf(contender.name, turns.get(contender)!, n === 0 ? undefined : ours),
  );
  return {
    row,
    unit,
    ...(note !== undefined && { note }),
    figures,
    ...(aim !== undefined && { aim, met: isMet(aim, figures) }),
  };
}

function figureOf(name: string, turns: readonly Turn[], ours: readonly Turn[] | undefined): Figure {
  const optional = (key: 'busUs' | 'p50Ms' | 'p99Ms'): Partial<Record<typeof key, Spread>> => {
    const numbers = turns.flatMap((turn) => turn[key] ?? []);
    return numbers.length === 0 ? {} : { [key]: spreadOf(numbers) };
  };
  const generators = turns.flatMap(({ generator }) => generator ?? []);
  const generator = Math.max(...generators);
  return {
    name,
    rate: spreadOf(turns.map(({ rate }) => rate)),
    cpuUs: spreadOf(turns.map(({ cpuUs }) => cpuUs)),
    ...optional('busUs'),
    ...optional('p50Ms'),
    ...optional('p99Ms'),
    ...(generators.length > 0 && { generator }),
    valid: generators.length === 0 || generator <= GENERATOR_CORES,
    ...(ours !== undefined && { share: sharesOf(ours, turns) }),
  };
}

function sharesOf(ours: readonly Turn[], ceiling: readonly Turn[]): NonNullable<Figure['share']> {
  const column = (turns: readonly Turn[], key: 'rate' | 'cpuUs' | 'p50Ms'): number[] =>
    turns.map((turn) => turn[key] ?? Number.NaN);
  const p50 = ratioOf(column(ceiling, 'p50Ms'), column(ours, 'p50Ms'));
  return {
    rate: ratioOf(column(ours, 'rate'), column(ceiling, 'rate')),
    cpu: ratioOf(column(ceiling, 'cpuUs'), column(ours, 'cpuUs')),
    ...(Number.isFinite(p50.median) && { p50 }),
  };
}

function isMet(aim: Aim, figures: readonly Figure[]): boolean {
  if ('rate' in aim) return figures[0]!.rate.median >= aim.rate;
  const share = figures.find(({ name }) => name === aim.of)?.share;
  const reached = { 'processor time': share?.cpu, rate: share?.rate, latency: share?.p50 }[aim.by];
  return (reached?.median ?? 0) >= aim.share;
}
