/** The on-board directories of every target, as they are known in this process. Mission Control Service, section 2.8. */

/** What the last listing said of a file; what is absent was not said. */
export interface ListedFile {
  readonly fileType?: number | undefined;
  /** Bytes. */
  readonly size?: number | undefined;
  /** Hexadecimal. */
  readonly checksum?: string | undefined;
  readonly generation?: number | undefined;
  /** Ground time of the last listing that had it, ms since 1970. */
  readonly listedAt: number;
  /** Ground time of the last state of a transfer of it, ms since 1970. */
  readonly statedAt?: number | undefined;
  /** When it was made, as far as that is known: the earlier of its time on board and that; default: that. */
  readonly madeAt?: number | undefined;
}

export interface FileDirectory {
  /** Undefined for a file that was never listed. */
  file(target: string, file: string): ListedFile | undefined;
  /** Resolves when every listing of the target stored before the call is known; rejects with `Outage`. */
  upToDate(target: string): Promise<void>;
  /** Calls the listener whenever a file of the target was listed, from now on; returns how to end it. */
  watch(target: string, listed: (file: string) => void): () => void;
}
