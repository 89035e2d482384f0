/**
 * Pictures and readings for eyes: made only while somebody watches, once for all who do. Not in the specification.
 *
 * E1. Pictures are made of the truth of a model in this process. A board behind an iiod gives no samples beside its
 *     blocks: there only readings are sent, and the pictures stay away.
 * E2. Readings are asked of the board one after the other: a slow board makes them fewer, never piles them up.
 */

import { encodeFeed, type FeedDescription, type FeedName } from '../../../contract/bench/feed.ts';
import { METRICS, type MetricName } from '../../../contract/bench/metric.ts';
import { FEED_RATE_HZ, FEED_READINGS_HZ } from '../../../contract/limits/bench.ts';
import type { BenchFeeds } from '../../../ports/bench.ts';
import type { Clock, Random, TimerHandle } from '../../../ports/clock.ts';
import type { Log } from '../../../ports/log.ts';
import { knownValue, observe } from '../../../radio/board/observed.ts';
import { periodogram } from '../../../radio/stub/periodogram.ts';
import type { StubBoard, StubTruth } from '../../../radio/stub/stub.ts';
import { constellation, errorVector, eye, spectrum } from '../../../radio/stub/waves.ts';
import { modelOf } from '../radio/attach.ts';
import type { Board } from '../radio/board.ts';

const SPECTRUM = { bins: 1024, averages: 8 };
const SYMBOLS = 512;
const EYE = { traces: 48, samplesPerSymbol: 16 };
/** Where symbols mean nothing: the modem is set to no modulation. */
const NO_MODULATION = 'bpsk';

type Watcher = (message: Uint8Array) => void;
type Picture = { readonly description: FeedDescription; readonly floats: Float32Array };

interface Feed {
  readonly watchers: Set<Watcher>;
  seq: number;
  timer: TimerHandle | undefined;
}

interface FeedsOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly startedAt: number;
  readonly board: () => Board | undefined;
  readonly sample: (
    names: readonly MetricName[],
  ) => Promise<Readonly<Partial<Record<MetricName, number | boolean | null>>>>;
}

export class Feeds implements BenchFeeds {
  readonly #options: FeedsOptions;
  readonly #feeds = new Map<FeedName, Feed>();

  constructor(options: FeedsOptions) {
    this.#options = options;
  }

  watch(name: FeedName, reported: Watcher): () => void {
    const feed = this.#feed(name);
    const watcher: Watcher = (message) => reported(message);
    feed.watchers.add(watcher);
    if (feed.timer === undefined) this.#schedule(name, feed, 0);
    return () => {
      feed.watchers.delete(watcher);
      if (feed.watchers.size === 0) this.#rest(feed);
    };
  }

  stop(): void {
    for (const feed of this.#feeds.values()) {
      feed.watchers.clear();
      this.#rest(feed);
    }
  }

  #feed(name: FeedName): Feed {
    const feed = this.#feeds.get(name) ?? { watchers: new Set<Watcher>(), seq: 0, timer: undefined };
    this.#feeds.set(name, feed);
    return feed;
  }

  #rest(feed: Feed): void {
    if (feed.timer !== undefined) this.#options.clock.clearTimeout(feed.timer);
    feed.timer = undefined;
  }

  #schedule(name: FeedName, feed: Feed, delayMs: number): void {
    feed.timer = this.#options.clock.setTimeout(() => void this.#turn(name, feed), delayMs);
  }

  async #turn(name: FeedName, feed: Feed): Promise<void> {
    const { timer } = feed;
    try {
      const picture = await this.#picture(name);
      if (picture !== undefined) this.#tell(feed, picture);
    } catch (error) {
      this.#options.log.error({ err: error, feed: name }, 'a feed failed');
    }
    // Another producer may have begun meanwhile, or nobody watches any more.
    if (feed.timer !== timer || feed.watchers.size === 0) return;
    this.#schedule(name, feed, 1000 / (name === 'metrics' ? FEED_READINGS_HZ : FEED_RATE_HZ));
  }

  #tell(feed: Feed, picture: Picture): void {
    const { clock, startedAt, log } = this.#options;
    feed.seq += 1;
    const uptimeMs = Math.max(0, Math.round(clock.now() - startedAt));
    const message = encodeFeed({ seq: feed.seq, dropped: 0, uptimeMs, ...picture });
    for (const watcher of feed.watchers) {
      try {
        watcher(message);
      } catch (error) {
        feed.watchers.delete(watcher);
        log.error({ err: error }, 'a watcher of a feed failed');
      }
    }
  }

  async #picture(name: FeedName): Promise<Picture | undefined> {
    const board = this.#options.board();
    if (board === undefined) return undefined;
    const { source } = board.context;
    if (name === 'metrics') {
      const values = await this.#options.sample(Object.keys(METRICS) as MetricName[]);
      return { description: { kind: 'metrics', source, values }, floats: new Float32Array(0) };
    }
    const model = modelOf(board.context);
    const truth = model?.truth();
    if (model === undefined || truth === undefined) return undefined;
    const { random } = this.#options;
    switch (name) {
      case 'spectrum': {
        const centre = await centreOf(board);
        const description = {
          kind: 'spectrum',
          source,
          center_hz: centre,
          span_hz: truth.sampleRate,
        } as const;
        return { description, floats: spectrumOf(model, truth, random) };
      }
      case 'constellation':
        return symbolPicture(truth, random);
      case 'eye': {
        const floats = eye(truth, EYE, random);
        const traces = floats.length === 0 ? 0 : EYE.traces;
        return {
          description: { kind: 'eye', source, samples_per_symbol: EYE.samplesPerSymbol, traces },
          floats,
        };
      }
    }
  }
}

/** Samples of a tool have no formula: their spectrum is that of what is received. */
function spectrumOf(model: StubBoard, truth: StubTruth, random: Random): Float32Array {
  const { bins, averages } = SPECTRUM;
  if (truth.source !== 'samples') return spectrum(truth, SPECTRUM, random);
  return periodogram(model.received(bins * averages), bins);
}

function symbolPicture(truth: StubTruth, random: Random): Picture {
  const modulation = truth.receiver.modulation ?? NO_MODULATION;
  const floats = constellation(truth, SYMBOLS, random);
  // Without a carrier the distance from the nearest symbol is of nothing that was sent.
  const evm = truth.carrier && floats.length > 0 ? { evm: errorVector(floats, modulation) } : {};
  return { description: { kind: 'constellation', source: 'stub', modulation, ...evm }, floats };
}

/** Where the receiver listens; null where it cannot be read. */
async function centreOf({ phy }: Board): Promise<number | null> {
  return knownValue(await observe(phy.oscillatorHz('rx'))) ?? null;
}
