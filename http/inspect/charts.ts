/**
 * Charts with their layout, made once for each definition and kept: the layout of a chart takes a third of a second,
 * its drawing none.
 *
 * H1. The digest of the definition is part of the key: two builds of one version are two charts.
 * H2. What is kept is bounded (`CHART_LAYOUTS`); a layout that failed is not kept.
 * H3. One is laid out at a time, that asked for last first: pages ask ahead for every kind, and what somebody looks at
 *     is asked for after them. However many are asked for, they take one thread from the telecommands.
 */

import type { ChartView } from '../../contract/inspection.ts';
import type { ChartLayout } from '../../contract/inspector.ts';
import { CHART_LAYOUTS } from '../../contract/limits/inspect.ts';
import type { Clock } from '../../ports/clock.ts';
import { refuse } from '../errors.ts';
import type { Handled } from '../reply.ts';
import { LayoutLate, layOut } from './layout.ts';
import { answered, type Processes } from './processes.ts';

export class Charts {
  readonly #processes: Pick<Processes, 'askAll'>;
  readonly #clock: Clock;
  readonly #layOut: typeof layOut;
  readonly #kept = new Map<string, Promise<ChartLayout>>();
  readonly #waiting: (() => Promise<void>)[] = [];
  #isAtWork = false;

  constructor(processes: Pick<Processes, 'askAll'>, clock: Clock, how = layOut) {
    this.#processes = processes;
    this.#clock = clock;
    this.#layOut = how;
  }

  /**
   * The chart of a kind, of that version when one is asked for; refuses with `inspect::unknown-chart`, or with
   * `api::unavailable` where the machine is too busy to lay it out in time.
   */
  async of(kind: string, version: number | undefined): Promise<Handled<ChartLayout>> {
    const asked = await this.#processes.askAll<ChartView>('chart', { kind });
    const charts = answered(asked).map(({ value }) => value);
    const newest = charts.sort((one, other) => other.version - one.version);
    const chart = newest.find((each) => version === undefined || each.version === version);
    if (chart !== undefined) return this.#laidOut(chart).then((value) => ({ ok: true, value }), refuseLate);
    const what = version === undefined ? kind : `${kind} in version ${version}`;
    return refuse('inspect::unknown-chart', `no process has a chart of ${what}`, {
      help: 'GET /v1/inspect/tree lists the kinds each process runs.',
    });
  }

  #laidOut(chart: ChartView): Promise<ChartLayout> {
    const key = `${chart.kind}/${chart.version}/${chart.digest}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    const layout = this.#inTurn(() => this.#layOut(chart, this.#clock));
    this.#kept.set(key, layout);
    layout.catch(() => this.#kept.delete(key));
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > CHART_LAYOUTS) this.#kept.delete(oldest!);
    return layout;
  }

  /** H3 */
  #inTurn(work: () => Promise<ChartLayout>): Promise<ChartLayout> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => work().then(resolve, reject));
      if (!this.#isAtWork) void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#isAtWork = true;
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) await next();
    this.#isAtWork = false;
  }
}

function refuseLate(error: unknown): Handled<never> {
  if (!(error instanceof LayoutLate)) throw error;
  return refuse('api::unavailable', error.message, { help: 'Try again in a moment: the machine is busy.' });
}
