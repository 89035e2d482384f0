/** How entries of buckets are named and read by the looks. */

import { type BucketDefinition, buckets } from '../../contract/bus/buckets.ts';
import { parseJsonBytes } from '../../contract/json-bytes.ts';
import { isKey } from '../../contract/token.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Finding } from './finding.ts';

export function whereOf({ name }: Pick<BucketDefinition, 'name'>, key: string): string {
  return `${name} ${key}`;
}

/** The fields of an entry in JSON; undefined where it is no object. */
export function fieldsIn(bytes: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const read = parseJsonBytes(bytes);
    if (typeof read !== 'object' || read === null || Array.isArray(read)) return undefined;
    return read as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}

/** Whether the program of a run is stored: what can be no key names none. Rejects with an outage. */
export async function hasProgram(bus: Bus, ir: string): Promise<boolean> {
  return isKey(ir) && (await bus.bucket(buckets.programs).get(ir)) !== undefined;
}

/** Nothing is removed whose meaning is not known: a person looks at it. */
export function unreadable(bucket: BucketDefinition, key: string, what: string): Finding {
  return {
    check: 'unreadable-record',
    where: whereOf(bucket, key),
    what: `${what} is malformed`,
    remedy: `look at it with \`nats kv get ${bucket.name} ${key}\`; correct it, or remove it with \`nats kv del\``,
  };
}
