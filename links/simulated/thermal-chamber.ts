/**
 * A simulated thermal chamber on the bench with a console of text lines. The other side of
 * `missions/bench-lab/thermal-chamber.yaml`.
 *
 * C1. Every line is answered, `OK`, a value or `ERR <code> <words>`, in the order of the lines.
 * C2. The state is sent every second: `STATE 21.50 SET 25.00 HEATER ON DOOR CLOSED`.
 */

import type { Clock } from '../../ports/clock.ts';
import { seededRandom } from '../../ports/seeded-random.ts';
import { BenchTimers } from './bench-timers.ts';
import type { ReceivedCounts, SimulatedPeer } from './peer.ts';

export const THERMAL_CHAMBER_FAULTS = ['mute', 'door_open', 'noise'] as const;

const PERIOD_MS = 1_000;
/** The line at 9600 bit/s and the time to think. */
const ANSWER_MS = 20;
const AMBIENT_DEGC = 21.5;
/** Share of the way to the goal in one period. */
const APPROACH = 0.2;
const LIMITS_DEGC = [-60, 120] as const;

const ERRORS = { unknown: 'ERR 1 unknown command', range: 'ERR 2 out of range', door: 'ERR 3 door open' };

export function createThermalChamber(options: { clock: Clock; seed: number }): SimulatedPeer {
  return new ThermalChamber(options.clock, options.seed);
}

class ThermalChamber implements SimulatedPeer {
  readonly faults = new Set<string>();
  readonly #timers: BenchTimers;
  readonly #random: ReturnType<typeof seededRandom>;
  #listener: (frame: Buffer) => void = () => {};
  #temperature = AMBIENT_DEGC;
  #goal = AMBIENT_DEGC;
  #heater = false;
  #label = '';
  #received = 0;

  constructor(clock: Clock, seed: number) {
    this.#timers = new BenchTimers(clock);
    this.#random = seededRandom(seed);
    this.#timers.every(PERIOD_MS, () => this.#live());
  }

  uplink(frame: Buffer): void {
    const line = frame.toString('utf8').trim();
    this.#received += 1;
    if (!this.faults.has('mute')) this.#timers.after(ANSWER_MS, () => this.#say(this.#answer(line)));
  }

  onDownlink(listener: (frame: Buffer) => void): void {
    this.#listener = listener;
  }

  fault(name: string, on: boolean): void {
    if (on) this.faults.add(name);
    else this.faults.delete(name);
  }

  counts(): ReceivedCounts {
    return { received: {}, total: this.#received };
  }

  stop(): void {
    this.#timers.stop();
    this.#listener = () => {};
  }

  /** C1 */
  #answer(line: string): string {
    const [, goal] = /^SET TEMP (-?\d+\.\d\d)$/.exec(line) ?? [];
    if (goal !== undefined) return this.#setGoal(Number(goal));
    const [, heater] = /^SET HEATER (ON|OFF)$/.exec(line) ?? [];
    if (heater !== undefined) return this.#setHeater(heater === 'ON');
    const [, label] = /^LABEL "((?:[^"\\]|\\.)*)"$/.exec(line) ?? [];
    if (label !== undefined) {
      this.#label = label.replace(/\\(.)/g, '$1');
      return 'OK';
    }
    return line === 'LABEL?' ? `LABEL ${this.#label || '-'}` : ERRORS.unknown;
  }

  #setGoal(goal: number): string {
    if (goal < LIMITS_DEGC[0] || goal > LIMITS_DEGC[1]) return ERRORS.range;
    this.#goal = goal;
    return 'OK';
  }

  #setHeater(on: boolean): string {
    if (this.faults.has('door_open')) return ERRORS.door;
    this.#heater = on;
    return 'OK';
  }

  /** C2 */
  #live(): void {
    const goal = this.#heater ? this.#goal : AMBIENT_DEGC;
    this.#temperature += (goal - this.#temperature) * APPROACH + (this.#random.next() - 0.5) * 0.01;
    const [temperature, set] = [this.#temperature.toFixed(2), this.#goal.toFixed(2)];
    const door = this.faults.has('door_open') ? 'OPEN' : 'CLOSED';
    const state = `STATE ${temperature} SET ${set} HEATER ${this.#heater ? 'ON' : 'OFF'} DOOR ${door}`;
    // The listener comes after the first of them.
    this.#timers.after(0, () => this.#say(state));
    if (this.faults.has('noise')) this.#timers.after(1, () => this.#say('~#garbled#~'));
  }

  #say(line: string): void {
    this.#listener(Buffer.from(line));
  }
}
