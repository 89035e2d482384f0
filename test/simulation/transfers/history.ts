/** What transfers leave behind, for the checkers. Nothing here is judged but what still ought to come to an end. */

import { type DecodedBatch, decodeBatch, type FileSample } from '../../../contract/batch.ts';
import { buckets, objectStores } from '../../../contract/bus/buckets.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { type FileChunk, readFileChunk } from '../../../contract/file-chunk.ts';
import { isOpenTransfer, readStoredTransfer, type StoredTransfer } from '../../../contract/transfer.ts';
import { keyOf } from '../run-history.ts';
import type { TwinServer } from '../twin/server.ts';
import { kept, type Held as Store, type StoredMessage } from '../twin/stored-stream.ts';
import type { Board, Generation } from './board.ts';
import type { AskedPart } from './bus-side.ts';
import type { Held } from './holding-runs.ts';
import type { FileTarget } from './mission.ts';
import type { FileAct } from './moving.ts';
import type { Reported } from './reports.ts';

/** A record as it was written once. */
export interface TransferVersion {
  readonly key: string;
  readonly message: StoredMessage;
  readonly record: StoredTransfer;
  /** The version of the same key before it. */
  readonly before: TransferVersion | undefined;
}

export interface StoredChunk extends FileChunk {
  readonly target: string;
  readonly message: StoredMessage;
}

export interface Said {
  readonly target: string;
  readonly message: StoredMessage;
  readonly sample: FileSample;
}

/** While a link was down; `isSilent`: nobody said so. */
export interface LinkSpan {
  readonly target: FileTarget;
  readonly from: number;
  to: number | undefined;
  readonly isSilent: boolean;
}

export interface Around {
  readonly boards: ReadonlyMap<FileTarget, Board>;
  readonly asked: readonly AskedPart[];
  readonly reports: readonly Reported[];
  readonly links: readonly LinkSpan[];
  readonly held: readonly Held[];
  /** Processes as they were found asleep. */
  readonly slept: readonly { readonly instance: string; readonly at: number }[];
  /** Spacecraft that said wrong generations of parts. */
  readonly lied: ReadonlySet<string>;
  /** Objects in the store of files of which a driver said that nobody decodes them. */
  readonly undecodable: ReadonlySet<string>;
  /** Spacecraft that listed wrong checksums. */
  readonly mislisted: ReadonlySet<string>;
  readonly passes: readonly Extract<FileAct, { do: 'pass' }>[];
  /** ms since 1970 */
  readonly calmAt: number;
  readonly endedAt: number;
}

export interface FileHistory extends Around {
  /** In the order in which they were stored. */
  readonly versions: readonly TransferVersion[];
  /** The last of each key. */
  readonly records: ReadonlyMap<string, StoredTransfer>;
  /** Entries of the index of open transfers that are there. */
  readonly index: readonly string[];
  /** Of `mcs_files`, removals among them. */
  readonly objects: readonly StoredMessage[];
  readonly chunks: readonly StoredChunk[];
  /** Those that were there for everybody to see, and that the bus lost. */
  readonly lostChunks: readonly StoredChunk[];
  readonly said: readonly Said[];
  /** Of the streams of decoded samples and of values. */
  readonly decoded: readonly StoredMessage[];
  readonly values: readonly StoredMessage[];
  readonly events: readonly StoredMessage[];
  readonly leases: readonly StoredMessage[];
  /** Of the bucket of open runs, removals among them. */
  readonly runs: readonly StoredMessage[];
  readonly uploaded: ReadonlyMap<string, Buffer>;
  /** Transfers that have to end and have not. */
  readonly unfinished: readonly string[];
  /** Uploads under way whose run is over, and whose records do not say so. */
  readonly unsaid: readonly string[];
  generation(record: Pick<StoredTransfer, 'target' | 'file_id' | 'generation'>): Generation | undefined;
}

export function storedFiles(server: TwinServer, around: Around, held: Store = kept): FileHistory {
  const versions = versionsIn(server, held);
  const records = new Map(versions.map(({ key, record }) => [key, record]));
  const boards = new Map<string, Generation>(
    [...around.boards].flatMap(([target, board]) =>
      board.generations.map((each) => [`${target}.${each.file}.${each.generation}`, each] as const),
    ),
  );
  const generation: FileHistory['generation'] = (record) =>
    boards.get(`${record.target}.${record.file_id}.${record.generation}`);
  const open = [...records].filter(([, record]) => isOpenTransfer(record));
  const runs = held(server.bucket(buckets.openRuns));
  return {
    ...around,
    versions,
    records,
    generation,
    index: server
      .bucket(buckets.openTransfers)
      .lasts()
      .filter(({ removal }) => !removal)
      .map(keyOf),
    objects: held(server.bucket({ name: objectStores.files.name })),
    chunks: held(server.stream(streams.fileChunks)).flatMap(chunkIn),
    lostChunks: server.stream(streams.fileChunks).lost.flatMap(chunkIn),
    said: held(server.stream(streams.decoded)).flatMap(samplesIn),
    decoded: held(server.stream(streams.decoded)),
    values: held(server.stream(streams.values)),
    events: held(server.stream(streams.telecommandEvents)),
    leases: held(server.bucket(buckets.leaders)).filter((message) => keyOf(message) === 'transfers'),
    runs,
    uploaded: new Map(
      server
        .bucket({ name: objectStores.uploads.name })
        .lasts()
        .map((message) => [keyOf(message), Buffer.from(message.data)]),
    ),
    unfinished: open.filter(([, record]) => mustEnd(record, around)).map(([key]) => key),
    unsaid: open.filter(([, record]) => mustSay(record, runs)).map(([key]) => key),
  };
}

function versionsIn(server: TwinServer, held: Store): TransferVersion[] {
  const last = new Map<string, TransferVersion>();
  return held(server.bucket(buckets.transfers)).flatMap((message) => {
    const key = keyOf(message);
    const record = readStoredTransfer(key, message.data);
    if (record === undefined) return [];
    const version = { key, message, record, before: last.get(key) };
    last.set(key, version);
    return [version];
  });
}

function chunkIn(message: StoredMessage): StoredChunk[] {
  const chunk = readFileChunk(message);
  return chunk === undefined ? [] : [{ ...chunk, target: message.subject.split('.').at(-2) ?? '', message }];
}

function samplesIn(message: StoredMessage): Said[] {
  const target = message.subject.split('.').at(-1) ?? '';
  const { files = [] } = decodeBatch<DecodedBatch>(message.data);
  return files.map((sample) => ({ target, message, sample }));
}

function mustSay({ direction, state, actor }: StoredTransfer, runs: readonly StoredMessage[]): boolean {
  const isUnderWay = state === 'REQUESTED' || state === 'PARTIAL';
  return direction === 'upload' && isUnderWay && actor.ended === undefined && isRunOver(actor.run, runs);
}

/** Whether a run was begun and is over, at this place in the order or in the end. */
export function isRunOver(
  run: string | undefined,
  runs: readonly StoredMessage[],
  order = Number.POSITIVE_INFINITY,
): boolean {
  const last = runs.findLast((message) => message.order < order && keyOf(message).split('.').at(-1) === run);
  return last?.removal === true;
}

/**
 * A download always; an upload while its run holds the target, and as long as nothing else on board has its generation
 * or a later one.
 */
function mustEnd(record: StoredTransfer, { boards, held, endedAt }: Around): boolean {
  if (record.direction === 'download') return true;
  const board = boards.get(record.target as FileTarget);
  const onBoard = board?.generationOf(record.file_id) ?? 0;
  const own = board?.generations.find(
    ({ file, generation }) => file === record.file_id && generation === record.generation,
  );
  if (onBoard > record.generation || own?.isWritten === false) return false;
  if (record.state !== 'REQUESTED' && record.state !== 'PARTIAL') return true;
  return held.some(({ run, to }) => run === record.actor.run && to > endedAt);
}
