/**
 * The buffers of the model as a context opens them: bytes of the modem, samples of the converter cores.
 *
 * U1. A buffer has one user; it is usable until it is closed, and closed once.
 * U2. What a buffer is refused for names it, and what goes against its direction is EPERM.
 */

import { modemDevice } from '../board/registers.ts';
import { errno, type IioBuffer, type IioBufferOptions, IioFailure } from '../iio/context.ts';
import type { ModelDevice } from './attribute-files.ts';
import { RECEIVE_CORE, TRANSMIT_CORE } from './converter-devices.ts';
import type { ConverterInput } from './converter-input.ts';
import { blocksHeld, type ConverterOpening, type ConverterOutput } from './converter-output.ts';
import type { ReceiveRing } from './receive-ring.ts';
import type { TransmitRing } from './transmit-ring.ts';

interface BufferParts {
  readonly receive: ReceiveRing;
  readonly transmit: TransmitRing;
  readonly input: ConverterInput;
  readonly output: ConverterOutput;
  /** Throws when the board is gone or the buffer fails. */
  readonly answerFor: (name: string) => void;
}

/** What a buffer does, while it is open. */
interface Ways {
  readonly read?: IioBuffer['read'];
  readonly write?: IioBuffer['write'];
  readonly close: (reason: IioFailure) => void;
}

/** Bytes of a sample of one channel of a converter core. */
const VALUE_BYTES = 2;

export class ModelBuffers {
  readonly #parts: BufferParts;
  readonly #held = new Set<string>();

  constructor(parts: BufferParts) {
    this.#parts = parts;
  }

  open({ name, channels = [] }: ModelDevice, options: IioBufferOptions): IioBuffer {
    const carried = channels.filter(({ scan }) => scan !== undefined).length;
    checkBuffer(name, carried, options);
    if (this.#held.has(name)) throw new IioFailure(errno.EBUSY, `${name} is held by another user`);
    const ways = this.#ways(name, options);
    this.#held.add(name);
    return this.#handle(name, ways);
  }

  #ways(name: string, options: IioBufferOptions): Ways {
    const { receive, transmit, input, output } = this.#parts;
    switch (name) {
      case modemDevice.transmit:
        return {
          write: (data, timeoutMs) =>
            options.cyclic === true
              ? Promise.resolve(transmit.repeat(data))
              : transmit.write(data, timeoutMs),
          close: (reason) => transmit.close(reason),
        };
      case modemDevice.receive:
        receive.arm();
        return {
          read: (bytes, timeoutMs) => receive.read(bytes, timeoutMs),
          close: (reason) => receive.disarm(reason),
        };
      case RECEIVE_CORE:
        input.open(openingOf(options));
        return { read: (bytes, timeoutMs) => input.read(bytes, timeoutMs), close: () => input.close() };
      case TRANSMIT_CORE:
        output.open(openingOf(options));
        return { write: (data, timeoutMs) => output.write(data, timeoutMs), close: () => output.close() };
      default:
        throw new IioFailure(errno.EINVAL, `${name} has no buffer`);
    }
  }

  /** U1, U2 */
  #handle(name: string, { read, write, close }: Ways): IioBuffer {
    const closed = new IioFailure(errno.EBADF, `the buffer of ${name} was closed`);
    let isOpen = true;
    const use = (): void => {
      this.#parts.answerFor(`${name} buffer`);
      if (!isOpen) throw closed;
    };
    return {
      read: async (bytes, timeoutMs) => {
        if (read === undefined) throw new IioFailure(errno.EPERM, `${name} is an output device`);
        use();
        return read(bytes, timeoutMs);
      },
      write: async (data, timeoutMs) => {
        if (write === undefined) throw new IioFailure(errno.EPERM, `${name} is a capture device`);
        use();
        return write(data, timeoutMs);
      },
      close: async () => {
        if (!isOpen) return;
        isOpen = false;
        this.#held.delete(name);
        close(closed);
      },
    };
  }
}

function openingOf({ mask, samples, cyclic = false, blocks }: IioBufferOptions): ConverterOpening {
  const channels = [0, 1, 2, 3].filter((index) => (mask & (1 << index)) !== 0);
  return { channels, samples, cyclic, blocks: blocksHeld(samples * channels.length * VALUE_BYTES, blocks) };
}

function checkBuffer(name: string, channels: number, { samples, mask }: IioBufferOptions): void {
  if (channels === 0) throw new IioFailure(errno.EINVAL, `${name} has no buffer`);
  if (!Number.isInteger(samples) || samples < 1) throw new IioFailure(errno.EINVAL, `${samples} samples`);
  if (mask < 1 || mask >= 2 ** channels) throw new IioFailure(errno.EINVAL, `mask ${mask} of ${name}`);
}
