/** Cancelling and validating schedules, with what came of it beside each. */

import type { Schedule, ScheduleValidation } from '../../../contract/schedule.ts';
import { order } from '../../service.ts';
import type { ServiceError } from '../../service-error.ts';
import { refusalOf } from '../parts/refusal.ts';

export type ScheduleCommand = 'cancel' | 'validate';

export interface ScheduleOutcome {
  readonly command: ScheduleCommand;
  readonly refusal?: ServiceError | undefined;
  /** What was done though something else stood on the page. */
  readonly note?: string | undefined;
}

/** What the page showed when it was validated. */
export interface SeenPlan {
  readonly aos: string;
  readonly los: string;
  readonly ir: string;
}

export class ScheduleCommands {
  readonly #changed: () => void;
  readonly outcomes = new Map<string, ScheduleOutcome>();
  /** The schedule whose command waits for its answer. */
  underWay = '';

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  cancel(id: string, user: string): Promise<void> {
    return this.#give(id, 'cancel', async () => {
      await order<Schedule>(pathOf(id, 'cancel'), undefined, user);
      return undefined;
    });
  }

  /** As a supervisor. The service validates what it has: where that is not what was seen, it is said. */
  validate(id: string, user: string, seen: SeenPlan): Promise<void> {
    return this.#give(id, 'validate', async () => {
      const done = await order<ScheduleValidation>(pathOf(id, 'validate'), undefined, user, 'supervisor');
      return isSeen(done, seen)
        ? undefined
        : 'The pass or the run changed while this was validated: read what is validated now, and cancel it if it is not what you meant.';
    });
  }

  async #give(id: string, command: ScheduleCommand, work: () => Promise<string | undefined>): Promise<void> {
    if (this.underWay !== '') return;
    this.underWay = id;
    this.outcomes.delete(id);
    this.#changed();
    let note: string | undefined;
    const refusal = await refusalOf(async () => {
      note = await work();
    });
    this.underWay = '';
    if (refusal !== undefined || note !== undefined) this.outcomes.set(id, { command, refusal, note });
    this.#changed();
  }
}

function pathOf(id: string, command: ScheduleCommand): string {
  return `/v1/schedules/${encodeURIComponent(id)}/${command}`;
}

function isSeen({ aos, los, ir }: ScheduleValidation, seen: SeenPlan): boolean {
  return (
    ir === seen.ir && Date.parse(aos) === Date.parse(seen.aos) && Date.parse(los) === Date.parse(seen.los)
  );
}
