/**
 * PDUs of the links that one gateway serves now on their way to it, a part at a time, at the rate of their link.
 *
 * P1. One request is under way: what the gateway did not take yet is never more than one part.
 * P2. The links take turns.
 * P3. A PDU that the gateway did not send is lost like any other. Behind a refusal there is a pause, twice as long each
 *     time, and its reason is known until something was sent again.
 */

import { BUS_RETRY_MS } from '../../contract/limits/bus.ts';
import { CFDP_BATCH_BYTES, CFDP_BATCH_PDUS, CFDP_REFUSED_MS } from '../../contract/limits/cfdp.ts';
import { AirTime } from './air-time.ts';

/** What became of frames that the gateway was given; the reason where it did not take all of them. */
export type PdusSent = { readonly frames: number; readonly refused?: string };

export interface PumpedLink {
  readonly target: string;
  /** bit/s */
  readonly rate: number;
  pull(): Buffer | undefined;
}

interface PduPumpOptions {
  readonly monotonic: () => number;
  readonly send: (target: string, frames: readonly Buffer[]) => Promise<PdusSent>;
  /** A part is over. */
  readonly changed: () => void;
  readonly failed: (error: unknown) => void;
}

export class PduPump {
  readonly counts = { frames: 0, bytes: 0, unsent: 0 };
  readonly #options: PduPumpOptions;
  readonly #air = new AirTime();
  #isSending = false;
  #turn = 0;
  #refused: string | undefined;
  #pauseMs = 0;
  #pausedUntil = Number.NEGATIVE_INFINITY;

  constructor(options: PduPumpOptions) {
    this.#options = options;
  }

  /** Why nothing leaves; undefined while it does. */
  get refused(): string | undefined {
    return this.#refused;
  }

  /** When there may be more to do; undefined while a part is under way. */
  get nextAt(): number | undefined {
    return this.#isSending ? undefined : Math.max(this.#air.nextAt, this.#pausedUntil);
  }

  /** Sends a part if there is one and its time has come; whether it does. */
  pump(links: readonly PumpedLink[]): boolean {
    const now = this.#options.monotonic();
    if (this.#isSending || now < this.#pausedUntil || !this.#air.mayBegin(now)) return false;
    for (let tries = 0; tries < links.length; tries += 1) {
      this.#turn += 1;
      const link = links[this.#turn % links.length]!;
      const frames = this.#take(link, now);
      if (frames.length === 0) continue;
      this.#isSending = true;
      void this.#send(link.target, frames).catch(this.#options.failed);
      return true;
    }
    return false;
  }

  #take(link: PumpedLink, now: number): Buffer[] {
    const frames: Buffer[] = [];
    let bytes = 0;
    while (frames.length < CFDP_BATCH_PDUS && bytes < CFDP_BATCH_BYTES && this.#air.hasRoom(now)) {
      const frame = link.pull();
      if (frame === undefined) break;
      if (frames.length === 0) this.#air.begin(now);
      frames.push(frame);
      bytes += frame.length;
      this.#air.spend(frame.length, link.rate);
    }
    return frames;
  }

  async #send(target: string, frames: readonly Buffer[]): Promise<void> {
    try {
      const sent = await this.#options.send(target, frames);
      this.#took(frames, sent);
    } finally {
      this.#isSending = false;
    }
    this.#options.changed();
  }

  /** P3 */
  #took(frames: readonly Buffer[], { frames: sent, refused }: PdusSent): void {
    this.counts.frames += sent;
    for (const frame of frames.slice(0, sent)) this.counts.bytes += frame.length;
    this.counts.unsent += frames.length - sent;
    this.#refused = refused;
    this.#pauseMs =
      refused === undefined ? 0 : Math.min(CFDP_REFUSED_MS, Math.max(BUS_RETRY_MS, 2 * this.#pauseMs));
    this.#pausedUntil = this.#options.monotonic() + this.#pauseMs;
  }
}
