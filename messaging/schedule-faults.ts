/** Why a schedule or a rule is not made, as faults. Mission Control Service, section 4.6. */

import type { ErrorCode, Fault } from '../contract/errors.ts';

type Faults = readonly [Fault, ...Fault[]];

/** It cannot be made. */
export function refusal(message: string, path: string, help?: string): Fault {
  return faultAt('schedule::refused', path, { message, ...(help !== undefined && { help }) });
}

/** It does not parse at that place. */
export function malformed(path: string, fault: { readonly message: string; readonly help?: string }): Fault {
  return faultAt('schedule::invalid', path, fault);
}

/** What a launch would be refused for: its run cannot be resolved. */
export function asRefusals([first, ...more]: Faults): Faults {
  const asRefusal = (fault: Fault): Fault => ({ ...fault, code: 'schedule::refused' });
  return [asRefusal(first), ...more.map(asRefusal)];
}

function faultAt(
  code: ErrorCode,
  path: string,
  { message, help }: { readonly message: string; readonly help?: string },
): Fault {
  return { code, message, ...(help !== undefined && { help }), path };
}
