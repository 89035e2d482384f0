/**
 * Housekeeping of the six-unit CubeSat: the three reports 3,25 of `missions/demo/README.md` as they are measured.
 *
 * K1. `readings` holds exactly what the last report of its structure said, in physical units after rounding.
 */

import type { Battery } from './battery.ts';
import type { OnboardState } from './onboard-state.ts';

export interface ComputerReadings {
  readonly mode: number;
  readonly counter: number;
  readonly watchdog: number;
  readonly uptime: number;
  readonly temperature: number;
}

export interface BatteryReadings {
  readonly voltage: number;
  readonly current: number;
  readonly temperature: number;
  readonly heaterOn: number;
  readonly heating: boolean;
}

export interface PowerReadings {
  readonly panelCurrent: number;
  readonly payload: boolean;
  readonly heater: boolean;
  readonly images: number;
  readonly lastExposure: number;
}

/** Of the three-unit CubeSat. */
export interface SupplyReadings {
  readonly voltage: number;
  readonly current: number;
  readonly temperature: number;
  readonly panelCurrent: number;
}

/** Of the three-unit CubeSat. */
export interface MemoryReadings {
  readonly files: number;
  readonly used: number;
  readonly transactions: number;
  readonly sent: number;
}

export interface Readings {
  computer?: ComputerReadings;
  batteries?: readonly [BatteryReadings, BatteryReadings];
  power?: PowerReadings;
  supply?: SupplyReadings;
  memory?: MemoryReadings;
}

/** The structures of service 3 that a spacecraft sends, each with its period. */
export interface Reports {
  readonly readings: Readings;
  readonly cadences: readonly { readonly structure: number; readonly periodMs: number }[];
  /** Measures and gives the source data of a report. */
  report(structure: number): Buffer;
}

export class Housekeeping implements Reports {
  readonly readings: Readings = {};
  readonly cadences = [
    { structure: 1, periodMs: 1_000 },
    { structure: 2, periodMs: 2_000 },
    { structure: 3, periodMs: 5_000 },
  ];
  readonly #state: OnboardState;

  constructor(state: OnboardState) {
    this.#state = state;
  }

  report(structure: number): Buffer {
    if (structure === 1) return computerReport(this.#state, this.readings);
    return structure === 2 ? this.#batteries() : this.#power();
  }

  #batteries(): Buffer {
    const [first, second] = this.#state.batteries;
    const parts = [this.#battery(first), this.#battery(second)] as const;
    this.readings.batteries = [parts[0].readings, parts[1].readings];
    return Buffer.concat([Buffer.from([0, 2]), parts[0].data, parts[1].data]);
  }

  #battery(battery: Battery): { data: Buffer; readings: BatteryReadings } {
    const state = this.#state;
    const milliVolt = Math.round(state.sensed(battery.voltageMv, 4));
    const milliAmpere = Math.round(state.sensed(battery.currentMa, 3));
    const centi = Math.round(state.sensed(battery.temperatureDegC, 0.1) * 100);
    const { heating } = battery;
    const data = Buffer.alloc(11);
    data.writeUInt16BE(milliVolt, 0);
    data.writeInt16BE(milliAmpere, 2);
    data.writeInt16BE(centi, 4);
    data.writeFloatBE(battery.heaterOnBelow, 6);
    data.writeUInt8(heating ? 1 : 0, 10);
    return {
      data,
      readings: {
        voltage: milliVolt / 1000,
        current: milliAmpere / 1000,
        temperature: centi / 100,
        heaterOn: data.readFloatBE(6),
        heating,
      },
    };
  }

  #power(): Buffer {
    const { payload, heater, images, lastExposureMs, panelMa } = this.#state;
    const panel = Math.max(0, Math.round(this.#state.sensed(panelMa, panelMa === 0 ? 0 : 20)));
    const data = Buffer.alloc(12);
    data.writeUInt16BE(3, 0);
    data.writeUInt16BE(panel, 2);
    data.writeUInt8(payload ? 1 : 0, 4);
    data.writeUInt8(heater ? 1 : 0, 5);
    data.writeUInt16BE(images & 0xffff, 6);
    data.writeFloatBE(lastExposureMs, 8);
    this.readings.power = {
      panelCurrent: panel / 1000,
      payload,
      heater,
      images: images & 0xffff,
      lastExposure: data.readFloatBE(8),
    };
    return data;
  }
}

/** Structure 1 is the same in every spacecraft of the demo. */
export function computerReport(state: OnboardState, readings: Readings): Buffer {
  const centi = Math.round(state.sensed(state.temperatureDegC, 0.05) * 100);
  const data = Buffer.alloc(13);
  data.writeUInt16BE(1, 0);
  data.writeUInt8(state.mode, 2);
  data.writeUInt16BE(state.counter & 0xffff, 3);
  data.writeUInt16BE(state.watchdogS, 5);
  data.writeUInt32BE(Math.floor(state.uptimeS), 7);
  data.writeInt16BE(centi, 11);
  readings.computer = {
    mode: state.mode,
    counter: state.counter & 0xffff,
    watchdog: state.watchdogS,
    uptime: Math.floor(state.uptimeS),
    temperature: centi / 100,
  };
  return data;
}
