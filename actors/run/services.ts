/** What the effects of a run are carried out with, and the run they are of. Mission Control Service, section 3.2. */

import type { Program } from '../../contract/program.ts';
import type { RunChartEvent, RunEffect } from '../../machines/run/protocol.ts';
import type { HandOvers } from '../../messaging/hand-overs.ts';
import type { Mission } from '../../mission/mission.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { FileDirectory } from '../../ports/file-directory.ts';
import type { Log } from '../../ports/log.ts';
import type { MissionSource } from '../../ports/mission-source.ts';
import type { Passes } from '../../ports/passes.ts';
import type { TargetValues } from '../../ports/target-values.ts';
import type { KnownPlatforms } from '../../telemetry/reading/known-platforms.ts';

export interface RunServices {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  readonly missions: MissionSource;
  readonly platforms: KnownPlatforms;
  readonly handOvers: HandOvers;
  readonly passes: Passes;
  readonly values: Pick<TargetValues, 'sample' | 'upToDate'>;
  readonly files: Pick<FileDirectory, 'file' | 'upToDate'>;
  /** Name of this process among the members. */
  readonly instance: string;
}

/** The run an effect is of. */
export interface RunAtHand {
  readonly run: string;
  readonly program: Program;
  /** The mission of the revision that the program names. */
  readonly mission: Mission;
  readonly by: string | undefined;
  /** Whether it is still this process's, now: false for one that slept too long. Asked before what no epoch guards. */
  readonly holds: () => boolean;
}

/**
 * Carries out one kind of effect: the event that answers it, with its ticket; undefined when `signal` ended it first or
 * it has no answer. Outages of the bus are waited for, not answered.
 */
export type Handler<Type extends RunEffect['type']> = (
  effect: Extract<RunEffect, { type: Type }>,
  at: RunAtHand,
  signal: AbortSignal,
) => Promise<RunChartEvent | undefined>;
