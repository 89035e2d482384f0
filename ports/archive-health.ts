/** How the archive of this process stands, for those who look after the process. */

export interface ArchiveHealth {
  /** Why nothing is archived now; undefined where it is, or where this process owns no archive. */
  readonly trouble: string | undefined;
  /** Messages that were left out because they cannot be written, since the owner began. */
  readonly setAside: number;
}
