/** A run that starts later, as its form hands it over. Pure. */

import type { MissionView } from '../../../contract/mission-view.ts';
import type { ProcedureView } from '../../../contract/procedure.ts';
import type { FieldView } from '../parts/arguments.ts';
import { pairsOf, type runOf, type Typed } from '../parts/procedure-fields.ts';

export const IDENTIFIER = ' identifier';
export const OFFSET = ' start after AOS';

export type PlannedRun = ReturnType<typeof runOf> & {
  readonly id: string;
  readonly start: string;
  readonly environment?: string;
};

/** What is planned, and how it is asked for. */
export interface Plan<Reply> {
  /** Another one begins with an empty form. */
  readonly key: string;
  readonly title: string;
  /** Whose passes. */
  readonly target: string;
  /** Fields of its own, and what stands in them at the beginning. */
  readonly fields: readonly FieldView[];
  readonly typed: Typed;
  readonly proposedId: (procedure: ProcedureView) => string;
  readonly bodyOf: (run: PlannedRun, typed: Typed) => object;
  /** The line to review. */
  readonly line: (run: PlannedRun, typed: Typed) => string;
  /** What is there under that identifier already, in words. */
  readonly replaced: (id: string) => Promise<string | undefined>;
  readonly path: string;
  readonly button: string;
  readonly done: (reply: Reply) => void;
  readonly closed: () => void;
}

/** `take_image of ops@1.0.0 in bench, sat=sat1, at aos + 30 s` */
export function plannedLine(run: PlannedRun, mission: MissionView | undefined): string {
  const { environment } = run;
  return `${run.run} of ${run.library ?? ''} in ${environment ?? 'the last environment of its target'}, ${pairsOf(run, mission)}, at ${run.start}`;
}
