/** Defects of transfers to be planted between a process and its bus, each the mistake of one part of the runtime. */

import { type DecodedBatch, decodeBatch } from '../../../contract/batch.ts';
import { buckets, objectStores } from '../../../contract/bus/buckets.ts';
import { header } from '../../../contract/bus/headers.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject as subjects } from '../../../contract/bus/subjects.ts';
import type { TcSubmission } from '../../../contract/telecommand.ts';
import type { StoredTransfer } from '../../../contract/transfer.ts';
import type { Bus, Entry, Objects, StreamMessage } from '../../../ports/bus.ts';
import { altered } from './plant.ts';
import { withBucket } from './run-defects.ts';

/** Takes chunks as another makes of them; undefined: it never receives that one. */
function receiving(bus: Bus, made: (message: StreamMessage) => StreamMessage | undefined): Bus {
  return altered(bus, {
    follow: (stream, subject, from, handle, options) =>
      bus.follow(
        stream,
        subject,
        from,
        async (message) => {
          const taken = stream.name === streams.fileChunks.name ? made(message) : message;
          if (taken !== undefined) await handle(taken);
        },
        options,
      ),
  });
}

/** Takes every chunk for one of generation 1. */
function mixing(bus: Bus): Bus {
  return receiving(bus, (message) => ({
    ...message,
    headers: { ...message.headers, [header.generation]: '1' },
  }));
}

/** Never receives the first part of a file. */
function deafToBeginnings(bus: Bus): Bus {
  return receiving(bus, (message) => (message.headers[header.offset] === '0' ? undefined : message));
}

function withObjects(bus: Bus, replaced: (objects: Objects) => Partial<Objects>): Bus {
  return altered(bus, {
    objects: (definition) => {
      const objects = bus.objects(definition);
      return definition.name === objectStores.files.name ? { ...objects, ...replaced(objects) } : objects;
    },
  });
}

/** Says that a part is stored, and stores it a while later. */
function storingLate(bus: Bus): Bus {
  return withObjects(bus, (objects) => ({
    replace: async (name, pieces) => {
      const parts: Uint8Array[] = [];
      for await (const piece of pieces) parts.push(piece);
      async function* again() {
        yield* parts;
      }
      void (async () => {
        for (let n = 0; n < 30; n += 1) await objects.size(name);
        await objects.replace(name, again());
      })();
      return parts.reduce((sum, { length }) => sum + length, 0);
    },
  }));
}

/** Says that parts are removed, and leaves them. */
function leavingParts(bus: Bus): Bus {
  return withObjects(bus, () => ({ remove: async () => undefined }));
}

/** Says that a transfer has left the open ones, and leaves it there. */
function leavingEntries(bus: Bus): Bus {
  return withBucket(bus, buckets.openTransfers.name, () => ({
    remove: async () => ({ outcome: 'written', revision: 1 }),
  }));
}

/** Writes another record than it is given. */
function recording(bus: Bus, made: (record: StoredTransfer) => StoredTransfer): Bus {
  return withBucket(bus, buckets.transfers.name, (bucket) => ({
    put: (key, value, expected, options) => {
      const record = JSON.parse(Buffer.from(value).toString()) as StoredTransfer;
      return bucket.put(key, Buffer.from(JSON.stringify(made(record))), expected, options);
    },
  }));
}

/** Forgets the first bytes of a file once it has the rest. */
function forgettingBytes(bus: Bus): Bus {
  let writes = 0;
  return recording(bus, (record) => {
    if (record.state !== 'PARTIAL' || record.received === undefined) return record;
    writes += 1;
    return writes < 2 ? record : { ...record, received: record.received.slice(1) };
  });
}

/** Calls a file verified as soon as it begins to come. */
function hurrying(bus: Bus): Bus {
  return recording(bus, (record) => (record.state === 'PARTIAL' ? { ...record, state: 'VERIFIED' } : record));
}

/** Writes a record that is over once more. */
function restless(bus: Bus): Bus {
  return withBucket(bus, buckets.transfers.name, (bucket) => ({
    put: async (key, value, expected, options) => {
      const written = await bucket.put(key, value, expected, options);
      const { state } = JSON.parse(Buffer.from(value).toString()) as StoredTransfer;
      if (state === 'VERIFIED' && written.outcome === 'written') await bucket.overwrite(key, value);
      return written;
    },
  }));
}

/** Watches the open runs as another makes of them. */
function seeingRuns(bus: Bus, made: (entry: Entry | undefined) => boolean): Bus {
  return withBucket(bus, buckets.openRuns.name, (bucket) => ({
    watch: (filter, changed) =>
      bucket.watch(filter, (key, entry) => {
        if (made(entry)) changed(key, entry);
      }),
  }));
}

/** Never sees that a run is over. */
function loyal(bus: Bus): Bus {
  return seeingRuns(bus, (entry) => entry !== undefined);
}

/** Sees no run that is open. */
function blindToRuns(bus: Bus): Bus {
  return seeingRuns(bus, (entry) => entry === undefined);
}

/** Sends another telecommand than it is given. */
function sending(bus: Bus, made: (submission: TcSubmission) => readonly TcSubmission[]): Bus {
  return altered(bus, {
    append: async (stream, subject, data, options = {}) => {
      if (stream.name !== streams.telecommands.name) return bus.append(stream, subject, data, options);
      const submission = JSON.parse(Buffer.from(data).toString()) as TcSubmission;
      const [first, ...more] = made(submission).map((each) => ({
        bytes: Buffer.from(JSON.stringify(each)),
        id: each.id,
      }));
      const appended = await bus.append(stream, subject, first!.bytes, { ...options, id: first!.id });
      for (const { bytes, id } of more) await bus.append(stream, subject, bytes, { ...options, id });
      return appended;
    },
  });
}

/** Asks for each part twice. */
function stuttering(bus: Bus): Bus {
  return sending(bus, (submission) => [submission, { ...submission, id: `${submission.id.slice(0, -2)}ZZ` }]);
}

/** Writes without the run that uploads. */
function ownerless(bus: Bus): Bus {
  return sending(bus, ({ run: _, ...submission }) => [submission]);
}

/** What gateways report of themselves is something else. */
function reporting(bus: Bus, made: (report: Record<string, unknown>) => object): Bus {
  return altered(bus, {
    subscribe: (subject, handle, options) =>
      bus.subscribe(
        subject,
        (message) => {
          if (subject !== subjects.metrics) return handle(message);
          const report = JSON.parse(Buffer.from(message.data).toString()) as Record<string, unknown>;
          handle({ ...message, data: Buffer.from(JSON.stringify(made(report))) });
        },
        options,
      ),
  });
}

/** Takes links for fifty times as fast as they are. */
function eager(bus: Bus): Bus {
  const downlink = { frames: 0, bytes: 0, frames_per_second: 0, bytes_per_second: 100_000 };
  return reporting(bus, (report) => ({ ...report, downlink }));
}

/** Takes every link for one that is up. */
function hopeful(bus: Bus): Bus {
  return reporting(bus, (report) => ({ ...report, link: { state: 'up', since: 0 } }));
}

/** Says that the states of transfers are published, and publishes none. */
function secretive(bus: Bus): Bus {
  return altered(bus, {
    append: async (stream, subject, data, options) => {
      const isState =
        stream.name === streams.decoded.name &&
        decodeBatch<DecodedBatch>(data).files?.some(({ transfer }) => transfer !== undefined) === true;
      return isState ? { outcome: 'stored', seq: 1 } : bus.append(stream, subject, data, options);
    },
  });
}

/** Who begins to lead reads every record as it is before anything of it came, and receives nothing of before. */
function beginningAgain(bus: Bus): Bus {
  const shown = withBucket(bus, buckets.transfers.name, (bucket) => ({
    get: async (key) => {
      const entry = await bucket.get(key);
      if (entry === undefined) return undefined;
      const { received: _, ...record } = JSON.parse(Buffer.from(entry.value).toString()) as StoredTransfer;
      return { ...entry, value: Buffer.from(JSON.stringify(record)) };
    },
  }));
  return altered(shown, {
    follow: (stream, subject, from, handle, options) => {
      const isChunks = stream.name === streams.fileChunks.name;
      return shown.follow(stream, subject, isChunks ? { from: 'now' } : from, handle, options);
    },
  });
}

/** Defects of those that decode alone. */
function decoding(made: (bus: Bus) => Bus): (bus: Bus, instance: string) => Bus {
  return (bus, instance) => (instance.startsWith('decoder-') ? made(bus) : bus);
}

/** Goes on with a file without a look at what of it is published. */
function forgetful(bus: Bus): Bus {
  return altered(bus, {
    follow: (stream, subject, from, handle, options) =>
      bus.follow(
        stream,
        subject,
        stream.name === streams.decoded.name ? { from: 'now' } : from,
        handle,
        options,
      ),
  });
}

/** Answers with another count. */
function miscounting(bus: Bus): Bus {
  return altered(bus, {
    serve: (subject, answer, options) =>
      bus.serve(
        subject,
        async (message) => {
          const reply = JSON.parse(Buffer.from(await answer(message)).toString()) as { samples?: number };
          return Buffer.from(JSON.stringify({ ...reply, samples: (reply.samples ?? 1) - 1 }));
        },
        options,
      ),
  });
}

/** Publishes samples of the past as those of now. */
function undeferred(bus: Bus): Bus {
  return altered(bus, {
    append: (stream, subject, data, options = {}) => {
      const { [header.delivery]: _, ...headers } = options.headers ?? {};
      return bus.append(stream, subject, data, { ...options, headers });
    },
  });
}

interface Planted {
  readonly what: string;
  readonly planted: (bus: Bus, instance: string) => Bus;
  readonly checker: string;
  /** Where it shows in the scenario that is written out: by default that of downloads. */
  readonly needs?: 'upload' | 'decoding';
  /** So many seeds from 1 on find it (docs/simulation.md). */
  readonly within: number;
}

/** Each with the checker that finds it. */
export const PLANTED: readonly Planted[] = [
  {
    what: 'MC-GEN-022 MC-XFER-030 bytes of another generation',
    planted: mixing,
    checker: 'files-are-one-generation',
    within: 10,
  },
  {
    what: 'MC-XFER-047 bytes that are recorded before they are stored',
    planted: storingLate,
    checker: 'stored-before-recorded',
    within: 10,
  },
  {
    what: 'MC-XFER-023 a file that is verified before it is there',
    planted: hurrying,
    checker: 'transfers-walk-their-states',
    within: 10,
  },
  {
    what: 'MC-XFER-031 a transfer that is over and goes on',
    planted: restless,
    checker: 'final-transfers-stay',
    within: 10,
  },
  {
    what: 'MC-XFER-049 bytes that a record forgets',
    planted: forgettingBytes,
    checker: 'nothing-received-is-lost',
    within: 10,
  },
  {
    what: 'MC-XFER-041 bytes that are asked twice',
    planted: stuttering,
    checker: 'no-byte-asked-twice',
    within: 10,
  },
  {
    what: 'MC-XFER-049 a leader that begins again',
    planted: beginningAgain,
    checker: 'asks-what-is-missing',
    within: 40,
  },
  {
    what: 'MC-XFER-040 MC-XFER-050 more than two seconds of rate',
    planted: eager,
    checker: 'pipeline-below-two-seconds',
    within: 10,
  },
  {
    what: 'MC-XFER-037 requests into a link that is gone',
    planted: hopeful,
    checker: 'nothing-asked-without-link',
    within: 150,
  },
  {
    what: 'MC-UPL-009 MC-XFER-064 bytes that are written without a run',
    planted: ownerless,
    checker: 'asked-under-the-lease-of-its-run',
    within: 10,
  },
  {
    what: 'MC-XFER-032 a state that is not published',
    planted: secretive,
    checker: 'states-are-published',
    within: 10,
  },
  {
    what: 'MC-XFER-032 a state that is not shown',
    planted: secretive,
    checker: 'states-shown-as-recorded',
    within: 10,
  },
  {
    what: 'MC-XFER-036 a transfer that never ends',
    planted: deafToBeginnings,
    checker: 'transfers-end',
    within: 10,
  },
  {
    what: 'MC-XFER-047 parts that are left',
    planted: leavingParts,
    checker: 'nothing-of-transfers-is-left',
    within: 10,
  },
  {
    what: 'MC-XFER-049 an entry that is left',
    planted: leavingEntries,
    checker: 'nothing-of-transfers-is-left',
    within: 10,
  },
  {
    what: 'MC-UPL-009 a run that is over and waited for',
    planted: loyal,
    checker: 'end-of-run-is-said',
    needs: 'upload',
    within: 10,
  },
  {
    what: 'MC-UPL-009 a run that is suspended and taken for over',
    planted: blindToRuns,
    checker: 'left-alone-when-its-run-is-over',
    needs: 'upload',
    within: 50,
  },
  {
    what: 'MC-XFER-056 samples that are published again by whoever goes on',
    planted: decoding(forgetful),
    checker: 'stored-samples-once',
    needs: 'decoding',
    within: 150,
  },
  {
    what: 'MC-XFER-033 a count of samples that is another one',
    planted: decoding(miscounting),
    checker: 'processed-with-its-count',
    needs: 'decoding',
    within: 20,
  },
  {
    what: 'MC-XFER-056 MC-XFER-059 samples of the past as samples of now',
    planted: decoding(undeferred),
    checker: 'stored-samples-are-deferred',
    needs: 'decoding',
    within: 20,
  },
];
