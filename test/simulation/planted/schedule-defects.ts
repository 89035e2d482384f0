/** Defects of planning to be planted between a process and its bus, each the mistake of one part of the runtime. */

import { buckets } from '../../../contract/bus/buckets.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { passKey, type StoredPass } from '../../../contract/pass.ts';
import type { StoredSchedule } from '../../../contract/stored-schedule.ts';
import type { Bucket, Bus, Entry } from '../../../ports/bus.ts';
import { altered } from './plant.ts';
import { withBucket } from './run-defects.ts';

/** Submits each run a second time under a message id of its own. */
export function submittingTwice(bus: Bus): Bus {
  return altered(bus, {
    append: async (stream, subject, data, options = {}) => {
      const appended = await bus.append(stream, subject, data, options);
      if (stream.name === streams.runSubmissions.name)
        await bus.append(stream, subject, data, { ...options, id: `${options.id}-again` });
      return appended;
    },
  });
}

/** Reads of each pass once, and of nothing that becomes of it. */
export function deafToPasses(bus: Bus): Bus {
  return withBucket(bus, buckets.passes.name, (bucket) => ({ watch: firstOnly(bucket) }));
}

/** The same, and takes a pass for what it was first also when it asks before it fires. */
export function blindToPasses(bus: Bus): Bus {
  const first = new Map<string, Entry | undefined>();
  return withBucket(bus, buckets.passes.name, (bucket) => ({
    watch: firstOnly(bucket, first),
    get: async (key) => first.get(key) ?? bucket.get(key),
  }));
}

/** Every change of a pass is reported as what it was first. */
function firstOnly(bucket: Bucket, first = new Map<string, Entry | undefined>()): Bucket['watch'] {
  return (filter, changed) =>
    bucket.watch(filter, (key, entry) => {
      const known = first.get(key) ?? entry;
      first.set(key, known);
      changed(key, entry && known && { ...entry, value: known.value });
    });
}

/** Writes another record of a schedule that stands than it is given. */
function rewriting(bus: Bus, rewrite: (record: StoredSchedule) => StoredSchedule): Bus {
  return withBucket(bus, buckets.schedules.name, (bucket) => ({
    put: (key, value, expected, options) =>
      bucket.put(key, expected === 0 ? value : bytesOf(rewrite(recordIn(value))), expected, options),
  }));
}

/** Gives a schedule that is cancelled back to the schedulers, once. */
export function reviving(bus: Bus): Bus {
  const revived = new Set<string>();
  return withBucket(bus, buckets.schedules.name, (bucket) => ({
    put: async (key, value, expected, options) => {
      const before = await bucket.get(key);
      const written = await bucket.put(key, value, expected, options);
      const isCancelled = written.outcome === 'written' && recordIn(value).state === 'cancelled';
      if (!isCancelled || before === undefined || revived.has(key)) return written;
      revived.add(key);
      return bucket.put(key, before.value, written.revision, options);
    },
  }));
}

/** Gives a validation that fell back when the start is what it was. */
export function forgiving(bus: Bus): Bus {
  const given = new Map<string, StoredSchedule>();
  return rewriting(bus, (record) => {
    const { id, validation, fire_at } = record;
    if (validation !== undefined) given.set(id, record);
    const known = given.get(id);
    if (validation !== undefined || known?.fire_at !== fire_at) return record;
    return { ...record, validation: known.validation! };
  });
}

/** Takes a schedule that is at risk for one that is missed. */
export function hasty(bus: Bus): Bus {
  return rewriting(bus, (record) => (record.state === 'at_risk' ? { ...record, state: 'missed' } : record));
}

/** Keeps of a pass what the source that leads says. */
export function forgetful(bus: Bus): Bus {
  return withBucket(bus, buckets.passes.name, (bucket) => ({
    put: (key, value, expected, options) => {
      const pass = JSON.parse(Buffer.from(value).toString()) as StoredPass;
      const contributions = { [pass.source]: pass.contributions[pass.source] };
      return bucket.put(key, bytesOf({ ...pass, contributions }), expected, options);
    },
  }));
}

/** Stores what two sources say of a pass a second time under another name. */
export function renaming(bus: Bus): Bus {
  return withBucket(bus, buckets.passes.name, (bucket) => ({
    put: async (key, value, expected, options) => {
      const written = await bucket.put(key, value, expected, options);
      const pass = JSON.parse(Buffer.from(value).toString()) as StoredPass;
      const id = `${pass.id}-again`;
      if (Object.keys(pass.contributions).length > 1)
        await bucket.put(passKey(pass.target, id), bytesOf({ ...pass, id }), 0);
      return written;
    },
  }));
}

/** Says that the schedule of a rule is written and does not write it. */
export function idle(bus: Bus): Bus {
  return withBucket(bus, buckets.schedules.name, (bucket) => ({
    put: async (key, value, expected, options) =>
      recordIn(value).by?.startsWith('rule ') === true
        ? { outcome: 'written', revision: 1 }
        : bucket.put(key, value, expected, options),
  }));
}

function recordIn(value: Uint8Array): StoredSchedule {
  return JSON.parse(Buffer.from(value).toString()) as StoredSchedule;
}

function bytesOf(record: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(record));
}
