/**
 * The radio channel between a simulated gateway and its spacecraft, one way: frames are lost, late, doubled and
 * overtaken as the settings of the gateway say (`mission/document/simulated.ts`).
 *
 * H1. The same seed, settings and frames at the same times give the same, whatever the other way carries.
 * H2. A way without settings hands each frame over at once, as it is.
 * H3. Frames keep their order but for those that are drawn to be overtaken: these take up to `OVERTAKEN_MS` longer.
 * H4. So many frames are on their way at most; what is more is lost.
 */

import { CHANNEL_FRAMES } from '../../contract/limits/simulation.ts';
import type { ChannelDocument, ChannelWay } from '../../mission/document/simulated.ts';
import { parseDuration } from '../../mission/quantity.ts';
import type { Clock, Random, TimerHandle } from '../../ports/clock.ts';
import { seededRandom } from '../../ports/seeded-random.ts';

const OVERTAKEN_MS = 500;
/** What makes another sequence of the seed for each way. */
const SALT = { up: 0x7570, down: 0x646f } as const;

export class RadioChannel {
  readonly #clock: Clock;
  readonly #way: ChannelWay | undefined;
  readonly #delayMs: number;
  readonly #random: Random;
  readonly #timers = new Set<TimerHandle>();

  constructor(clock: Clock, seed: number, settings: Readonly<Record<string, unknown>>, way: 'up' | 'down') {
    this.#clock = clock;
    this.#way = (settings['channel'] as ChannelDocument | undefined)?.[way];
    const delay = parseDuration(this.#way?.delay ?? '0 s');
    this.#delayMs = delay.ok ? delay.value : 0;
    this.#random = seededRandom(seed ^ SALT[way]);
  }

  /** Hands a frame over when it arrives, as often as it does. */
  pass(frame: Buffer, arrived: (frame: Buffer) => void): void {
    if (this.#way === undefined) return arrived(frame);
    const { loss = 0, duplication = 0, reordering = 0 } = this.#way;
    // As many draws for each frame, whatever comes of them (H1).
    const [lost, doubled, overtaken, by] = [this.#draw(), this.#draw(), this.#draw(), this.#draw()];
    if (lost < loss) return;
    const copy = Buffer.from(frame);
    const delayMs = this.#delayMs + (overtaken < reordering ? Math.ceil(by * OVERTAKEN_MS) : 0);
    this.#after(delayMs, () => arrived(copy));
    if (doubled < duplication) this.#after(delayMs, () => arrived(Buffer.from(copy)));
  }

  /** What is on its way arrives nowhere. */
  stop(): void {
    for (const timer of this.#timers) this.#clock.clearTimeout(timer);
    this.#timers.clear();
  }

  #draw(): number {
    return this.#random.next();
  }

  #after(delayMs: number, act: () => void): void {
    if (delayMs === 0) return act();
    if (this.#timers.size >= CHANNEL_FRAMES) return;
    const timer = this.#clock.setTimeout(() => {
      this.#timers.delete(timer);
      act();
    }, delayMs);
    this.#timers.add(timer);
  }
}
