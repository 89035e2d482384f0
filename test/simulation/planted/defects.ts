/**
 * Defects to be planted between a process and its bus, each the mistake of one part of the runtime. The parts
 * themselves are the real ones.
 */

import { decodeBatch, encodeBatch, type ValueBatch } from '../../../contract/batch.ts';
import { type StreamDefinition, streams } from '../../../contract/bus/streams.ts';
import { Outage } from '../../../contract/outage.ts';
import { isFinalTcState } from '../../../contract/telecommand-state.ts';
import type { Bus, CoreMessage } from '../../../ports/bus.ts';
import { altered } from './plant.ts';

/** Messages of one stream have no ids. */
export function withoutIds({ name }: StreamDefinition): (bus: Bus) => Bus {
  return (bus) =>
    altered(bus, {
      append: (stream, subject, data, { id, ...options } = {}) =>
        bus.append(
          stream,
          subject,
          data,
          stream.name === name || id === undefined ? options : { ...options, id },
        ),
    });
}

/** Nor does anybody find what stands there already. */
export function withoutPast(definition: StreamDefinition): (bus: Bus) => Bus {
  return (bus) => {
    const whole = withoutIds(definition)(bus);
    return altered(whole, {
      last: async (stream, subject) =>
        stream.name === definition.name ? undefined : whole.last(stream, subject),
    });
  };
}

/** Expects an older position of every second event than it knows. */
export function misjudging(bus: Bus): Bus {
  let events = 0;
  return altered(bus, {
    append: (stream, subject, data, options = {}) => {
      const { expectLastSubjectSeq = 0 } = options;
      if (stream.name !== streams.telecommandEvents.name || expectLastSubjectSeq === 0) {
        return bus.append(stream, subject, data, options);
      }
      events += 1;
      const expected = events % 2 === 0 ? expectLastSubjectSeq - 1 : expectLastSubjectSeq;
      return bus.append(stream, subject, data, { ...options, expectLastSubjectSeq: expected });
    },
  });
}

/** The first process writes SENT when somebody else has written behind it, whatever stands there. */
export function unfenced(bus: Bus, instance: string): Bus {
  return altered(bus, {
    append: async (stream, subject, data, options = {}) => {
      const { expectLastSubjectSeq = 0, headers = {} } = options;
      if (instance !== 'p0-1' || !Buffer.from(data).toString().includes('"SENT"')) {
        return bus.append(stream, subject, data, options);
      }
      for (let n = 0; n < 50; n += 1) {
        const last = await bus.last(stream, subject);
        if (last !== undefined && last.seq > expectLastSubjectSeq) break;
      }
      return bus.append(stream, subject, data, { headers });
    },
  });
}

/** Takes a gateway that nobody serves for one that refuses. */
export function impatient(bus: Bus): Bus {
  return altered(bus, {
    request: async (subject, data, options) => {
      try {
        return await bus.request(subject, data, options);
      } catch (error) {
        const isAbsent = error instanceof Outage && error.code === 'bus.no-responder';
        if (!isAbsent || !subject.endsWith('.send')) throw error;
        const gateway = subject.split('.').at(-2);
        return Buffer.from(
          JSON.stringify({ outcome: 'refused', detail: `gateway ${gateway} is not running` }),
        );
      }
    },
  });
}

/** Believes that a stream holds whatever it once held. */
export function trusting(bus: Bus): Bus {
  return altered(bus, { stillHolds: async () => true });
}

export function forgetful(bus: Bus): Bus {
  let asked = 0;
  return altered(bus, {
    serve: (subject, answer, options) =>
      bus.serve(
        subject,
        (message) => {
          asked += 1;
          return answer(message.subject.endsWith('.send') ? anew(message, asked) : message);
        },
        options,
      ),
  });
}

function anew(message: CoreMessage, asked: number): CoreMessage {
  const { recovering: _recovering, ...call } = JSON.parse(Buffer.from(message.data).toString());
  return { ...message, data: Buffer.from(JSON.stringify({ ...call, key: `${call.key}.${asked}` })) };
}

/** Says that an event is stored and stores it a second later. */
export function hasty(bus: Bus): Bus {
  let last = Promise.resolve();
  let seq = 0;
  return altered(bus, {
    append: async (stream, subject, data, options) => {
      if (stream.name !== streams.telecommandEvents.name) return bus.append(stream, subject, data, options);
      // A read takes the time of a hop; many of them take longer than the gateway.
      for (let n = 0; n < 20; n += 1) last = last.then(async () => void (await bus.last(stream, subject)));
      last = last.then(
        async () => void (await bus.append(stream, subject, data, { headers: options?.headers ?? {} })),
      );
      seq += 1;
      return { outcome: 'stored', seq };
    },
  });
}

export function restless(bus: Bus): Bus {
  return altered(bus, {
    append: async (stream, subject, data, options) => {
      const stored = await bus.append(stream, subject, data, options);
      if (stream.name !== streams.telecommandEvents.name || stored.outcome !== 'stored') return stored;
      const event = JSON.parse(Buffer.from(data).toString()) as { state: string };
      if (isFinalTcState(event.state)) {
        const again = Buffer.from(JSON.stringify({ ...event, state: 'SENT' }));
        await bus.append(stream, subject, again, {
          expectLastSubjectSeq: stored.seq,
          headers: options?.headers ?? {},
        });
      }
      return stored;
    },
  });
}

export function careless(bus: Bus): Bus {
  return altered(bus, {
    append: (stream, subject, data, options) =>
      stream.name === streams.telecommands.name
        ? Promise.resolve({ outcome: 'stored', seq: 1 })
        : bus.append(stream, subject, data, options),
  });
}

export function lying(bus: Bus): Bus {
  return altered(bus, {
    serve: (subject, answer, options) =>
      bus.serve(
        subject,
        async (message) =>
          message.subject.endsWith('.send')
            ? Buffer.from(JSON.stringify({ outcome: 'sent', at: Date.UTC(2026, 2, 1, 12) }))
            : answer(message),
        options,
      ),
  });
}

/** Every tenth value batch is said to be stored and is not. */
export function dropping(bus: Bus): Bus {
  let batches = 0;
  return altered(bus, {
    append: (stream, subject, data, options) => {
      if (stream.name !== streams.values.name) return bus.append(stream, subject, data, options);
      batches += 1;
      return batches % 10 === 0
        ? Promise.resolve({ outcome: 'stored', seq: 1 })
        : bus.append(stream, subject, data, options);
    },
  });
}

/** A follower of values receives nothing after the fiftieth message. */
export function hardOfHearing(bus: Bus): Bus {
  return altered(bus, {
    follow: (stream, subject, from, handle) => {
      if (stream.name !== streams.values.name || !subject.includes('*')) {
        return bus.follow(stream, subject, from, handle);
      }
      let received = 0;
      return bus.follow(stream, subject, from, (message) => {
        received += 1;
        return received > 20 ? undefined : handle(message);
      });
    },
  });
}

/**
 * Whoever reads the values does not look whether they became current: each consumer takes them in the order they come.
 */
export function unordered(bus: Bus): Bus {
  return altered(bus, {
    follow: (stream, subject, from, handle) =>
      bus.follow(stream, subject, from, (message) =>
        handle(stream.name === streams.values.name ? { ...message, data: unmarked(message.data) } : message),
      ),
  });
}

/** The owner of a target marks nothing. */
export function unmarking(bus: Bus): Bus {
  return altered(bus, {
    append: (stream, subject, data, options) =>
      bus.append(stream, subject, stream.name === streams.values.name ? unmarked(data) : data, options),
  });
}

function unmarked(data: Uint8Array): Uint8Array {
  const batch = decodeBatch<ValueBatch>(data);
  return encodeBatch({ ...batch, blocks: batch.blocks.map(({ superseded: _, ...block }) => block) });
}
