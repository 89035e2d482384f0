/**
 * The past of the plotted measures: asked for when the part of time or the choice of measures changes, a little
 * after the last change, and again from time to time while the axis moves with the time of the service.
 *
 * S1. An answer to an earlier question is dropped: what is shown is always of the choice that stands.
 */

import type { HistoryBuckets } from '../../../contract/history-view.ts';
import { later } from '../../browser-clock.ts';
import { ask } from '../../service.ts';
import { ServiceError } from '../../service-error.ts';
import type { LiveValues } from '../data/live-values.ts';
import { counted } from '../parts/counted.ts';
import { type Track, trackOf } from './plot-data.ts';
import type { TimeRange } from './plot-time.ts';

const SETTLE_MS = 150;
const AGAIN_MS = 20_000;
/** Buckets of each measure; a screen has no more columns that one can tell apart. */
const POINTS = 600;

export interface PlotChoice {
  readonly target: string;
  readonly names: readonly string[];
  readonly range: TimeRange;
}

interface Answer {
  readonly realtime: HistoryBuckets;
  readonly deferred: HistoryBuckets;
}

export class PlotSource {
  readonly #changed: () => void;
  #cancel: () => void = () => undefined;
  #abort = new AbortController();
  #asked = '';
  #answer: Answer | undefined;
  refusal: ServiceError | undefined;
  isAsking = false;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** What is to be shown; asks when it differs from what was asked for last. */
  choose(choice: PlotChoice): void {
    const { target, names, range } = choice;
    const key = [
      target,
      names.join(),
      range.isLive ? range.to - range.from : `${range.from} ${range.to}`,
    ].join(' ');
    if (key === this.#asked) return;
    const isOther =
      !key.startsWith(`${target} ${names.join()} `) || !this.#asked.startsWith(`${target} ${names.join()} `);
    if (isOther) this.#answer = undefined;
    this.#asked = key;
    this.#cancel();
    if (names.length > 0) this.#cancel = later(() => void this.#ask(choice), SETTLE_MS);
  }

  stop(): void {
    this.#cancel();
    this.#abort.abort();
    this.#asked = '';
  }

  /** What the archive could not say of this time, in words; empty where nothing is missing. */
  get reservations(): string[] {
    if (this.#answer === undefined) return [];
    const { archive, gaps, damaged, thinned } = this.#answer.realtime;
    return [
      gaps.length > 0
        ? `${counted(gaps.length, 'gap')}: something was lost before it was archived (hatched)`
        : [],
      damaged.length > 0
        ? `${counted(damaged.length, 'damaged segment of the archive is', 'damaged segments of the archive are')} missing`
        : [],
      thinned ? 'older samples are deleted; their one-minute buckets are shown' : [],
      archive.trouble === undefined ? [] : `the archive writes nothing at the moment: ${archive.trouble}`,
    ].flat();
  }

  /** Gaps of the archive, s since 1970. */
  get gaps(): readonly (readonly [number, number])[] {
    return (this.#answer?.realtime.gaps ?? []).map(({ from, to }) => [
      Date.parse(from) / 1000,
      Date.parse(to) / 1000,
    ]);
  }

  /** One for each measure, and one more for each that has deferred samples. */
  tracks(live: LiveValues | undefined): Track[] {
    if (this.#answer === undefined) return [];
    const { realtime, deferred } = this.#answer;
    const now = realtime.measures.map((measure) =>
      trackOf(measure, false, realtime.width_ms, live?.byName.get(measure.name)?.tail),
    );
    const later_ = deferred.measures
      .filter(({ buckets }) => buckets.length > 0)
      .map((measure) => trackOf(measure, true, deferred.width_ms, undefined));
    return [...now, ...later_];
  }

  async #ask(choice: PlotChoice): Promise<void> {
    this.#abort.abort();
    const abort = new AbortController();
    this.#abort = abort;
    this.isAsking = true;
    this.#changed();
    try {
      const read = (delivery: string): Promise<HistoryBuckets> =>
        ask<HistoryBuckets>(historyPath(choice, delivery), abort.signal);
      const [realtime, deferred] = await Promise.all([read('realtime'), read('deferred')]);
      if (abort.signal.aborted) return;
      this.#answer = { realtime, deferred };
      this.refusal = undefined;
    } catch (error) {
      if (abort.signal.aborted) return;
      if (!(error instanceof ServiceError)) throw error;
      this.refusal = error;
    }
    this.isAsking = false;
    this.#changed();
    if (choice.range.isLive) this.#cancel = later(() => this.#again(choice), AGAIN_MS);
  }

  #again(choice: PlotChoice): void {
    const by = AGAIN_MS;
    const { from, to } = choice.range;
    void this.#ask({ ...choice, range: { from: from + by, to: to + by, isLive: true } });
  }
}

function historyPath({ target, names, range }: PlotChoice, delivery: string): string {
  const query = new URLSearchParams({
    measures: names.join(),
    from: new Date(range.from).toISOString(),
    to: new Date(range.to + 1).toISOString(),
    points: `${POINTS}`,
    delivery,
  });
  return `/v1/targets/${encodeURIComponent(target)}/values/history?${query}`;
}
