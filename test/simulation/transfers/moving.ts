/**
 * What happens to files in a simulated run: who asks for which, which runs hold a target, what the spacecraft writes
 * again, when listings are made and when they arrive, passes, and troubles on the far side of the bus. Everything is
 * data, so that a failing run is made small by leaving items out.
 *
 * O1. What people ask for last, when nothing goes wrong any more, has to come down.
 * O2. Each trouble ends before the run is calm; runs give their targets back a while behind that.
 */

import { ulid } from 'ulid';
import { FILE_FAULTS, type FileFault } from '../../../links/simulated/onboard-files.ts';
import type { Chance } from '../chance.ts';
import { START_MS } from '../start.ts';
import { type DecodingTrouble, storedOf } from './decoding-troubles.ts';
import { FILE_TARGET_NAMES, type FileTarget, LINK_RATE } from './mission.ts';

/** Files of each spacecraft: those it has are listed, the last one comes into being by an upload. */
export const FILES = ['2', '5', '10', '11', '12'] as const;
export const NEW_FILE = '20';
/** These as well, by runs that do not wait for them. */
const LEFT_FILES = ['21', '22'] as const;

interface UploadAct {
  readonly file: string;
  readonly size: number;
  /** The content of the run that was drawn for that moment: this one goes on with what that left. */
  readonly of?: number;
}

export type FileAct =
  | {
      readonly do: 'download';
      readonly at: number;
      readonly slot: number;
      readonly target: FileTarget;
      readonly file: string;
      readonly priority: number;
    }
  /**
   * A run takes the target, asks, and gives it back so long after, or when what it asked for is over; one that is
   * suspended meanwhile gives it back, and takes it again later.
   */
  | {
      readonly do: 'run';
      readonly at: number;
      readonly slot: number;
      readonly target: FileTarget;
      readonly run: string;
      readonly downloads: readonly string[];
      readonly uploads: readonly UploadAct[];
      readonly forMs: number;
      readonly untilDone: boolean;
      readonly rest?: { readonly afterMs: number; readonly forMs: number };
    }
  /** The spacecraft writes a file again, with other content. */
  | { readonly do: 'rewrite'; readonly at: number; readonly target: FileTarget; readonly file: string }
  /** It lists its files; what it says arrives later. */
  | { readonly do: 'list'; readonly at: number; readonly target: FileTarget; readonly lateMs: number }
  | {
      readonly do: 'pass';
      readonly at: number;
      readonly target: FileTarget;
      readonly forMs: number;
      readonly uplink: boolean;
      readonly rate?: number;
    };

interface Lasting {
  readonly at: number;
  readonly forMs: number;
}

export type Trouble =
  /** No radio link: the gateway says so, or says nothing at all. */
  | (Lasting & { readonly kind: 'link'; readonly target: FileTarget; readonly isSilent: boolean })
  /** The executor, or whoever decodes, is dead or asleep; what it last did is done again behind that. */
  | (Lasting & { readonly kind: 'executor' })
  | (Lasting & { readonly kind: 'decoder'; readonly again: number })
  /** What a process writes into the store of files, or into a bucket of transfers, is refused or takes long. */
  | (Lasting & {
      readonly kind: 'store';
      readonly slot: number;
      readonly of: 'files' | 'records';
      readonly how: 'full' | 'slow';
    })
  | (Lasting & { readonly kind: 'board'; readonly target: FileTarget; readonly fault: FileFault })
  /** The driver that speaks CFDP fails everything, says nothing, or begins with an empty memory. */
  | (Lasting & { readonly kind: 'driver'; readonly how: 'fails' | 'silent' | 'restarts' })
  | DecodingTrouble;

/** Between spacecraft and ground, until it is calm. */
export interface Radio {
  /** Of packets down, and of telecommands up. */
  readonly loss: number;
  readonly doubling: number;
  /** A packet may take so much longer than the next: it is overtaken. */
  readonly jitterMs: number;
  /** Telecommands that end badly before they leave. */
  readonly failing: number;
  /** bit/s down. */
  readonly rate: number;
}

export interface Moving {
  readonly acts: readonly FileAct[];
  /** O1 */
  readonly last: readonly FileAct[];
  readonly troubles: readonly Trouble[];
  readonly radio: Radio;
  /** Of the files of each spacecraft that differ by seed. */
  readonly sizes: Readonly<Record<string, number>>;
  /** Spacecraft with a file of stored telemetry. */
  readonly stored?: readonly FileTarget[];
}

interface Bounds {
  readonly slots: number;
  readonly from: number;
  readonly calmAt: number;
}

/** Behind the last fault: somebody leads again and has read what there is. */
const LAST_LIST_MS = 8_000;
const LAST_ASKED_MS = 12_000;
/** Identifiers of runs are made of moments: those that follow have others. */
const FOLLOWERS_MS = 1_000;

/** Without `decoding` there are no files of stored telemetry. */
export function movingOf(
  chance: Chance,
  followers: Chance,
  decoding: Chance | undefined,
  bounds: Bounds,
): Moving {
  const to = bounds.calmAt - 1_000;
  const targets = targetsOf(chance);
  const within = { ...bounds, to, targets };
  const lists = targets.map((target): FileAct => ({ do: 'list', at: 1_500, target, lateMs: 0 }));
  const drawn = Array.from({ length: chance.whole(3, 12) }, (_, n) => actOf(chance, within, n));
  const acts = [...withRests(followers, drawn), ...leaversOf(followers, within)];
  const troubles = Array.from({ length: chance.whole(0, 6) }, () => troubleOf(chance, within));
  const last = lastActs(chance, within);
  const none = { acts: [], last: [], troubles: [], stored: [] };
  const { stored, ...more } = decoding === undefined ? none : storedOf(decoding, within, LAST_ASKED_MS);
  return {
    acts: [...lists, ...acts, ...followersOf(followers, acts, bounds, to), ...more.acts],
    last: [...last, ...more.last],
    troubles: [...troubles, ...more.troubles],
    stored,
    radio: radioOf(chance),
    sizes: Object.fromEntries(['10', '11', '12'].map((file) => [file, sizeOf(chance)])),
  };
}

type Within = Bounds & { readonly to: number; readonly targets: readonly FileTarget[] };

/** Mostly one: so that transfers are in each other's way. */
function targetsOf(chance: Chance): FileTarget[] {
  const first = chance.one(FILE_TARGET_NAMES);
  const others = FILE_TARGET_NAMES.filter((name) => name !== first);
  return [first, ...others.filter(() => chance.happens(0.3))];
}

function sizeOf(chance: Chance): number {
  return chance.happens(0.2) ? chance.whole(1, 250) : chance.whole(1_000, 12_000);
}

function radioOf(chance: Chance): Radio {
  const some = (most: number): number => (chance.happens(0.4) ? 0 : chance.between(0, most));
  return {
    loss: some(0.3),
    doubling: some(0.3),
    jitterMs: Math.floor(some(3_000)),
    failing: some(0.2),
    rate: Math.floor(LINK_RATE * chance.between(0.3, 3)),
  };
}

function actOf(chance: Chance, { slots, from, to, targets }: Within, serial: number): FileAct {
  const at = chance.whole(from, to);
  const slot = chance.whole(0, slots - 1);
  const target = targets[chance.whole(0, targets.length - 1)]!;
  const file = chance.one(FILES);
  const forMs = chance.happens(0.5) ? chance.whole(300, 5_000) : chance.whole(4_000, 25_000);
  const kind = chance.one([
    'download',
    'download',
    'download',
    'run',
    'rewrite',
    'list',
    'list',
    'pass',
  ] as const);
  switch (kind) {
    case 'download':
      return { do: kind, at, slot, target, file, priority: chance.whole(-1, 2) };
    case 'run':
      return runOf(chance, { at, slot, target, forMs }, serial);
    case 'rewrite':
      return { do: kind, at, target, file };
    case 'list':
      return { do: kind, at, target, lateMs: chance.happens(0.6) ? 0 : chance.whole(500, 15_000) };
    case 'pass': {
      const rate = chance.happens(0.5) ? { rate: chance.one([4_000, 32_000, 64_000]) } : {};
      return { do: kind, at, target, forMs, uplink: chance.happens(0.5), ...rate };
    }
  }
}

function runOf(
  chance: Chance,
  taken: { readonly at: number; readonly slot: number; readonly target: FileTarget; readonly forMs: number },
  serial: number,
): Extract<FileAct, { do: 'run' }> {
  const downloads = FILES.filter(() => chance.happens(0.25));
  const uploads = [...FILES, NEW_FILE, NEW_FILE]
    .filter(() => chance.happens(0.15))
    .map((file) => ({ file, size: chance.whole(1, 6_000) }));
  const drawn = chance.next();
  const run = ulid(START_MS + serial, () => (drawn * 997 + serial / 32) % 1);
  return { do: 'run', ...taken, run, downloads, uploads, untilDone: chance.happens(0.6) };
}

/** Some runs are suspended for a while. */
function withRests(chance: Chance, acts: readonly FileAct[]): FileAct[] {
  return acts.map((act) => {
    if (act.do !== 'run' || !chance.happens(0.3)) return act;
    return { ...act, rest: { afterMs: chance.whole(200, 4_000), forMs: chance.whole(500, 20_000) } };
  });
}

/** Runs that are over before what they upload is on board. */
function leaversOf(chance: Chance, { slots, from, to, targets }: Within): FileAct[] {
  return LEFT_FILES.filter(() => chance.happens(0.4)).map((file, serial): FileAct => {
    const drawn = chance.next();
    const run = ulid(START_MS + 2 * FOLLOWERS_MS + serial, () => (drawn * 997 + serial / 32) % 1);
    return {
      do: 'run',
      at: chance.whole(from, to),
      slot: chance.whole(0, slots - 1),
      target: targets[chance.whole(0, targets.length - 1)]!,
      run,
      downloads: [],
      uploads: [{ file, size: chance.whole(3_000, 30_000) }],
      forMs: chance.whole(300, 3_000),
      untilDone: false,
    };
  });
}

/** Runs that upload the same content as one before: while that goes on, or when it is over. */
function followersOf(chance: Chance, acts: readonly FileAct[], { calmAt }: Bounds, to: number): FileAct[] {
  const runs = acts.filter((act) => act.do === 'run').filter(({ uploads }) => uploads.length > 0);
  return runs.flatMap((act, serial): FileAct[] => {
    const isLast = chance.happens(0.4);
    const [drawn, at] = [chance.next(), isLast ? calmAt + 500 : act.at + chance.whole(500, 20_000)];
    if (!chance.happens(0.7) || (!isLast && at >= to)) return [];
    const run = ulid(START_MS + FOLLOWERS_MS + serial, () => (drawn * 997 + serial / 32) % 1);
    const uploads = act.uploads.map((upload) => ({ ...upload, of: act.at }));
    const { rest: _, ...same } = act;
    return [{ ...same, at, run, uploads, downloads: [], untilDone: chance.happens(0.8) }];
  });
}

/** O1: everything is listed, and asked for once more. */
function lastActs(chance: Chance, { slots, calmAt, targets }: Within): FileAct[] {
  return targets.flatMap((target) => [
    { do: 'list' as const, at: calmAt + LAST_LIST_MS, target, lateMs: 0 },
    ...FILES.map((file) => ({
      do: 'download' as const,
      at: calmAt + LAST_ASKED_MS + chance.whole(0, 500),
      slot: chance.whole(0, slots - 1),
      target,
      file,
      priority: 0,
    })),
  ]);
}

function troubleOf(chance: Chance, { slots, from, to, targets }: Within): Trouble {
  const at = chance.whole(from, to);
  const drawn = chance.happens(0.6) ? chance.whole(200, 6_000) : chance.whole(5_000, 90_000);
  const lasting = { at, forMs: Math.min(drawn, to - at + 500) };
  const target = targets[chance.whole(0, targets.length - 1)]!;
  const slot = chance.whole(0, slots - 1);
  const [isHalf, again] = [chance.happens(0.5), chance.whole(0, 3)];
  const fault = chance.one(FILE_FAULTS);
  const how = chance.one(['fails', 'silent', 'restarts'] as const);
  const kind = chance.one([
    'link',
    'link',
    'executor',
    'decoder',
    'store',
    'store',
    'board',
    'driver',
  ] as const);
  switch (kind) {
    case 'link':
      return { ...lasting, kind, target, isSilent: isHalf };
    case 'executor':
      return { ...lasting, kind };
    case 'decoder':
      return { ...lasting, kind, again };
    case 'store':
      return { ...lasting, kind, slot, of: again < 3 ? 'files' : 'records', how: isHalf ? 'full' : 'slow' };
    case 'board':
      return { ...lasting, kind, target, fault };
    case 'driver':
      return { ...lasting, kind, how };
  }
}
