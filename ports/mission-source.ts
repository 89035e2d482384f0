/** Where a role finds the mission: the current one, and those that messages on the bus still refer to. */

import type { Mission } from '../mission/mission.ts';

export interface MissionSource {
  /** Undefined until a configuration is published. */
  readonly current: Mission | undefined;
  /** False until it is found out which configuration is in force, if any; a source that always knows leaves it out. */
  readonly known?: boolean;
  /** The mission of a revision, also of an earlier one; undefined when the bus does not hold it. */
  at(revision: string): Promise<Mission | undefined>;
  /** Called with each mission taken up, at once with the current one if there is one. */
  onChange(listener: (mission: Mission) => void): () => void;
}
