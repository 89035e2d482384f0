/** Defects of runs to be planted between a process and its bus, each the mistake of one part of the runtime. */

import { buckets } from '../../../contract/bus/buckets.ts';
import { streams } from '../../../contract/bus/streams.ts';
import type { SendCall } from '../../../contract/link.ts';
import type { Holder } from '../../../contract/target-holds.ts';
import type { Bucket, Bus } from '../../../ports/bus.ts';
import { altered } from './plant.ts';

/** The bus with some of the calls of one bucket replaced. */
export function withBucket(bus: Bus, name: string, replaced: (bucket: Bucket) => Partial<Bucket>): Bus {
  return altered(bus, {
    bucket: (definition) => {
      const bucket = bus.bucket(definition);
      return definition.name === name ? { ...bucket, ...replaced(bucket) } : bucket;
    },
  });
}

/** Adds its hold to those that stand there, whoever they are of. */
export function greedy(bus: Bus): Bus {
  return withBucket(bus, buckets.leases.name, (bucket) => ({
    get: async () => undefined,
    put: async (key, value) => {
      const entry = await bucket.get(key);
      const holders = [...(entry === undefined ? [] : holdersIn(entry.value)), ...holdersIn(value)];
      const both = Buffer.from(JSON.stringify({ holders }));
      return { outcome: 'written', revision: await bucket.overwrite(key, both) };
    },
  }));
}

function holdersIn(value: Uint8Array): readonly unknown[] {
  return (JSON.parse(Buffer.from(value).toString()) as { holders: unknown[] }).holders;
}

/** Says that a hold is written and does not write it. */
export function pretending(bus: Bus): Bus {
  return withBucket(bus, buckets.leases.name, () => ({
    put: async () => ({ outcome: 'written', revision: 1 }),
  }));
}

/** Says that an open run is removed and leaves it. */
export function untidy(bus: Bus): Bus {
  return withBucket(bus, buckets.openRuns.name, () => ({
    remove: async () => ({ outcome: 'written', revision: 1 }),
  }));
}

/** Says that a launch is stored, and does not store it. */
export function losingLaunches(bus: Bus): Bus {
  return altered(bus, {
    append: (stream, subject, data, options) =>
      stream.name === streams.runSubmissions.name
        ? Promise.resolve({ outcome: 'stored', seq: 1 })
        : bus.append(stream, subject, data, options),
  });
}

/** Says that a telecommand is announced in the log, and writes that a while later. */
export function announcingLate(bus: Bus): Bus {
  let last = Promise.resolve();
  let behind = 0;
  return altered(bus, {
    append: async (stream, subject, data, options = {}) => {
      if (stream.name !== streams.runs.name) return bus.append(stream, subject, data, options);
      const { expectLastSubjectSeq: _, ...unconditional } = options;
      behind += 1;
      for (let n = 0; n < 20; n += 1) last = last.then(async () => void (await bus.last(stream, subject)));
      last = last.then(async () => void (await bus.append(stream, subject, data, unconditional)));
      return { outcome: 'stored', seq: behind };
    },
  });
}

/**
 * A gateway that sleeps before it sends until the hold is over, looks neither at the time nor at the hold, and says
 * that it is fenced.
 */
export function heedless(bus: Bus): Bus {
  const holdIsOver = async ({ target, hold }: SendCall): Promise<void> => {
    for (let looks = 0; looks < 500 && hold !== undefined; looks += 1) {
      const entry = await bus.bucket(buckets.leases).get(target);
      const holders = entry === undefined ? [] : (holdersIn(entry.value) as readonly Holder[]);
      if (!holders.some(({ run }) => run === hold.run)) return;
    }
  };
  return altered(bus, {
    serve: (subject, answer, options) =>
      bus.serve(
        subject,
        async (message) => {
          if (/rpc\.gateway\..*\.fence$/.test(message.subject)) return Buffer.from('{"fenced":true}');
          if (!/rpc\.gateway\..*\.send$/.test(message.subject)) return answer(message);
          const call = JSON.parse(Buffer.from(message.data).toString()) as SendCall;
          await holdIsOver(call);
          const { hold: _, ...heeded } = { ...call, notAfter: Number.MAX_SAFE_INTEGER };
          return answer({ ...message, data: Buffer.from(JSON.stringify(heeded)) });
        },
        options,
      ),
  });
}

/** Carries every command out and says that it is refused. */
export function denyingCommands(bus: Bus): Bus {
  return altered(bus, {
    serve: (subject, answer, options) =>
      bus.serve(
        subject,
        async (message) => {
          const reply = await answer(message);
          if (!subject.startsWith('mcs.run.control.')) return reply;
          return Buffer.from(JSON.stringify({ outcome: 'refused', reason: 'no' }));
        },
        options,
      ),
  });
}

/** Accepts every command and passes it to nobody. */
export function deafToCommands(bus: Bus): Bus {
  return altered(bus, {
    serve: (subject, answer, options) =>
      bus.serve(
        subject,
        async (message) =>
          subject.startsWith('mcs.run.control.')
            ? Buffer.from(JSON.stringify({ outcome: 'accepted' }))
            : answer(message),
        options,
      ),
  });
}
