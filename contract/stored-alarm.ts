/**
 * Entries of bucket `mcs_alarms`, which other programs read: the record of section 2.4 as it stands there, and beside
 * its fields `actor`, what only the writer of alarms needs. Mission Control Service, section 2.4 (decision 56).
 *
 * A1. Entries of the version before, `{record, epoch, evaluated, …}`, are read as they stood; what is written has the
 *     form of now.
 */

import type { StoredAlarm } from './alarm.ts';
import { objectIn } from './json-bytes.ts';
import { isListOf } from './reply.ts';

/** The bytes of an entry. */
export function storedAlarmBytes({ record, ...actor }: StoredAlarm): Buffer {
  return Buffer.from(JSON.stringify({ ...record, actor }));
}

/** The alarm of an entry; undefined for malformed bytes. */
export function readStoredAlarm(bytes: Uint8Array): StoredAlarm | undefined {
  const entry = objectIn(bytes);
  const stored = entry === undefined || 'record' in entry ? entry : ofNow(entry);
  return isWhole(stored) ? stored : undefined;
}

/** A1 */
function ofNow({ actor, ...record }: { readonly actor?: unknown }): object {
  return { ...(actor as object | null | undefined), record };
}

function isWhole(read: object | undefined): read is StoredAlarm {
  const { record, epoch, evaluated, reactions = [] } = (read ?? {}) as Partial<StoredAlarm>;
  return (
    typeof record?.seq === 'number' &&
    typeof record.state === 'string' &&
    typeof epoch === 'number' &&
    typeof evaluated?.position === 'number' &&
    typeof evaluated.at === 'number' &&
    isListOf(reactions, ({ seq, at }) => typeof seq === 'number' && typeof at === 'number')
  );
}
