/**
 * What is asked of spacecraft, and when: Mission Control Service, section 4.7 rules 3 and 4; MC-XFER-036 to
 * MC-XFER-044, MC-XFER-049 to MC-XFER-053, MC-XFER-064, MC-UPL-009.
 *
 * K1. A leader knows what it asked itself: each term of one is judged for itself. What a lost leader asked is asked
 *     again, but for what had come when the next one began.
 * K2. A byte is asked again when its request ended badly, when it is not known whether the request was stored, 15 s
 *     behind its leaving, 60 s behind the asking of one that never left, for another transfer of the file, and when a
 *     record has lost it.
 */

import { ByteRanges } from '../../../contract/byte-ranges.ts';
import {
  TRANSFER_CHUNK_WAIT_MS,
  TRANSFER_FORGOTTEN_MS,
  TRANSFER_MEASURED_MS,
  TRANSFER_PIPELINE_MS,
} from '../../../contract/limits/transfer.ts';
import { hasLeft, isBadTcEnd, isGoodTcEnd, type TcState } from '../../../contract/telecommand-state.ts';
import { receivedBy } from '../../../contract/transfer.ts';
import { bodyOf, lastToken } from '../run-history.ts';
import { START_MS } from '../start.ts';
import type { AskedPart } from '../transfers/bus-side.ts';
import type { FileHistory, StoredChunk, TransferVersion } from '../transfers/history.ts';
import { LINK_RATE } from '../transfers/mission.ts';
import { lateParts, type Term, termsOf } from '../transfers/terms.ts';
import type { Checker } from './checker.ts';

/** Times of the stream, and of processes, are whole. */
const WHOLE_MS = 3;

/** What became of a request. */
interface Fate {
  /** Place of its bad end. */
  readonly failed: number;
  readonly leftAt: number;
  /** Place of its good end. */
  readonly done: number;
}

/** What checkers of asking need, made once of a history. */
class Asking {
  readonly files: FileHistory;
  readonly #fates = new Map<string, Fate>();
  readonly #terms: readonly Term[];
  readonly #came = new Map<AskedPart, readonly StoredChunk[]>();

  constructor(files: FileHistory) {
    this.files = files;
    this.#terms = termsOf(files.leases);
    for (const message of files.events) {
      const { state } = bodyOf<{ state: TcState }>(message);
      const id = lastToken(message);
      const fate = this.fateOf(id);
      const failed = isBadTcEnd(state) ? message.order : fate.failed;
      const done = isGoodTcEnd(state) ? message.order : fate.done;
      const left = isGoodTcEnd(state) || hasLeft(state) === 'yes' ? message.at : Number.POSITIVE_INFINITY;
      this.#fates.set(id, { failed, done, leftAt: Math.min(left, fate.leftAt) });
    }
  }

  fateOf(id: string): Fate {
    const never = Number.POSITIVE_INFINITY;
    return this.#fates.get(id) ?? { failed: never, done: never, leftAt: never };
  }

  /** Chunks with bytes of a part, from its asking on. */
  cameOf(part: AskedPart): readonly StoredChunk[] {
    const known = this.#came.get(part);
    if (known !== undefined) return known;
    const came = this.files.chunks.filter(
      ({ target, file, message, offset, data }) =>
        target === part.target &&
        file === part.file &&
        message.order > part.order &&
        offset < part.end &&
        offset + data.length > part.start,
    );
    this.#came.set(part, came);
    return came;
  }

  termOf({ by, order }: Pick<AskedPart, 'by' | 'order'>): Term | undefined {
    return this.#terms.findLast((term) => term.owner === by && term.order <= order);
  }

  /** Parts by the term, target and way that they were asked in. */
  get groups(): AskedPart[][] {
    const groups = new Map<string, AskedPart[]>();
    for (const part of this.files.asked) {
      const key = `${part.by} ${this.termOf(part)?.epoch} ${part.target} ${part.way}`;
      groups.set(key, [...(groups.get(key) ?? []), part]);
    }
    return [...groups.values()];
  }

  /** Whether a request is over for its leader when another one is asked (K2). */
  isOver(first: AskedPart, then: AskedPart): boolean {
    const { failed, leftAt } = this.fateOf(first.id);
    if (failed <= then.order) return true;
    if (first.unknownAt !== undefined && first.unknownAt <= then.at) return true;
    if (then.at + WHOLE_MS >= leftAt + TRANSFER_CHUNK_WAIT_MS && first.way === 'download') return true;
    return then.at + WHOLE_MS >= first.at + TRANSFER_FORGOTTEN_MS || this.#isAnother(first, then);
  }

  /** Whether it may be of another transfer of the file, or of one that was begun again. */
  #isAnother(first: AskedPart, then: AskedPart): boolean {
    const own = this.files.versions.filter(({ record }) => isAbout(record, first));
    const isTurn = ({ message, record, before }: TransferVersion): boolean =>
      message.order > first.order &&
      message.order <= then.order &&
      (before === undefined ||
        record.state === 'SUPERSEDED' ||
        record.source !== before.record.source ||
        record.actor.run !== before.record.actor.run ||
        receivedBy(record).total < receivedBy(before.record).total);
    return own.some(isTurn) || this.receiving(first).length > 1;
  }

  /** Transfers of the file of a part that wait for bytes at its place. */
  receiving(part: AskedPart): TransferVersion[] {
    const last = new Map<string, TransferVersion>();
    for (const version of this.files.versions)
      if (isAbout(version.record, part) && version.message.order <= part.order)
        last.set(version.key, version);
    return [...last.values()].filter(({ record: { state } }) => state === 'REQUESTED' || state === 'PARTIAL');
  }
}

function isAbout(
  record: { readonly target: string; readonly file_id: string; readonly direction: string },
  { target, file, way }: AskedPart,
): boolean {
  return record.target === target && record.file_id === file && record.direction === way;
}

function overlap(one: AskedPart, other: AskedPart): boolean {
  return one.file === other.file && one.start < other.end && other.start < one.end;
}

function nameOf({ way, file, target, start, end, id, by }: AskedPart): string {
  return `${start} to ${end} of file ${file} of ${target} (${way} ${id.slice(-6)} by ${by})`;
}

export const askedOnce: Checker = {
  name: 'no-byte-asked-twice',
  promise:
    'a leader asks for a byte again when its request has failed, or 15 s after it left, or 60 s after it was asked',
  *check({ files }) {
    if (files === undefined) return;
    const asking = new Asking(files);
    for (const parts of asking.groups)
      for (const [n, then] of parts.entries())
        for (const first of parts.slice(0, n))
          if (overlap(first, then) && !asking.isOver(first, then))
            yield `${nameOf(then)} is asked again ${Math.round(then.at - first.at)} ms behind ${nameOf(first)}`;
  },
};

export const asksWhatIsMissing: Checker = {
  name: 'asks-what-is-missing',
  promise: 'whoever begins to lead asks for nothing that had come by then, or is recorded',
  *check({ files }) {
    if (files === undefined) return;
    const asking = new Asking(files);
    const late = lateParts(files);
    for (const part of files.asked) {
      const [receiving, ...more] = asking.receiving(part);
      const term = asking.termOf(part);
      if (receiving === undefined || more.length > 0 || term === undefined) continue;
      if (receivedBy(receiving.record).overlaps(part.start, part.end) && receiving.message.order < term.order)
        yield `${nameOf(part)} is recorded in ${receiving.message.seq}`;
      if (late.has(receiving.key)) continue;
      const came = files.chunks.find((chunk) => isThere(chunk, part, receiving, term, files));
      if (came !== undefined)
        yield `${nameOf(part)} came as chunk ${came.message.seq}, before its leader began`;
    }
  },
};

function isThere(
  { target, file, generation, offset, data, message }: StoredChunk,
  part: AskedPart,
  { key, record }: TransferVersion,
  term: Term,
  files: FileHistory,
): boolean {
  if (target !== part.target || file !== part.file || generation !== record.generation) return false;
  if (files.lied.has(target) || part.way === 'upload') return false;
  if (message.order >= term.order || offset >= part.end || offset + data.length <= part.start) return false;
  // What came before anybody who leads knew of the transfer was for nobody.
  const created = files.versions.find((each) => each.key === key)!.message.order;
  return files.asked.some(
    (each) => isAbout(record, each) && each.order > created && each.order < message.order,
  );
}

export const pipelineIsBounded: Checker = {
  name: 'pipeline-below-two-seconds',
  promise:
    'what a leader has asked of a target and not received stays below two seconds of the highest rate it may know',
  *check({ files }) {
    if (files === undefined) return;
    const asking = new Asking(files);
    for (const parts of asking.groups)
      for (const [n, then] of parts.entries()) {
        const bytes = underWay(parts.slice(0, n + 1), then, asking);
        const most = (rateBefore(then, files) * TRANSFER_PIPELINE_MS) / 8_000;
        if (bytes >= Math.max(most, 2))
          yield `${bytes} bytes are asked of ${then.target} with ${nameOf(then)}, ${most} are two seconds`;
      }
  },
};

function underWay(parts: readonly AskedPart[], then: AskedPart, asking: Asking): number {
  const open = new Map<string, ByteRanges>();
  for (const part of parts) {
    if (
      part !== then &&
      (asking.isOver(part, then) || (asking.fateOf(part.id).done <= then.order && part.way === 'upload'))
    )
      continue;
    if (asking.receiving({ ...part, order: then.order }).length === 0) continue;
    const ranges = open.get(part.file) ?? new ByteRanges();
    open.set(part.file, ranges);
    ranges.add(part.start, part.end);
    if (part.way === 'upload') continue;
    for (const { message, offset, data } of asking.cameOf(part))
      if (message.order <= then.order) ranges.remove(offset, offset + data.length);
  }
  return [...open.values()].reduce((sum, ranges) => sum + ranges.total, 0);
}

/** bit/s */
function rateBefore({ target, at }: AskedPart, { reports, passes }: FileHistory): number {
  const measured = reports
    .filter((report) => report.target === target && report.at <= at)
    .map(({ rate }) => rate);
  const ofPasses = passes.filter((pass) => pass.target === target && START_MS + pass.at <= at + 1_000);
  return Math.max(LINK_RATE, ...measured, ...ofPasses.map(({ rate = 0 }) => rate));
}

/** Until everybody knows that a link is gone: reports are lost, and the one before has its time. */
const KNOWN_MS = TRANSFER_MEASURED_MS + 2_000;
/** Until everybody knows of a pass, and what was asked before has left. */
const PASS_MS = 4_000;

export const nothingWithoutLink: Checker = {
  name: 'nothing-asked-without-link',
  promise: 'nothing is asked while no gateway says that the link is up, nor in a pass that only receives',
  *check({ files }) {
    if (files === undefined) return;
    for (const part of files.asked) {
      const isDown = files.links.some(
        ({ target, from, to = Number.POSITIVE_INFINITY }) =>
          target === part.target && part.at > from + KNOWN_MS && part.at < to,
      );
      const ofPass = files.passes.find(({ target, at, forMs, uplink }) => {
        const from = START_MS + at;
        return (
          !uplink && target === part.target && part.at > from + PASS_MS && part.at < from + forMs - PASS_MS
        );
      });
      const slept = files.slept.some(
        ({ instance, at }) => instance === part.by && at > part.at - KNOWN_MS && at <= part.at + 300,
      );
      if (isDown && !slept) yield `${nameOf(part)} is asked without a link`;
      if (ofPass !== undefined && !slept && !isOverlapped(ofPass, files))
        yield `${nameOf(part)} is asked in a pass that only receives`;
    }
  },
};

/** Which of several passes at once counts is not judged here. */
function isOverlapped(pass: FileHistory['passes'][number], { passes }: FileHistory): boolean {
  return passes.some(
    (other) =>
      other !== pass &&
      other.target === pass.target &&
      other.at < pass.at + pass.forMs &&
      pass.at < other.at + other.forMs,
  );
}

export const underTheLeaseOfItsRun: Checker = {
  name: 'asked-under-the-lease-of-its-run',
  promise:
    'what is written is sent by the run that uploads, and what is sent by a run is for its own transfers',
  *check({ files }) {
    if (files === undefined) return;
    const asking = new Asking(files);
    for (const part of files.asked) {
      if (part.run === undefined && part.way === 'upload')
        yield `${nameOf(part)} is written by nobody's leave`;
      const runs = files.versions
        .filter(({ record, message }) => isAbout(record, part) && message.order <= part.order)
        .map(({ record }) => record.actor.run);
      if (part.run !== undefined && !runs.includes(part.run))
        yield `${nameOf(part)} is asked by run ${part.run}`;
      if (asking.termOf(part) === undefined) yield `${nameOf(part)} is asked by one who never led`;
    }
  },
};
