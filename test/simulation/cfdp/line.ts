/** One direction of a link: PDUs leave at its rate, and some are lost, doubled, late or overtaken. */

import { Chance } from '../chance.ts';
import type { LinkWeather } from './scenario.ts';

interface Flying {
  readonly at: number;
  readonly pdu: Buffer;
}

export class Line {
  readonly #weather: LinkWeather;
  readonly #chance: Chance;
  readonly #flying: Flying[] = [];
  /** When the transmitter is free. */
  freeAt = 0;
  sentBytes = 0;

  constructor(weather: LinkWeather, seed: number, name: string) {
    this.#weather = weather;
    this.#chance = new Chance(seed, name);
  }

  /** Sends a PDU; `isLost` whatever its luck. */
  send(pdu: Buffer, now: number, isLost: boolean, isCalm: boolean): void {
    const { bytesPerSecond, loss, duplication } = this.#weather;
    this.freeAt = Math.max(now, this.freeAt) + (pdu.length / bytesPerSecond) * 1_000;
    this.sentBytes += pdu.length;
    const copies = this.#chance.happens(duplication) && !isCalm ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1) {
      const isUnlucky = this.#chance.happens(loss) && !isCalm;
      const at = this.freeAt + this.#weather.delayMs + this.#chance.between(0, this.#weather.jitterMs);
      if (!isLost && !isUnlucky) this.#insert({ at, pdu });
    }
  }

  #insert(flying: Flying): void {
    let index = this.#flying.length;
    while (index > 0 && this.#flying[index - 1]!.at > flying.at) index -= 1;
    this.#flying.splice(index, 0, flying);
  }

  get nextAt(): number | undefined {
    return this.#flying[0]?.at;
  }

  /** What has arrived by now. */
  arrived(now: number): Buffer[] {
    let number = 0;
    while (number < this.#flying.length && this.#flying[number]!.at <= now) number += 1;
    return this.#flying.splice(0, number).map(({ pdu }) => pdu);
  }

  /** Whatever is on its way is lost. */
  cut(): void {
    this.#flying.length = 0;
  }
}
