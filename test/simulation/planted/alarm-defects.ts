/** Defects of alarms to be planted between a process and its bus, each the mistake of one part of the runtime. */

import { buckets } from '../../../contract/bus/buckets.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { readStoredAlarm, storedAlarmBytes } from '../../../contract/stored-alarm.ts';
import type { Bus } from '../../../ports/bus.ts';
import { altered } from './plant.ts';
import { withBucket } from './run-defects.ts';

type Append = Parameters<Bus['append']>;

/** Changes how events of alarms are appended; `n` counts them. */
function withEvents(bus: Bus, append: (n: number, ...of: Append) => ReturnType<Bus['append']>): Bus {
  let events = 0;
  return altered(bus, {
    append: (stream, ...rest) => {
      if (stream.name !== streams.alarms.name) return bus.append(stream, ...rest);
      events += 1;
      return append(events, stream, ...rest);
    },
  });
}

/** Says that every second event is on the stream, and leaves it out. */
export function silent(bus: Bus): Bus {
  return withEvents(bus, (n, ...of) =>
    n % 2 === 0 ? Promise.resolve({ outcome: 'stored', seq: n }) : bus.append(...of),
  );
}

/** Publishes every event under another id once more. */
export function stammering(bus: Bus): Bus {
  return withEvents(bus, async (_n, stream, subject, data, { headers = {} } = {}) => {
    await bus.append(stream, subject, data, { headers });
    return bus.append(stream, subject, data, { headers });
  });
}

/** Publishes another severity than is recorded. */
export function exaggerating(bus: Bus): Bus {
  return withEvents(bus, (_n, stream, subject, data, options) => {
    const event = JSON.parse(Buffer.from(data).toString()) as object;
    const worse = Buffer.from(JSON.stringify({ ...event, severity: 'critical' }));
    return bus.append(stream, subject, worse, options);
  });
}

/** Says that a record is written at once, and writes it behind its event. */
export function tellingFirst(bus: Bus): Bus {
  let behind = Promise.resolve();
  return withBucket(bus, buckets.alarms.name, (bucket) => ({
    put: async (key, value) => {
      behind = behind.then(async () => {
        for (let n = 0; n < 20; n += 1) await bucket.get(key);
        await bucket.overwrite(key, value);
      });
      return { outcome: 'written', revision: 1 };
    },
    get: async () => undefined,
  }));
}

/** Writes records under the epoch of nobody, whatever stands there. */
export function usurping(bus: Bus): Bus {
  return withBucket(bus, buckets.alarms.name, (bucket) => ({
    put: async (key, value) => {
      const stored = readStoredAlarm(value)!;
      const bytes = storedAlarmBytes({ ...stored, epoch: 999 });
      return { outcome: 'written', revision: await bucket.overwrite(key, bytes) };
    },
  }));
}

/** Accepts every command and passes it to no alarm. */
export function polite(bus: Bus): Bus {
  return altered(bus, {
    serve: (subject, answer, options) =>
      bus.serve(
        subject,
        async (message) =>
          subject.startsWith('mcs.alarm.control.')
            ? Buffer.from(JSON.stringify({ outcome: 'accepted' }))
            : answer(message),
        options,
      ),
  });
}

/** The leader receives no values. */
export function deafToValues(bus: Bus): Bus {
  return altered(bus, {
    follow: (stream, subject, from, handle) =>
      bus.follow(stream, subject, from, (message) =>
        stream.name === streams.values.name && !subject.includes('*') ? undefined : handle(message),
      ),
  });
}

/** Submits every run once more, under another name. */
export function overeager(bus: Bus): Bus {
  return altered(bus, {
    append: async (stream, subject, data, options) => {
      const appended = await bus.append(stream, subject, data, options);
      if (stream.name !== streams.runSubmissions.name) return appended;
      const body = JSON.parse(Buffer.from(data).toString()) as { run: string };
      const other = Buffer.from(JSON.stringify({ ...body, run: `${body.run.slice(0, -1)}X` }));
      const { headers = {} } = options ?? {};
      await bus.append(stream, subject, other, { headers });
      return appended;
    },
  });
}

/** Takes the lead when it likes to: it believes that there is no lease. */
export function impatient(bus: Bus): Bus {
  return withBucket(bus, buckets.leaders.name, (bucket) => ({
    watch: async () => ({ ready: Promise.resolve(), stop: async () => undefined }),
    get: async () => undefined,
    put: async (key, value) => ({ outcome: 'written', revision: await bucket.overwrite(key, value) }),
  }));
}
