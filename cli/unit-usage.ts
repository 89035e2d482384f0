/** How `mcs unit` is called: in a file of its own, so that saying it loads nothing. */

import { UNIT_FAULTS } from '../supervision/unit/faults.ts';

export const LIST_USAGE = `mcs unit list [--json] [--utc | --local]
  the fleet: which are alive, what they are busy with, and their gateways
`;

export const SELFTEST_USAGE = `mcs unit selftest SERIAL [--json]
  its self-test report; exit code 1 where a check failed
`;

export const UPDATE_USAGE = `mcs unit update SERIAL --image URL --version V [--wait S] [--json]
  for supervisors (--role supervisor); waits until the unit is back, --wait 0 does not; default 300 s
`;

export const REBOOT_USAGE = `mcs unit reboot SERIAL [--wait S] [--json]
  for supervisors (--role supervisor); waits until the unit is back, --wait 0 does not; default 300 s
`;

export const ENROL_USAGE = `mcs unit enrol SERIAL PUBLIC_KEY [--json]
  its first credential (a JWT), for supervisors
`;

export const REMOVE_USAGE = `mcs unit remove SERIAL [--json]
  takes a unit that is no more out of the fleet, for supervisors
`;

export const SIMULATE_USAGE = `mcs unit simulate SERIAL --nats URL [--state DIR] [--hardware REV] [--version V] [--gateway NAME …]
                  [--period MS] [--reboot MS] [--install MS] [--trust PUBLIC_KEY_FILE] [--fault NAME …]
  a unit that is not there; faults: ${Object.keys(UNIT_FAULTS).join(', ')} (on stdin: fault NAME on|off)
`;

export const IMAGE_USAGE = `mcs unit image FILE --key KEY --hardware REV[,REV] --version V [--content FILE]
  an image for simulated units, signed with a key that is made where it is missing (public part: KEY.pub)
`;
