/** What the runs need of the cells that host their charts: `Kind` of the runtime has it. */

import type { EntityEvent } from '../../../ports/entity.ts';

export interface RunCells {
  start(id: string, input: unknown, epoch: number): unknown;
  tell(id: string, event: EntityEvent): 'accepted' | 'full' | 'gone' | 'quarantined';
  /** Without a word: its record stays as it is. */
  drop(id: string): void;
}

export interface RunsCells {
  readonly scenario: RunCells;
  readonly campaign: RunCells;
}
