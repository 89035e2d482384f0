/** How many copies of its streams and buckets the bus keeps, and what else an installation states about them. */

import type { StreamDefinition } from '../contract/bus/streams.ts';

/** What an installation may state otherwise for a stream, by the stream's name. */
export type StreamOverrides = Readonly<
  Record<string, Partial<Pick<StreamDefinition, 'maxAgeMs' | 'dedupeMs' | 'bytesPerS' | 'maxBytes'>>>
>;

/** What the settings of a mission say about the streams. */
export interface Installation {
  /** Copies of every stream and bucket: 1 alone, 3 or 5 in a cluster. */
  readonly replicas: number;
  readonly overrides: StreamOverrides;
  /** How long the entries of a bucket or store are kept, ms, by its name; default: as declared. */
  readonly ttls?: Readonly<Record<string, number>>;
}

/** A stream with fewer copies than wanted. */
export interface ShortStream {
  readonly stream: string;
  /** Copies that are there and up to date; 0: the stream has no leader, or nobody answers for it. */
  readonly inPlace: number;
}

export interface Replication {
  readonly wanted: number;
  /** As last looked at; empty where one copy is wanted. */
  readonly short: readonly ShortStream[];
  /** What holds from now on: missing copies are made as soon as the servers can have them, none is ever taken away. */
  install(installation: Installation): void;
}
