/**
 * An IIO context: the devices of a board with their attributes and their buffers, named as libiio names them. The board
 * at the other end of an iiod and the model of one are two of it; everything above knows no other way to a board.
 *
 * I1. Whatever goes wrong rejects with an `IioFailure` that names the attribute or buffer.
 * I2. A context that missed a deadline is lost: a late answer would be taken for that of the next question, so nothing
 *     more is asked of it and `lost` resolves.
 * I3. An attribute is the text the kernel driver gives it (`"63.000000 dB"`); what it means is for the board to know.
 */

export interface IioContext {
  /** Where numbers read from it come from, as a report shows it. */
  readonly source: 'pl' | 'stub';
  /** In words, for people: `iiod at 192.0.2.7:30431`. */
  readonly name: string;
  readonly devices: readonly IioDevice[];
  read(at: IioAttribute): Promise<string>;
  write(at: IioAttribute, value: string): Promise<void>;
  /** The same attributes by a way that waits for nothing asked here; absent: this one never waits. */
  readonly urgent?: Pick<IioContext, 'devices' | 'read' | 'write'>;
  /** Opens the buffer of a device, which one user can hold. */
  open(device: string, buffer: IioBufferOptions): Promise<IioBuffer>;
  /** Resolves with the reason when the board is lost. */
  readonly lost: Promise<IioFailure>;
  close(): Promise<void>;
}

export interface IioDevice {
  /** `iio:device0`; the order varies from boot to boot. */
  readonly id: string;
  readonly name: string;
  readonly attributes: readonly string[];
  readonly debugAttributes: readonly string[];
  readonly bufferAttributes: readonly string[];
  readonly channels: readonly IioChannel[];
}

export interface IioChannel {
  readonly id: string;
  readonly name?: string;
  readonly output: boolean;
  readonly attributes: readonly { readonly name: string; readonly filename: string }[];
  /** Of a channel that its buffer carries: its place in a sample and its layout, as in `le:S12/16>>0`. */
  readonly scan?: { readonly index: number; readonly format: string };
}

/** An attribute of a device, of its debug folder, of its buffer, or of a channel; a device by name or id. */
export type IioAttribute =
  | { readonly device: string; readonly of: 'device' | 'debug' | 'buffer'; readonly name: string }
  | {
      readonly device: string;
      readonly of: 'channel';
      readonly channel: string;
      readonly output: boolean;
      readonly name: string;
    };

export interface IioBufferOptions {
  /** Size in samples of one transfer. */
  readonly samples: number;
  /** Which channels, by scan index. */
  readonly mask: number;
  readonly cyclic?: boolean;
  /** Transfers that the driver holds; default: as it likes. */
  readonly blocks?: number;
}

export interface IioBuffer {
  /** Exactly so many bytes of a capture device; rejects with ETIMEDOUT when they are not there within the time. */
  read(bytes: number, timeoutMs: number): Promise<Uint8Array>;
  /** Hands bytes to an output device; resolves when the driver has taken them. */
  write(data: Uint8Array, timeoutMs: number): Promise<void>;
  close(): Promise<void>;
}

/** Numbers of the kernel that an IIO context answers with. */
export const errno = {
  EPERM: 1,
  ENOENT: 2,
  EIO: 5,
  /** No such channel. */
  ENXIO: 6,
  EBADF: 9,
  ENOMEM: 12,
  EACCES: 13,
  EBUSY: 16,
  ENODEV: 19,
  EINVAL: 22,
  ERANGE: 34,
  ENOSYS: 38,
  EOPNOTSUPP: 95,
  ETIMEDOUT: 110,
} as const;

/** Something that the board or the way to it refused. */
export class IioFailure extends Error {
  /** Positive, as in `errno.h`. */
  readonly errno: number;

  constructor(number: number, message: string) {
    super(message);
    this.name = 'IioFailure';
    this.errno = number;
  }
}

/** `ad9361-phy voltage0 (in) hardwaregain`, for messages. */
export function attributeName(at: IioAttribute): string {
  if (at.of === 'channel') return `${at.device} ${at.channel} (${at.output ? 'out' : 'in'}) ${at.name}`;
  return at.of === 'device' ? `${at.device} ${at.name}` : `${at.device} ${at.of} ${at.name}`;
}
