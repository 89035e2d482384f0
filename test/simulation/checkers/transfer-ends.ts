/** How transfers end, and what is left of them: MC-XFER-032, and Mission Control Service, section 4.7 rule 3. */

import {
  contentObject,
  isOpenTransfer,
  type StoredTransfer,
  transferKey,
} from '../../../contract/transfer.ts';
import { keyOf } from '../run-history.ts';
import type { FileHistory } from '../transfers/history.ts';
import type { KnownState } from '../transfers/known-files.ts';
import { termsOf } from '../transfers/terms.ts';
import type { StoredMessage } from '../twin/stored-stream.ts';
import type { Checker } from './checker.ts';

export const transfersEnd: Checker = {
  name: 'transfers-end',
  overRewinds: 'kept',
  promise:
    'when links are back and nobody is killed any more every download ends, and every upload whose run goes on holding the target',
  *check({ files }) {
    for (const key of files?.unfinished ?? []) {
      const { state, received, reason = '' } = files!.records.get(key)!;
      yield `${key} is ${state} with ${JSON.stringify(received)}: ${reason}`;
    }
  },
};

export const statesArePublished: Checker = {
  name: 'states-are-published',
  promise: 'each change of a record is a sample of its file behind it and no earlier, and no other state is',
  *check({ files }) {
    if (files === undefined) return;
    const changes = new Map<string, { readonly at: number; readonly order: number }[]>();
    for (const { record, message } of files.versions)
      for (const { state, at } of record.actor.changes)
        noted(changes, stateName(record.target, record.file_id, record.generation, state), {
          at: Date.parse(at),
          order: message.order,
        });
    const published = new Map<string, number[]>();
    for (const { target, sample, message } of files.said) {
      if (sample.transfer === undefined) continue;
      const name = stateName(target, sample.file, sample.transfer_generation, sample.transfer);
      noted(published, name, sample.ground);
      const known = changes.get(name) ?? [];
      if (!known.some(({ at, order }) => order < message.order && at <= sample.ground))
        yield `${name} is published (${message.seq}) and was not recorded`;
    }
    for (const record of files.records.values())
      for (const { state, at } of record.actor.changes) {
        const name = stateName(record.target, record.file_id, record.generation, state);
        if (!published.get(name)?.some((ground) => ground >= Date.parse(at)))
          yield `${name} of ${at} is recorded and was never published`;
      }
  },
};

function noted<Item>(into: Map<string, Item[]>, name: string, item: Item): void {
  into.set(name, [...(into.get(name) ?? []), item]);
}

function stateName(target: string, file: string, generation: number | undefined, state: string): string {
  return `${state} of file ${file} of ${target}, generation ${generation}`;
}

export const shownAsRecorded: Checker = {
  name: 'states-shown-as-recorded',
  promise:
    'in the end every process shows the state of the last transfer of each file, of the generation that is on board',
  *check({ files }) {
    for (const known of files?.known ?? []) yield* shownFaults(known, files!);
  },
};

/** Of a generation that is not listed yet (an upload) a state is shown as well, and hides those of earlier ones. */
function* shownFaults(
  { by, target, file, generation = 0, transfer, of }: KnownState,
  files: FileHistory,
): Iterable<string> {
  const own = [...files.records.values()].filter(
    (record) => record.target === target && record.file_id === file && record.generation >= generation,
  );
  const last = Math.max(...own.map((record) => record.generation));
  const expected = own.filter((record) => record.generation === last).map(({ state }) => state);
  const isRight =
    transfer === undefined ? own.length === 0 : of === last && expected.some((state) => state === transfer);
  if (!isRight)
    yield `${by} shows ${transfer} of file ${file} of ${target}, generation ${of} of ${generation}; recorded is ${expected.join() || 'nothing'} of ${last}`;
}

export const nothingIsLeftOver: Checker = {
  name: 'nothing-of-transfers-is-left',
  promise:
    'of a transfer that is over no part is stored and no entry among the open ones is there; a file that came is',
  *check({ files }) {
    if (files === undefined) return;
    for (const key of files.index) {
      const record = files.records.get(key);
      if (record === undefined || !isOpenTransfer(record)) yield `${key} is over and among the open ones`;
    }
    const stored = objectsIn(files);
    const terms = termsOf(files.leases);
    for (const [name, message] of stored) {
      const [target = '', file_id = '', generation = '', offset] = name.split('.');
      // What a leader had on its way when another took its place arrives when it does, and goes with its bucket.
      const leader = terms.findLast(({ order }) => order < message.order)?.owner;
      if (offset === undefined || leader !== message.by) continue;
      const record = files.records.get(`${target}.${file_id}.${generation}`);
      if (record === undefined || !isOpenTransfer(record))
        yield `part ${name} of ${message.data.length} bytes is left of a transfer that is over`;
    }
    for (const record of files.records.values())
      if (isMissing(record, stored))
        yield `${transferKey(record)} is ${record.state} and its content is not stored`;
  },
};

function objectsIn({ objects }: FileHistory): Map<string, StoredMessage> {
  const stored = new Map<string, StoredMessage>();
  for (const message of objects) {
    if (message.removal) stored.delete(keyOf(message));
    else stored.set(keyOf(message), message);
  }
  return stored;
}

function isMissing(record: StoredTransfer, stored: ReadonlyMap<string, StoredMessage>): boolean {
  const { direction, state, size } = record;
  if (direction === 'upload' || size === 0 || !['COMPLETE', 'VERIFIED', 'CORRUPTED'].includes(state))
    return false;
  return stored.get(contentObject(record).replaceAll('/', '.'))?.data.length !== size;
}
