/**
 * What is left of a simulated scenario of the radio: what was asked and answered, and every write that the board saw.
 */

import type { BoardHolder } from '../../../actors/sdr/radio/board-user.ts';
import type { ActiveProfile } from '../../../contract/bench/profile.ts';
import type { StubTruth } from '../../../radio/stub/stub.ts';
import type { Action, Outcome } from './action.ts';
import type { RadioFault } from './fault.ts';

/** What a write is about. */
export type WriteKind =
  | 'oscillator'
  | 'offset'
  | 'rate'
  | 'filter'
  | 'bandwidth'
  | 'gain'
  | 'state'
  | 'modem'
  | 'reset'
  | 'tone'
  | 'switch'
  | 'level'
  | 'egress'
  | 'counter'
  | 'data';

/** How the board stands, whoever looks at it. */
export interface BoardTruth extends StubTruth {
  readonly levelDb: number;
  /** Of the transmitter that the modem does not drive. */
  readonly secondDb: number;
  readonly egressOpen: boolean;
  /** The demodulator finds nothing by a fault that only a missing lock shows. */
  readonly isStuck: boolean;
}

/** `order` counts through everything that happened. */
export interface Write {
  readonly order: number;
  readonly at: number;
  readonly life: number;
  /** Attachment of the board, over all lives. */
  readonly attachment: number;
  /** Whose command did it; undefined: none. */
  readonly act: number | undefined;
  readonly kind: WriteKind;
  readonly words: string;
  readonly before: BoardTruth;
  readonly after: BoardTruth;
  readonly failed: boolean;
}

export interface Asked {
  readonly act: number;
  readonly order: number;
  readonly at: number;
  readonly life: number;
  readonly who: string;
  readonly by: BoardHolder | undefined;
  readonly action: Action;
  /** Whether it went to the queue of commands. */
  isCommand: boolean;
  readonly answers: Answer[];
}

export interface Answer {
  readonly order: number;
  readonly at: number;
  readonly outcome: Outcome;
  /** Undefined where there is no board. */
  readonly truth: BoardTruth | undefined;
  readonly active: ActiveProfile;
}

/** A run that has the board, from its asking on. */
export interface Holding {
  readonly holder: BoardHolder;
  readonly life: number;
  readonly from: number;
  /** Of the release, or of the end of that life. */
  until: number;
}

/** Something that changed the world from outside. */
export interface Struck {
  readonly order: number;
  readonly fault: RadioFault;
  readonly begins: boolean;
}

/** A board that a daemon has found, as it was when the daemon began to use it. */
export interface Found {
  readonly life: number;
  readonly truth: BoardTruth;
}

export interface LifeEnd {
  readonly life: number;
  readonly order: number;
}

export interface RadioHistory {
  readonly asked: readonly Asked[];
  readonly writes: readonly Write[];
  readonly holdings: readonly Holding[];
  readonly struck: readonly Struck[];
  readonly ends: readonly LifeEnd[];
  readonly found: readonly Found[];
  /** Commands by which it ought to work again behind everything. */
  readonly epilogue: readonly number[];
  /** Rejections nobody handled, and defects of commands. */
  readonly defects: readonly string[];
}
