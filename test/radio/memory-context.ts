/**
 * An IIO context in memory for tests: attributes in a map, and a queue of bytes from the output device to the capture
 * device.
 */

import {
  attributeName,
  errno,
  type IioAttribute,
  type IioBuffer,
  type IioContext,
  type IioDevice,
  IioFailure,
} from '../../radio/iio/context.ts';
import { realClock } from '../../supervision/clock.ts';

const scan = (index: number, format: string) => ({ scan: { index, format } });
const bare = { attributes: [], debugAttributes: [], bufferAttributes: [], channels: [] };
const file = (prefix: string, ...names: string[]) =>
  names.map((name) => ({ name, filename: `${prefix}_${name}` }));

export const memoryDevices: readonly IioDevice[] = [
  {
    id: 'iio:device0',
    name: 'ad9361-phy',
    attributes: ['ensm_mode', 'note'],
    debugAttributes: ['loopback', 'direct_reg_access'],
    bufferAttributes: [],
    channels: [
      {
        id: 'voltage0',
        output: false,
        attributes: file('in_voltage0', 'hardwaregain', 'gain_control_mode'),
      },
      { id: 'voltage0', output: true, attributes: file('out_voltage0', 'hardwaregain') },
      {
        id: 'altvoltage0',
        name: 'RX_LO',
        output: true,
        attributes: file('out_altvoltage0_RX_LO', 'frequency'),
      },
    ],
  },
  {
    ...bare,
    id: 'iio:device3',
    name: 'modem-rx',
    bufferAttributes: ['watermark'],
    channels: [{ id: 'voltage0', output: false, attributes: [], ...scan(0, 'le:U8/8>>0') }],
  },
  {
    ...bare,
    id: 'iio:device4',
    name: 'modem-tx',
    channels: [{ id: 'voltage0', output: true, attributes: [], ...scan(0, 'le:U8/8>>0') }],
  },
  {
    ...bare,
    id: 'iio:device5',
    name: 'cf-ad9361-lpc',
    channels: [
      { id: 'timestamp', output: false, attributes: [], ...scan(5, 'le:S64/64>>0') },
      { id: 'voltage0', output: false, attributes: [], ...scan(0, 'le:S12/16>>0') },
      { id: 'voltage1', output: false, attributes: [], ...scan(1, 'le:S12/16>>0') },
      { id: 'voltage2', output: false, attributes: [], ...scan(3, 'le:S12/16>>0') },
    ],
  },
];

export interface MemoryContext extends IioContext {
  /** By `attributeName` with the identifier of the device. */
  readonly values: Map<string, string>;
  /** Devices whose buffers are open. */
  readonly held: Set<string>;
  /** What the buffers were opened with. */
  readonly opened: { device: string; mask: number; samples: number; cyclic: boolean }[];
  /** Bytes on their way. */
  readonly onTheWay: () => number;
  /** How long each read of a buffer was to wait, ms. */
  readonly readTimes: number[];
  /** Reads of buffers that wait for bytes. */
  readonly waiting: () => number;
  /** The next write of a buffer fails with this number. */
  failWrite: number | undefined;
  /** Reading of attributes waits for it. */
  gate: Promise<void> | undefined;
}

export function memoryContext(source: 'pl' | 'stub' = 'stub'): MemoryContext {
  const values = new Map([
    ['iio:device0 ensm_mode', 'fdd'],
    ['iio:device0 note', ''],
    ['iio:device0 debug loopback', '0'],
    ['iio:device0 voltage0 (in) hardwaregain', '63.000000 dB'],
    ['iio:device0 voltage0 (in) gain_control_mode', 'manual'],
    ['iio:device0 voltage0 (out) hardwaregain', '-10.000000 dB'],
    ['iio:device0 altvoltage0 (out) frequency', '2400000000'],
    ['iio:device3 buffer watermark', '1'],
  ]);
  const held = new Set<string>();
  const queue = new ByteQueue();
  const context: MemoryContext = {
    source,
    name: 'memory',
    devices: memoryDevices,
    values,
    held,
    opened: [],
    readTimes: [],
    onTheWay: () => queue.length,
    waiting: () => queue.watchers,
    failWrite: undefined,
    gate: undefined,
    lost: new Promise(() => undefined),
    async read(at) {
      await context.gate;
      const value = values.get(attributeName(at));
      if (value !== undefined) return value;
      throw new IioFailure(errno.EIO, attributeName(at));
    },
    async write(at: IioAttribute, value) {
      if (value === 'refused') throw new IioFailure(errno.EINVAL, attributeName(at));
      values.set(attributeName(at), value);
    },
    async open(device, { mask, samples, cyclic = false }) {
      if (held.has(device)) throw new IioFailure(errno.EBUSY, device);
      held.add(device);
      context.opened.push({ device, mask, samples, cyclic });
      return memoryBuffer(context, queue, () => held.delete(device));
    },
    close: async () => undefined,
  };
  return context;
}

function memoryBuffer(context: MemoryContext, queue: ByteQueue, free: () => void): IioBuffer {
  const ends: (() => void)[] = [];
  return {
    read: (bytes, timeoutMs) => {
      context.readTimes.push(timeoutMs);
      return new Promise((resolve, reject) => {
        const stop = (number: number) => {
          realClock.clearTimeout(timer);
          queue.forget(look);
          reject(new IioFailure(number, 'the buffer'));
        };
        const look = () => {
          if (queue.length < bytes) return;
          realClock.clearTimeout(timer);
          queue.forget(look);
          resolve(queue.take(bytes));
        };
        const timer = realClock.setTimeout(() => stop(errno.ETIMEDOUT), timeoutMs);
        ends.push(() => stop(errno.EBADF));
        queue.watch(look);
      });
    },
    write: async (data) => {
      const { failWrite } = context;
      context.failWrite = undefined;
      if (failWrite !== undefined) throw new IioFailure(failWrite, 'the buffer');
      queue.put(data);
    },
    close: async () => {
      for (const end of ends) end();
      free();
    },
  };
}

class ByteQueue {
  length = 0;
  get watchers(): number {
    return this.#watchers.size;
  }

  #parts: Uint8Array[] = [];
  readonly #watchers = new Set<() => void>();

  put(data: Uint8Array): void {
    this.#parts.push(Uint8Array.from(data));
    this.length += data.length;
    for (const look of [...this.#watchers]) look();
  }

  take(bytes: number): Uint8Array {
    const taken: Uint8Array[] = [];
    for (let left = bytes; left > 0; ) {
      const part = this.#parts[0]!;
      taken.push(part.subarray(0, left));
      if (part.length > left) this.#parts[0] = part.subarray(left);
      else this.#parts.shift();
      left -= Math.min(left, part.length);
    }
    this.length -= bytes;
    return Buffer.concat(taken);
  }

  watch(look: () => void): void {
    this.#watchers.add(look);
    look();
  }

  forget(look: () => void): void {
    this.#watchers.delete(look);
  }
}
