/** Checksums of files while they are read, by the name of the algorithm. Mission Control Service, section 4.7 rule 5. */

export interface RunningChecksum {
  add(bytes: Uint8Array): void;
  /** Hexadecimal, lower case. */
  end(): string;
}

/** Undefined for an algorithm that is not available. */
export type ChecksumOf = (algorithm: string) => RunningChecksum | undefined;
