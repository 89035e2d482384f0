/**
 * `mcs unit`: bench units. Thin clients of the routes of units, and a unit that is not there, for trying all of it.
 * Mission Control Service, section 4.8. Exit code: 0 when it was done, 1 when it was refused or failed or the service
 * does not answer, 2 when the command line is malformed.
 */

import { defineVerbs, loadedWhenCalled as loaded } from './command.ts';
import {
  ENROL_USAGE,
  IMAGE_USAGE,
  LIST_USAGE,
  REBOOT_USAGE,
  REMOVE_USAGE,
  SELFTEST_USAGE,
  SIMULATE_USAGE,
  UPDATE_USAGE,
} from './unit-usage.ts';

/** A client of the API has no need of what a unit needs. */
export const unit = defineVerbs('unit', {
  list: loaded(LIST_USAGE, async () => (await import('./unit-list.ts')).list),
  selftest: loaded(SELFTEST_USAGE, async () => (await import('./unit-call.ts')).selftest),
  update: loaded(UPDATE_USAGE, async () => (await import('./unit-call.ts')).update),
  reboot: loaded(REBOOT_USAGE, async () => (await import('./unit-call.ts')).reboot),
  enrol: loaded(ENROL_USAGE, async () => (await import('./unit-enrol.ts')).enrol),
  remove: loaded(REMOVE_USAGE, async () => (await import('./unit-enrol.ts')).remove),
  simulate: loaded(SIMULATE_USAGE, async () => (await import('./unit-simulate.ts')).simulate),
  image: loaded(IMAGE_USAGE, async () => (await import('./unit-image.ts')).image),
});
