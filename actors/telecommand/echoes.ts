/**
 * The echoes of what a lane sent, as its gateways receive them. Mission Control Service, section 3.1.
 *
 * K1. An echo is evidence, never a reason to fail: a message that is no echo is skipped.
 * K3. One of a telecommand that starts again waits for it; one of a telecommand in quarantine is recorded in its
 *     history, which it goes on from when a person resumes it.
 * K2. An echo that comes after the final state is still recorded, behind it, for as long as one may be expected.
 */

import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { ECHO_WAIT_MS } from '../../contract/limits/telecommand.ts';
import { type EchoMessage, isTime } from '../../contract/link.ts';
import type { TelecommandInput } from '../../machines/telecommand/telecommand.ts';
import type { Bus, Stoppable } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { appendEvent } from './history.ts';
import { cellOfKey } from './work.ts';

interface LaneEchoesOptions {
  readonly target: string;
  readonly epoch: number;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  /** Gives the echo to the cell, or to the one that starts next; false when there is none. */
  readonly tell: (cell: string, echo: EchoMessage) => boolean;
  /** A telecommand that is open here and in quarantine. */
  readonly quarantined: (cell: string) => TelecommandInput | undefined;
}

export class LaneEchoes {
  readonly #options: LaneEchoesOptions;
  readonly #finished = new Map<string, { input: TelecommandInput; until: number }>();
  readonly #gateways = new Map<string, Stoppable>();

  constructor(options: LaneEchoesOptions) {
    this.#options = options;
  }

  /** Listens to a gateway from now on. */
  hear(gateway: string): void {
    if (this.#gateways.has(gateway)) return;
    const hearing = this.#options.bus.subscribe(subject.echo(gateway), (message) => {
      const echo = parseEcho(message.data);
      const cell = echo?.target === this.#options.target ? cellOfKey(echo.key) : undefined;
      if (echo !== undefined && cell !== undefined) this.#heard(cell, echo);
    });
    this.#gateways.set(gateway, hearing);
  }

  /** The telecommand is over; its echo may still come. */
  finished(cell: string, input: TelecommandInput): void {
    this.#forget();
    this.#finished.set(cell, { input, until: this.#options.clock.now() + ECHO_WAIT_MS });
  }

  /** Drops those whose echo can no longer come; they are in the order of their end. */
  #forget(): void {
    const now = this.#options.clock.now();
    for (const [cell, { until }] of this.#finished) {
      if (until > now) return;
      this.#finished.delete(cell);
    }
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#gateways.values()].map((hearing) => hearing.stop()));
  }

  #heard(cell: string, echo: EchoMessage): void {
    if (this.#options.tell(cell, echo)) return;
    const input = this.#finished.get(cell)?.input ?? this.#options.quarantined(cell);
    if (input === undefined) return;
    void this.#recordBeside(input, echo).catch((error: unknown) =>
      this.#options.log.warn({ err: error, cell }, 'late echo not recorded'),
    );
  }

  async #recordBeside(input: TelecommandInput, { at, conforming }: EchoMessage): Promise<void> {
    const { bus, epoch } = this.#options;
    const last = await bus.last(streams.telecommandEvents, subject.tcEvent(input.target, input.id));
    await appendEvent(bus, input, { type: 'record', state: 'ECHO', at, conforming }, epoch, last?.seq ?? 0);
  }
}

/** Undefined when a gateway from outside said something else (K1). */
function parseEcho(data: Uint8Array): EchoMessage | undefined {
  try {
    const echo = JSON.parse(Buffer.from(data).toString()) as Partial<EchoMessage> | null;
    const isEcho = typeof echo?.key === 'string' && typeof echo.conforming === 'boolean' && isTime(echo.at);
    return isEcho ? (echo as EchoMessage) : undefined;
  } catch {
    return undefined;
  }
}
