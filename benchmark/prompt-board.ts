/**
 * A board for the benchmark: the model with its registers and attributes, whose buffers deliver as fast as they are
 * asked. The model's own move at the symbol rate of its clock, which is not what is measured. A read costs one copy, as
 * one from a socket or a DMA ring does.
 *
 * B1. While a payload is fed round and round, what is captured is that payload from some place on, without an error.
 */

import type { Clock } from '../ports/clock.ts';
import { modemDevice } from '../radio/board/registers.ts';
import type { IioBuffer, IioContext } from '../radio/iio/context.ts';
import { createStub } from '../radio/stub/stub.ts';

/** Where in its payload the first block begins: anywhere but at its beginning. */
const ROTATION = 1_234;
/** What is received while nothing is fed. */
const NOISE = Buffer.alloc(64 * 1024, 0x5a);

/** A modelled board whose buffers never wait. */
export function createPromptBoard(clock: Clock): IioContext {
  const stub = createStub({ seed: 1, clock });
  let fed: Buffer | undefined;
  const capture: IioBuffer = {
    read: async (bytes) => {
      const { data, at } = place;
      place.at = (at + bytes) % data.length;
      return tiled(data, at, bytes);
    },
    write: () => Promise.reject(new Error('a capture device')),
    close: async () => undefined,
  };
  let place: { readonly data: Buffer; at: number } = { data: NOISE, at: 0 };
  const feed = (data: Buffer | undefined): void => {
    fed = data;
    place = fed === undefined ? { data: NOISE, at: 0 } : { data: fed, at: ROTATION };
  };
  const output = (isCyclic: boolean): IioBuffer => ({
    read: () => Promise.reject(new Error('an output device')),
    write: async (data) => feed(isCyclic ? Buffer.from(data) : undefined),
    close: async () => feed(undefined),
  });
  const open: IioContext['open'] = async (device, { cyclic }) =>
    device === modemDevice.receive ? capture : output(cyclic === true);
  return new Proxy(stub, {
    get: (_, name) => {
      if (name === 'open') return open;
      const member: unknown = Reflect.get(stub, name);
      return typeof member === 'function' ? member.bind(stub) : member;
    },
  });
}

/** So many bytes of the payload repeated, from a place on: a copy. */
export function tiled(payload: Buffer, from: number, bytes: number): Buffer {
  const made = Buffer.allocUnsafe(bytes);
  for (let filled = 0, at = from % payload.length; filled < bytes; at = 0)
    filled += payload.copy(made, filled, at, Math.min(payload.length, at + bytes - filled));
  return made;
}
