/** What is kept of telecommands and runs beside their logs (decision 31): a shortcut that may be removed at any time. */

import { fromCellId } from '../../actors/telecommand/work.ts';
import { bucketStream } from '../../bus/declared.ts';
import { buckets } from '../../contract/bus/buckets.ts';
import { type StreamDefinition, streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { isToken } from '../../contract/token.ts';
import { isKept, readEnvelope } from '../../messaging/kept-envelopes.ts';
import type { Entry } from '../../ports/bus.ts';
import type { Look, LookTools } from './finding.ts';
import { unreadable, whereOf } from './records.ts';

export const envelopes: Look = {
  checks: ['snapshot-ahead-of-log', 'unreadable-record'],
  needs: [bucketStream(buckets.actors), streams.telecommandEvents.name, streams.runs.name],
  look: (tools) => tools.bus.inventory.entries(buckets.actors, (entry) => lookAt(entry, tools)),
};

async function lookAt(entry: Entry, { bus, found }: LookTools): Promise<void> {
  const { key, revision } = entry;
  const log = logOf(key);
  const envelope = readEnvelope(entry);
  const repair = async (): Promise<boolean> =>
    (await bus.bucket(buckets.actors).remove(key, revision)).outcome === 'written';
  if (envelope === undefined) {
    const finding = unreadable(buckets.actors, key, 'the snapshot');
    // Beside a log it is a shortcut; of any other kind it is all there is.
    return found(log === undefined ? finding : { ...finding, remedy: REMOVED, repair });
  }
  if (log === undefined || !isKept(envelope)) return;
  const last = await bus.last(log.stream, log.about);
  const { position } = envelope.covers;
  if (last !== undefined && last.seq >= position) return;
  const end = last === undefined ? 'which has none' : `which ends at ${last.seq}`;
  const what = `it covers its log up to position ${position} of ${log.stream.name}, ${end}`;
  found({
    check: 'snapshot-ahead-of-log',
    where: whereOf(buckets.actors, key),
    what,
    remedy: REMOVED,
    repair,
  });
}

const REMOVED = 'it is removed: the next owner of the entity reads its log';

function logOf(key: string): { stream: StreamDefinition; about: string } | undefined {
  const dot = key.indexOf('.');
  const [kind, id] = [key.slice(0, dot), key.slice(dot + 1)];
  if (kind === 'run' && isToken(id)) return { stream: streams.runs, about: subject.runEvents(id) };
  if (kind !== 'telecommand') return undefined;
  const { target, id: tc } = fromCellId(id);
  if (!isToken(target) || !isToken(tc)) return undefined;
  return { stream: streams.telecommandEvents, about: subject.tcEvent(target, tc) };
}
