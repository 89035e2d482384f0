/**
 * A simulated power board on the bench that speaks CSP version 1: node 2 on the bus of a spacecraft, its ground station
 * is node 10. The other side of `missions/bench-lab/power-board.yaml`.
 *
 * B1. Housekeeping leaves every second for port 30 of the ground; every packet carries a CRC, both ways.
 * B2. Port 7 takes functions: 1 switches a channel, 2 sets the limit of the current. What it does not know changes
 *     nothing.
 */

import type { Clock } from '../../ports/clock.ts';
import { seededRandom } from '../../ports/seeded-random.ts';
import { cspFlag, readCsp, writeCsp } from '../../protocol/csp.ts';
import { BenchTimers } from './bench-timers.ts';
import type { ReceivedCounts, SimulatedPeer } from './peer.ts';

export const POWER_BOARD_FAULTS = ['tm_silence', 'bad_crc'] as const;

const GROUND = 10;
const BOARD = 2;
const FUNCTION_PORT = 7;
const HOUSEKEEPING_PORT = 30;
const PERIOD_MS = 1_000;
/** One way over the bus of the spacecraft and the umbilical. */
const WIRE_MS = 5;
const CHANNELS = 4;
const NORMAL = 2;
const CHANNEL_MA = 350;
const SWITCH = 1;
const LIMIT = 2;

export function createPowerBoard(options: { clock: Clock; seed: number }): SimulatedPeer {
  return new PowerBoard(options.clock, options.seed);
}

class PowerBoard implements SimulatedPeer {
  readonly faults = new Set<string>();
  readonly #timers: BenchTimers;
  readonly #random: ReturnType<typeof seededRandom>;
  #listener: (frame: Buffer) => void = () => {};
  #outputs = 0;
  #limitMa = 2_000;
  #accepted = 0;
  #received = 0;

  constructor(clock: Clock, seed: number) {
    this.#timers = new BenchTimers(clock);
    this.#random = seededRandom(seed);
    this.#timers.every(PERIOD_MS, () => this.#sendHousekeeping());
  }

  uplink(frame: Buffer): void {
    const copy = Buffer.from(frame);
    this.#timers.after(WIRE_MS, () => this.#receive(copy));
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

  #receive(frame: Buffer): void {
    const packet = readCsp(1, frame);
    if (!packet.ok || packet.value.destination !== BOARD || (packet.value.flags & cspFlag.crc) === 0) return;
    if (packet.value.destinationPort !== FUNCTION_PORT) return;
    this.#received += 1;
    if (this.#act(packet.value.data)) this.#accepted += 1;
    this.#sendHousekeeping();
  }

  /** B2 */
  #act(data: Buffer): boolean {
    if (data.length === 3 && data[0] === SWITCH && data[1]! < CHANNELS) {
      const bit = 1 << data[1]!;
      this.#outputs = data[2] === 0 ? this.#outputs & ~bit : this.#outputs | bit;
      return true;
    }
    if (data.length !== 3 || data[0] !== LIMIT) return false;
    this.#limitMa = data.readUInt16BE(1);
    return true;
  }

  /** B1 */
  #sendHousekeeping(): void {
    if (this.faults.has('tm_silence')) return;
    const on = Array.from({ length: CHANNELS }, (_, channel) => (this.#outputs >> channel) & 1);
    const currentMa = Math.min(
      this.#limitMa,
      on.reduce((sum, each) => sum + each * CHANNEL_MA, 20 + Math.floor(this.#random.next() * 5)),
    );
    const data = Buffer.alloc(9);
    data.writeUInt16BE(28_000 - currentMa, 0);
    data.writeInt16BE(currentMa, 2);
    data.writeUInt16BE(this.#limitMa, 4);
    data.writeUInt8(this.#outputs, 6);
    data.writeUInt16BE(this.#accepted & 0xffff, 7);
    const packet = writeCsp(
      1,
      {
        priority: NORMAL,
        source: BOARD,
        destination: GROUND,
        flags: cspFlag.crc,
        destinationPort: HOUSEKEEPING_PORT,
        sourcePort: FUNCTION_PORT,
      },
      data,
    );
    if (this.faults.has('bad_crc')) packet[packet.length - 1]! ^= 1;
    this.#timers.after(WIRE_MS, () => this.#listener(packet));
  }
}
