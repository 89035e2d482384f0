/** `configure` and `set_mode`. Mission Control Service, section 2.5 and section 4.2. */

import { READBACK_WITHIN_MS } from '../../../contract/limits/run.ts';
import { nearHelp } from '../../../contract/near.ts';
import type { FaultsAt } from '../../document/fault.ts';
import type { ConfigureDocument, SetModeDocument } from '../../document/statement.ts';
import type { Role, Statement } from '../procedure.ts';
import { positiveTimeIn } from './duration.ts';
import { configureLongestMs } from './longest.ts';
import type { Names } from './names.ts';
import { roleNamed } from './reference.ts';

/** The statement; undefined after a fault. Which values the mode has is known with the target. */
export function compileConfigure(
  document: ConfigureDocument,
  names: Names,
  faults: FaultsAt,
): Statement | undefined {
  const { configure: role, mode, within } = document;
  const withinMs = within === undefined ? READBACK_WITHIN_MS : positiveTimeIn(within, faults.in('within'));
  const found = roleNamed(role, names, faults.in('configure'));
  if (found === undefined) return undefined;
  checkMode(mode, found, names, faults.in('mode'));
  return {
    kind: 'configure',
    role,
    mode,
    withinMs,
    longestMs: configureLongestMs(found.compiled, withinMs),
  };
}

/** The statement; undefined after a fault. */
export function compileSetMode(
  document: SetModeDocument,
  names: Names,
  faults: FaultsAt,
): Statement | undefined {
  const { set_mode: role, mode } = document;
  const found = roleNamed(role, names, faults.in('set_mode'));
  if (found === undefined) return undefined;
  checkMode(mode, found, names, faults.in('mode'));
  return { kind: 'set_mode', role, mode, longestMs: 0 };
}

/** A mode that no target of the platform has is a slip; while none flies it, nobody can tell. */
function checkMode(mode: string, { platformId }: Role, { header }: Names, faults: FaultsAt): void {
  const fleet = header.around.fleet(platformId);
  if (fleet === undefined || fleet.modes.has(mode)) return;
  faults.fault(`no target of ${platformId} has a mode "${mode}"`, nearHelp(mode, fleet.modes, 'modes'));
}
