/**
 * Transfers of files from and to a target, on the HTTP interface and on the bus. Mission Control Service, sections 2.8,
 * 3.5 and 4.7.
 *
 * Y1. Sizes, offsets and generations are whole numbers that a double holds: a record with another is not read
 *     (MC-GEN-022: rounded, it would be of another generation).
 */

import Type, { type Static } from 'typebox';
import { nameBound } from './bounded.ts';
import { type ByteRange, ByteRanges } from './byte-ranges.ts';
import { isFileId } from './file-chunk.ts';
import { readInstant } from './instant.ts';
import { objectIn } from './json-bytes.ts';
import { INSTANT_CHARACTERS } from './limits/request.ts';
import { TRANSFER_LIST_MOST, TRANSFER_PRIORITY_MOST, TRANSFER_RANGES } from './limits/transfer.ts';
import { isToken } from './token.ts';

const closed = { additionalProperties: false } as const;

export const TRANSFER_STATES = [
  'REQUESTED',
  'PARTIAL',
  'COMPLETE',
  'VERIFIED',
  'PROCESSED',
  'CORRUPTED',
  'SUPERSEDED',
] as const;
export type TransferState = (typeof TRANSFER_STATES)[number];
export const TRANSFER_DIRECTIONS = ['download', 'upload'] as const;
export type TransferDirection = (typeof TRANSFER_DIRECTIONS)[number];

const Moment = Type.String({ format: 'date-time', maxLength: INSTANT_CHARACTERS });
const Whole = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });
const Priority = Type.Integer({
  minimum: -TRANSFER_PRIORITY_MOST - 1,
  maximum: TRANSFER_PRIORITY_MOST,
  description: 'Higher is served first; default 0.',
});

export const TransferRequest = Type.Object(
  {
    target: Type.String({ ...nameBound, description: 'Target name in the topology.' }),
    file_id: Type.String({ ...nameBound, description: 'Identifier of the file on board, decimal digits.' }),
    priority: Type.Optional(Priority),
  },
  { ...closed, title: 'TransferRequest', examples: [{ target: 'sat1', file_id: '7', priority: 1 }] },
);
export type TransferRequest = Static<typeof TransferRequest>;

const EXAMPLE = {
  target: 'sat1',
  file_id: '7',
  generation: 2,
  direction: 'download',
  state: 'PARTIAL',
  size: 183_500,
  received: [
    [0, 40_960],
    [49_152, 65_536],
  ] as [number, number][],
  priority: 0,
  file_type: 2,
  checksum: '1c291ca3',
  by: 'ada',
  created_at: '2026-01-02T03:04:05.678Z',
  updated_at: '2026-01-02T03:05:17.012Z',
} as const;

export const Transfer = Type.Object(
  {
    target: Type.String(),
    file_id: Type.String({ description: 'Identifier of the file on board, decimal digits.' }),
    generation: Whole('Which writing of the file: a rewritten file gets the next.'),
    direction: Type.Enum(TRANSFER_DIRECTIONS),
    state: Type.Enum(TRANSFER_STATES),
    size: Whole('Bytes of the file.'),
    priority: Priority,
    created_at: Moment,
    updated_at: Moment,
    received: Type.Optional(
      Type.Array(Type.Tuple([Type.Integer({ minimum: 0 }), Type.Integer({ minimum: 0 })]), {
        maxItems: TRANSFER_RANGES,
        description:
          'Bytes that are there, of an upload those acknowledged on board: ranges [start, end), sorted, disjoint.',
      }),
    ),
    by: Type.Optional(
      Type.String({ description: 'Identity, or `run <id>`; absent for an anonymous caller.' }),
    ),
    file_type: Type.Optional(Type.Integer({ minimum: 0, description: 'As listed.' })),
    checksum: Type.Optional(Type.String({ description: 'As listed, hexadecimal.' })),
    source: Type.Optional(
      Type.String({ description: 'Of an upload: SHA-256 (hexadecimal) of its content.' }),
    ),
    reason: Type.Optional(
      Type.String({ description: 'Why it is corrupted or superseded, or what keeps it from going on.' }),
    ),
  },
  { ...closed, title: 'Transfer', examples: [EXAMPLE] },
);
export type Transfer = Static<typeof Transfer>;

export const TransferList = Type.Object(
  {
    transfers: Type.Array(Transfer, { description: 'By priority, then by age.' }),
    next: Type.Optional(
      Type.String({
        description: `Where more transfers match than a list holds (${TRANSFER_LIST_MOST} at most): the value of \`after\` that continues it.`,
      }),
    ),
  },
  { ...closed, title: 'TransferList', examples: [{ transfers: [EXAMPLE] }] },
);
export type TransferList = Static<typeof TransferList>;

// On the bus ----------------------------------------------------------------------------------------------------------

/** A change of state as the record remembers it. */
export interface TransferChange {
  readonly at: string;
  readonly state: TransferState;
  readonly reason?: string;
}

/** A file that came down whole, as it is stored. */
export interface AssembledContent {
  /** SHA-256, hexadecimal. */
  readonly sha256: string;
  /** With the algorithm that the catalogue named then. */
  readonly algorithm?: string;
  readonly checksum?: string;
}

/** Which transaction brings a download. */
export interface BroughtBy {
  /** What is received is of this one alone (file-chunk.F2). */
  readonly current: string;
  /** Those before, the oldest first: nothing of them is taken any more. */
  readonly earlier: readonly string[];
  /** What those had brought: its parts are to be removed. */
  readonly left?: readonly LeftTransaction[];
}

interface LeftTransaction {
  readonly transaction: string;
  readonly received: readonly ByteRange[];
}

/** Stands for the chunks that name no transaction. */
export const NO_TRANSACTION = '';

/** What the chart of a transfer remembers beside its fields. */
export interface TransferActor {
  /** Of the chart that wrote it. */
  readonly version: number;
  /** The run that asked for it. */
  readonly run?: string;
  readonly content?: AssembledContent;
  /** Absent: chunks that name none have brought what is there. */
  readonly transaction?: BroughtBy;
  /**
   * It stays COMPLETE: nothing here computes the checksum of its catalogue, or it is an upload, and was written
   * again on board before it was listed.
   */
  readonly unverifiable?: true;
  /** Of a file that a driver decodes, from VERIFIED on. */
  readonly decoding?: {
    /** `left`: too many files waited for a driver; it is offered again once somebody asks for it. */
    readonly outcome: 'awaited' | 'decoded' | 'not_decodable' | 'left';
    readonly failures: number;
  };
  /**
   * Of an upload that is under way: since when its run is over. `closed`: it is not kept open any more. Another run
   * that uploads the same content goes on with it.
   */
  readonly ended?: { readonly at: string; readonly closed?: true };
  /** What keeps it from going on; it stands in `reason` as well. */
  readonly hindrance?: string;
  /** Its changes of state, the oldest first: there are at most six, since none leads back. */
  readonly changes: readonly TransferChange[];
}

/** Entry of bucket `mcs_transfers`: the snapshot of its chart. */
export interface StoredTransfer extends Omit<Transfer, 'received'> {
  readonly received?: readonly ByteRange[];
  readonly actor: TransferActor;
}

export type TransferName = Pick<Transfer, 'target' | 'file_id' | 'generation' | 'direction'>;

/** Key of its record, and of its entry among the open ones (MC-XFER-006, MC-XFER-007). */
export function transferKey({ target, file_id, generation, direction }: TransferName): string {
  return `${target}.${file_id}.${generation}${direction === 'upload' ? '.up' : ''}`;
}

/** The name of the transfer with that key; undefined for what is no key. */
export function transferNamed(key: string): TransferName | undefined {
  const [target = '', file_id = '', generation = '', up, ...more] = key.split('.');
  const name = {
    target,
    file_id,
    generation: Number(generation),
    direction: up === undefined ? ('download' as const) : ('upload' as const),
  };
  const isKey = isNamed(name) && more.length === 0 && transferKey(name) === key;
  return isKey ? name : undefined;
}

/** Object of the whole file, and before its parts (section 4.7 rule 3). */
export function contentObject({ target, file_id, generation }: Omit<TransferName, 'direction'>): string {
  return `${target}/${file_id}/${generation}`;
}

/** A file of which a transaction brings parts; none: chunks that name none. */
export interface PartsName extends Omit<TransferName, 'direction'> {
  readonly transaction?: string;
}

/**
 * Object of the part that begins there. Parts of different transactions have different names: whoever is slow to store
 * one of an earlier transaction stores it over none of the current one.
 */
export function partObject(name: PartsName, offset: number): string {
  const part = `${contentObject(name)}/${offset}`;
  const { transaction = NO_TRANSACTION } = name;
  return transaction === NO_TRANSACTION ? part : `${part}/${transaction}`;
}

/** The transaction of which everything is that is received. */
export function transactionOf({ actor }: Pick<StoredTransfer, 'actor'>): string {
  return actor.transaction?.current ?? NO_TRANSACTION;
}

/** The parts that a record names. */
export function partsOf(record: StoredTransfer): PartsName {
  const { target, file_id, generation } = record;
  return { target, file_id, generation, transaction: transactionOf(record) };
}

/** The parts that earlier transactions have left, as far as a record knows. */
export function leftParts(record: StoredTransfer): readonly (readonly [PartsName, readonly ByteRange[]])[] {
  const { target, file_id, generation, actor } = record;
  const { earlier = [], left = [] } = actor.transaction ?? {};
  return earlier.map((transaction) => {
    const received = left.find((each) => each.transaction === transaction)?.received ?? [];
    return [{ target, file_id, generation, transaction }, received];
  });
}

/** What callers see of a transfer. */
export function shownTransfer({ actor: _, received, ...shown }: StoredTransfer): Transfer {
  return { ...shown, ...(received !== undefined && { received: received.map(([s, e]) => [s, e]) }) };
}

/** Whether anything may still become of it (section 3.5). */
export function isOpenTransfer({ state, actor }: Pick<StoredTransfer, 'state' | 'actor'>): boolean {
  switch (state) {
    case 'REQUESTED':
    case 'PARTIAL':
      return actor.ended?.closed !== true;
    case 'COMPLETE':
      return actor.unverifiable !== true;
    case 'VERIFIED':
      return actor.decoding?.outcome === 'awaited';
    default:
      return false;
  }
}

/** The transfer of an entry; undefined where the bytes are not one of that key (Y1). */
export function readStoredTransfer(key: string, bytes: Uint8Array): StoredTransfer | undefined {
  const read = objectIn(bytes) as Partial<StoredTransfer> | undefined;
  if (read === undefined || !isNamed(read) || transferKey(read) !== key) return undefined;
  const isWhole =
    TRANSFER_STATES.some((state) => state === read.state) &&
    isWholeNumber(read.size) &&
    Number.isInteger(read.priority) &&
    [read.created_at, read.updated_at].every(isMoment) &&
    isRanges(read.received) &&
    Array.isArray(read.actor?.changes) &&
    isBroughtBy(read.actor.transaction) &&
    (read.direction === 'download' || typeof read.source === 'string');
  return isWhole ? (read as StoredTransfer) : undefined;
}

/** The bytes it has. */
export function receivedBy({ received = [] }: Pick<StoredTransfer, 'received'>): ByteRanges {
  return ByteRanges.from(received, TRANSFER_RANGES) ?? new ByteRanges(TRANSFER_RANGES);
}

function isNamed<Read extends Partial<TransferName>>(read: Read): read is Read & TransferName {
  const { target, file_id, generation, direction } = read;
  return (
    typeof target === 'string' &&
    isToken(target) &&
    typeof file_id === 'string' &&
    isFileId(file_id) &&
    isWholeNumber(generation) &&
    TRANSFER_DIRECTIONS.some((each) => each === direction)
  );
}

function isRanges(received: unknown): boolean {
  if (received === undefined) return true;
  return (
    Array.isArray(received) &&
    received.every((each) => Array.isArray(each) && each.length === 2) &&
    ByteRanges.from(received as ByteRange[], TRANSFER_RANGES) !== undefined
  );
}

function isBroughtBy(read: Partial<BroughtBy> | undefined): boolean {
  if (read === undefined) return true;
  const { current, earlier, left } = read;
  return typeof current === 'string' && Array.isArray(earlier) && (left === undefined || isLeft(left));
}

function isLeft(left: unknown): boolean {
  if (!Array.isArray(left)) return false;
  return left.every(
    (each: Partial<LeftTransaction> | null) =>
      typeof each?.transaction === 'string' && Array.isArray(each.received) && isRanges(each.received),
  );
}

function isWholeNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isMoment(value: unknown): boolean {
  return typeof value === 'string' && readInstant(value) !== undefined;
}
