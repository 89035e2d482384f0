/**
 * Housekeeping of the three-unit CubeSat: the three reports 3,25 of `missions/demo/README.md` as they are measured.
 *
 * K1. `readings` holds exactly what the last report of its structure said, in physical units after rounding.
 */

import { computerReport, type Readings, type Reports } from './housekeeping.ts';
import type { OnboardState } from './onboard-state.ts';

/** What goes on in the file memory, beside the files. */
export interface FileTraffic {
  readonly transactions: number;
  readonly sentBytes: number;
}

export class Housekeeping3U implements Reports {
  readonly readings: Readings = {};
  readonly cadences = [
    { structure: 1, periodMs: 1_000 },
    { structure: 2, periodMs: 2_000 },
    { structure: 3, periodMs: 2_000 },
  ];
  readonly #state: OnboardState;
  readonly #traffic: FileTraffic;

  constructor(state: OnboardState, traffic: FileTraffic) {
    this.#state = state;
    this.#traffic = traffic;
  }

  report(structure: number): Buffer {
    if (structure === 1) return computerReport(this.#state, this.readings);
    return structure === 2 ? this.#supply() : this.#memory();
  }

  /** It has one battery. */
  #supply(): Buffer {
    const state = this.#state;
    const [battery] = state.batteries;
    const milliVolt = Math.round(state.sensed(battery.voltageMv, 4));
    const milliAmpere = Math.round(state.sensed(battery.currentMa, 3));
    const centi = Math.round(state.sensed(battery.temperatureDegC, 0.1) * 100);
    const panel = Math.max(0, Math.round(state.sensed(state.panelMa, state.panelMa === 0 ? 0 : 20)));
    const data = Buffer.alloc(10);
    data.writeUInt16BE(2, 0);
    data.writeUInt16BE(milliVolt, 2);
    data.writeInt16BE(milliAmpere, 4);
    data.writeInt16BE(centi, 6);
    data.writeUInt16BE(panel, 8);
    this.readings.supply = {
      voltage: milliVolt / 1000,
      current: milliAmpere / 1000,
      temperature: centi / 100,
      panelCurrent: panel / 1000,
    };
    return data;
  }

  #memory(): Buffer {
    const { files } = this.#state;
    const { transactions, sentBytes } = this.#traffic;
    const data = Buffer.alloc(13);
    data.writeUInt16BE(3, 0);
    data.writeUInt16BE(files.count, 2);
    // What is in files made from a seed takes no room here: so much a real memory would not hold either.
    const used = Math.min(files.bytes, 0xffff_ffff);
    data.writeUInt32BE(used, 4);
    data.writeUInt8(transactions, 8);
    data.writeUInt32BE(sentBytes % 2 ** 32, 9);
    this.readings.memory = { files: files.count, used, transactions, sent: sentBytes % 2 ** 32 };
    return data;
  }
}
