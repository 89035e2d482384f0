/** How full what the service works with is, as last looked at. */

/** Of the bus: all that the account stores, the disk of the embedded server, the largest message. Of this process: files. */
export const RESOURCES = ['account', 'disk', 'message', 'descriptors'] as const;
export type Resource = (typeof RESOURCES)[number];

export interface StreamFill {
  /** Name of the stream, or what else it is. */
  readonly stream: string;
  readonly resource?: Resource;
  /** Bytes; of `descriptors` their number. */
  readonly bytes: number;
  /** Undefined: as much as there is room for. */
  readonly maxBytes: number | undefined;
  /** Share of its size; undefined without one. */
  readonly fill: number | undefined;
  /** Age of the oldest message, s. */
  readonly oldestS: number;
  readonly bytesPerS: number;
  /** For how long a message is kept at that rate, s; infinite where nothing ends it. */
  readonly keepsS: number;
  /** It is so full that it is reported. */
  readonly filling: boolean;
  /** It takes nothing more until there is room. */
  readonly isFull: boolean;
}

export interface Fills {
  /** By name; empty before the first look. */
  readonly all: readonly StreamFill[];
  /** Streams and buckets that did not answer: they have no leader, or their servers are away. */
  readonly silent: readonly string[];
}
