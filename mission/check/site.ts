/** Where in a platform a telecommand stands: what its checks look up. */

import type { MeasureTable } from '../measure-table.ts';

/** Where a telecommand stands. */
export interface TelecommandSite {
  readonly component: string;
  readonly instances: readonly string[];
  readonly files: boolean;
  readonly frame: MeasureTable;
  /** A scalar of the document as written, by its path below the telecommand. */
  source(path: readonly (string | number)[]): string | undefined;
}
