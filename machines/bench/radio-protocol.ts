/**
 * What the chart of the radio receives, and what it asks for. Commands are numbers here: what they carry stays with who
 * asked.
 */

import type { BenchErrorCode } from '../../contract/bench/errors.ts';
import type { RadioFact, RadioRecord } from './radio-record.ts';

/** A run that nobody else may come between. */
export interface Holder {
  readonly kind: 'campaign' | 'scenario';
  readonly id: string;
}

/**
 * What a command uses alone: the settings of the board, its receive buffer, its transmit buffer. Commands that share
 * nothing go on beside each other.
 */
export type BoardPart = 'settings' | 'receiver' | 'transmitter';

export interface Command {
  readonly id: string;
  /** As people know it: `POST /api/v1/radio/gain`. */
  readonly route: string;
  readonly uses: readonly BoardPart[];
}

/** `attachment` counts within one life of the daemon. */
export interface AttachedBoard {
  readonly attachment: number;
  readonly name: string;
}

export interface RadioContext {
  readonly record: RadioRecord;
  /** Life of the daemon, which effects carry: those of an earlier one are not done. */
  readonly session: string;
  readonly board: AttachedBoard | undefined;
  /** Why there is no board. */
  readonly trouble: string;
  /** Times that the board was not there, since it last was. */
  readonly failures: number;
  readonly holder: Holder | undefined;
  /** Under way, in the order they began. */
  readonly running: readonly Command[];
  /** In the order they were asked. */
  readonly waiting: readonly Command[];
}

export type RadioEvent =
  | { type: 'daemon.started'; session: string; at: number }
  | { type: 'board.attached'; board: AttachedBoard; at: number }
  | { type: 'board.missed'; reason: string; at: number }
  | { type: 'board.lost'; attachment: number; reason: string; at: number }
  | { type: 'operator.command'; command: Command; by?: Holder; at: number }
  /** Whoever asked does not want it any more. */
  | { type: 'operator.withdraw'; id: string; at: number }
  | { type: 'command.ended'; id: string; facts: readonly RadioFact[]; at: number }
  /** The transmitter was stopped: that is done ahead of commands, and known here when it is. */
  | { type: 'transmitter.stopped'; facts: readonly RadioFact[]; at: number }
  /** Nobody here set it so: another tool did. `what`: what was read, and what the profile asks for. */
  | { type: 'board.differs'; what: string; at: number }
  | { type: 'run.hold'; request: string; holder: Holder; at: number }
  | { type: 'run.release'; holder: Holder; at: number };

export type RadioEffect =
  | { type: 'effect.attach'; session: string }
  | { type: 'effect.command'; session: string; id: string }
  /** The command has ended and is recorded: whoever asked may know. */
  | { type: 'effect.answer'; session: string; id: string }
  | {
      type: 'effect.refuse';
      session: string;
      id: string;
      code: BenchErrorCode;
      message: string;
      help?: string;
    }
  /** `message`: why it is not held. */
  | { type: 'effect.hold-answer'; session: string; request: string; code?: BenchErrorCode; message?: string }
  | { type: 'effect.tell-lost'; session: string; reason: string };

/** Whether the later one waits for the other: for whatever uses the same, and for every setting asked before. */
export function goesBefore(before: Pick<Command, 'uses'>, later: Pick<Command, 'uses'>): boolean {
  return before.uses.includes('settings') || before.uses.some((part) => later.uses.includes(part));
}

export function isSameHolder(one: Holder | undefined, other: Holder | undefined): boolean {
  return one?.kind === other?.kind && one?.id === other?.id;
}
