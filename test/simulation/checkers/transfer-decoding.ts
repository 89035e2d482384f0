/**
 * What is decoded of files that came down is what stands in them, each sample once and as one of the past, whoever died
 * on the way: MC-XFER-028, MC-XFER-033 to MC-XFER-035, MC-XFER-056 and MC-XFER-058.
 */

import { type DecodedBatch, decodeBatch, type SampleBlock } from '../../../contract/batch.ts';
import { header } from '../../../contract/bus/headers.ts';
import { contentObject, type StoredTransfer } from '../../../contract/transfer.ts';
import { createDriver } from '../../../links/driver/protocols.ts';
import { FileReader } from '../../../links/files/file-reader.ts';
import { load } from '../../../mission/load.ts';
import { STORED_FILE } from '../transfers/decoding-troubles.ts';
import type { FileHistory } from '../transfers/history.ts';
import { filesMission } from '../transfers/mission.ts';
import type { StoredMessage } from '../twin/stored-stream.ts';
import type { Checker } from './checker.ts';

/** Samples by measure and time. */
type Samples = ReadonlyMap<string, number>;

export const storedSamplesOnce: Checker = {
  name: 'stored-samples-once',
  promise: 'every sample of a file is published once, as it stands in the file, and no other is',
  *check({ files }) {
    if (files === undefined) return;
    for (const [object, messages] of decodedByObject(files)) {
      const record = recordOf(object, files);
      const expected = record && expectedOf(record, files);
      if (expected === undefined) {
        yield `${object} is decoded, and there is no such file`;
        continue;
      }
      const found = messages.flatMap(({ data }) => samplesIn(decodeBatch<DecodedBatch>(data).blocks));
      const seen = new Set<string>();
      for (const [sample, value] of found) {
        if (seen.has(sample)) yield `${object}: ${sample} is published twice`;
        else if (expected.get(sample) !== value) yield `${object}: ${sample} is ${value} and not in the file`;
        seen.add(sample);
      }
      if (record!.state === 'PROCESSED' && seen.size < expected.size)
        yield `${object} is PROCESSED with ${seen.size} of ${expected.size} samples`;
    }
  },
};

export const storedSamplesAreDeferred: Checker = {
  name: 'stored-samples-are-deferred',
  promise: 'what is decoded of a file is marked as deferred, and becomes values that are, once',
  *check({ files }) {
    if (files === undefined) return;
    for (const messages of decodedByObject(files).values())
      for (const message of messages) {
        if (message.headers[header.delivery] !== 'deferred') yield `${message.seq} is not marked as deferred`;
        const values = files.values.filter(
          (each) => targetOf(each) === targetOf(message) && each.headers[header.source] === `${message.seq}`,
        );
        if (values.length !== 1) yield `${message.seq} became ${values.length} batches of values`;
        if (values.some(({ headers }) => headers[header.delivery] !== 'deferred'))
          yield `${message.seq} became values of now`;
      }
  },
};

export const processedRightly: Checker = {
  name: 'processed-with-its-count',
  promise: 'a file of stored telemetry ends PROCESSED with its count, or VERIFIED where a driver refused it',
  *check({ files }) {
    if (files === undefined) return;
    for (const [key, record] of files.records) {
      const { state, reason, direction, file_id } = record;
      const isStored = direction === 'download' && file_id === STORED_FILE;
      if (state === 'PROCESSED' && !isStored) yield `${key} is PROCESSED and holds no telemetry`;
      if (!isStored) continue;
      const expected = expectedOf(record, files)?.size;
      if (state === 'PROCESSED' && reason !== `${expected} samples`)
        yield `${key} is PROCESSED with ${reason}; it holds ${expected} samples`;
      if (state === 'VERIFIED' && !files.undecodable.has(contentObject(record)))
        yield `${key} stays VERIFIED: ${JSON.stringify(record.actor.decoding)} ${reason ?? ''}`;
    }
  },
};

function decodedByObject({ decoded }: FileHistory): Map<string, StoredMessage[]> {
  const byObject = new Map<string, StoredMessage[]>();
  for (const message of decoded) {
    const object = message.headers[header.file]?.split(' ').at(-1);
    if (object !== undefined) byObject.set(object, [...(byObject.get(object) ?? []), message]);
  }
  return byObject;
}

function recordOf(object: string, { records }: FileHistory): StoredTransfer | undefined {
  return records.get(object.replaceAll('/', '.'));
}

function expectedOf(record: StoredTransfer, files: FileHistory): Samples | undefined {
  const bytes = files.generation(record)?.versions.at(-1);
  if (bytes === undefined) return undefined;
  const mission = loaded();
  const target = mission.targets.get(record.target)!;
  const link = target.links.get(target.defaultLink)!;
  const driver = createDriver(mission.drivers.get(link.driver!)!, { bucket: () => undefined } as never);
  const framing = target.platform!.files!.types.find(({ number }) => number === record.file_type)?.frames;
  if (!driver.ok || framing === undefined) return undefined;
  const source = { target, link, platform: target.platform! };
  const reader = new FileReader({ source, driver: driver.value, framing, groundMs: 0 });
  const batches = [...reader.push(bytes), reader.end()];
  return new Map(batches.flatMap((batch) => samplesIn(batch?.blocks ?? [])));
}

function samplesIn(blocks: readonly SampleBlock[]): [string, number][] {
  return blocks.flatMap(({ ordinals, onboard, raw }) =>
    [...raw].map((value, index): [string, number] => [
      `measure ${ordinals[index % ordinals.length]} at ${onboard[Math.floor(index / ordinals.length)]}`,
      value,
    ]),
  );
}

function targetOf({ subject }: StoredMessage): string {
  return subject.split('.').at(-1) ?? '';
}

let mission: ReturnType<typeof load> | undefined;

function loaded(): ReturnType<typeof load> {
  const { configuration, revision } = filesMission();
  mission ??= load(configuration, revision);
  return mission;
}
