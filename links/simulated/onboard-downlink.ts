/**
 * The transmitter of a spacecraft whose link is shared by telemetry and files: one packet after the other at the rate
 * of the link, PDUs in space packets of their own APID.
 *
 * T1. Telemetry goes before files: it waits for the packet that is being sent, and no longer.
 * T2. A PDU is made when it can be sent, so that nothing queues up here.
 * T3. A timer that was late is made up for, up to a moment; the rate is never exceeded by more than that.
 */

import type { Clock, TimerHandle } from '../../ports/clock.ts';
import type { OnboardCfdp } from './onboard-cfdp.ts';
import { writePduPacket } from './onboard-pdu.ts';

/** What a late timer may be made up for. */
const MOMENT_MS = 20;
/** Telemetry that waits; a link that is too slow for it loses the rest, as a spacecraft does. */
const WAITING = 256;

interface DownlinkOptions {
  readonly clock: Clock;
  readonly bitsPerSecond: number;
  readonly apid: number;
  readonly cfdp: OnboardCfdp;
  /** Takes a packet at the end of its time on the air. */
  readonly sent: (packet: Buffer, inMs: number) => void;
}

export class OnboardDownlink {
  readonly #options: DownlinkOptions;
  readonly #waiting: Buffer[] = [];
  #timer: TimerHandle | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  /** When the packet that is being sent is out. */
  #freeAt = 0;
  #packets = 0;
  #isStopped = false;

  constructor(options: DownlinkOptions) {
    this.#options = options;
  }

  send(packet: Buffer): void {
    if (this.#waiting.length < WAITING) this.#waiting.push(packet);
    this.wake();
  }

  /** There may be something to send. */
  wake(): void {
    if (this.#isStopped) return;
    const { clock, cfdp } = this.#options;
    const now = clock.monotonic();
    while (this.#freeAt <= now) {
      const packet = this.#waiting.shift() ?? this.#nextPdu(now);
      if (packet === undefined) {
        const due = cfdp.due(now);
        return this.#wakeAt(due === undefined ? undefined : Math.max(due, now + 1), now);
      }
      this.#transmit(packet, now);
    }
    this.#wakeAt(this.#freeAt, now);
  }

  stop(): void {
    this.#isStopped = true;
    this.#waiting.length = 0;
    if (this.#timer !== undefined) this.#options.clock.clearTimeout(this.#timer);
  }

  #transmit(packet: Buffer, now: number): void {
    const { bitsPerSecond, sent } = this.#options;
    this.#freeAt = Math.max(this.#freeAt, now - MOMENT_MS) + (packet.length * 8_000) / bitsPerSecond;
    sent(packet, Math.max(0, this.#freeAt - now));
  }

  /** T2 */
  #nextPdu(now: number): Buffer | undefined {
    const { cfdp, apid } = this.#options;
    const pdu = cfdp.next(now);
    if (pdu === undefined) return undefined;
    const packet = writePduPacket(apid, this.#packets, pdu);
    this.#packets += 1;
    return packet;
  }

  /** One timer, for what comes first. */
  #wakeAt(at: number | undefined, now: number): void {
    const { clock } = this.#options;
    if (this.#timer !== undefined && this.#timerAt === at) return;
    if (this.#timer !== undefined) clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    if (at === undefined) return;
    this.#timerAt = at;
    this.#timer = clock.setTimeout(
      () => {
        this.#timer = undefined;
        this.wake();
      },
      Math.ceil(at - now),
    );
  }
}
