/**
 * A telecommand from its log: what a new owner needs of it. Pure: reading the log is the store's work
 * (`actors/telecommand/`). Mission Control Service, section 3.1.
 *
 * G3. The log alone restores a telecommand: its state, what it still asks of the world, its deadline.
 * G6. The context of the chart has all of it: an envelope that is kept beside the log stands for the events it covers,
 *     with the same result (`keptFold`).
 */

import { type BusPosition, isBusPosition } from '../../contract/link.ts';
import type { TcEvent } from '../../contract/telecommand.ts';
import { TC_STATES, type TcState } from '../../contract/telecommand-state.ts';
import type { TelecommandContext } from './telecommand.ts';

/**
 * Of the chart; another one when the chart or its fold changes, so that nothing counts that was kept of the one before.
 */
export const TELECOMMAND_VERSION = 2;

/** One event of the log, with what only an owner needs of it. */
export interface LoggedTelecommand {
  readonly event: TcEvent;
  readonly frame: string | undefined;
  readonly reference: string | undefined;
  readonly handed: BusPosition | undefined;
  /** The gateway it was given, where that is not the one of its link. */
  readonly gateway?: string | undefined;
}

export interface TelecommandFold {
  /** The state it has reached; undefined before PENDING. */
  readonly state: TcState | undefined;
  /** Number of its events. */
  readonly revision: number;
  readonly frame?: string;
  readonly reference?: string;
  readonly gateway?: string;
  readonly encodedAt?: number;
  readonly sentAt?: number;
  readonly handed?: BusPosition;
  readonly detail?: string;
}

export const UNWRITTEN: TelecommandFold = { state: undefined, revision: 0 };

/** The telecommand behind one more event. */
export function evolveTelecommand(before: TelecommandFold, logged: LoggedTelecommand): TelecommandFold {
  const { state, at, detail } = logged.event;
  return {
    ...before,
    ...(state === 'ENCODED' && before.encodedAt === undefined && encoded(logged)),
    ...(state === 'SENT' && before.sentAt === undefined && sent(Date.parse(at), logged)),
    ...(detail !== undefined && { detail }),
    state: state === 'ECHO' ? before.state : state,
    revision: before.revision + 1,
  };
}

export function foldTelecommand(log: Iterable<LoggedTelecommand>, before = UNWRITTEN): TelecommandFold {
  let fold = before;
  for (const logged of log) fold = evolveTelecommand(fold, logged);
  return fold;
}

function encoded({ event, frame, reference, gateway }: LoggedTelecommand): Partial<TelecommandFold> {
  return {
    ...(frame !== undefined && { frame }),
    ...(reference !== undefined && { reference }),
    ...(gateway !== undefined && { gateway }),
    encodedAt: Date.parse(event.at),
  };
}

function sent(sentAt: number, { handed }: LoggedTelecommand): Partial<TelecommandFold> {
  return { sentAt, ...(handed !== undefined && { handed }) };
}

/** The fold of the events that an envelope of the chart covers (G6); undefined when it is no envelope of this chart. */
export function keptFold(snapshot: unknown, revision: number): TelecommandFold | undefined {
  const { value, context } = (snapshot ?? {}) as { value?: unknown; context?: TelecommandContext };
  const state = typeof value === 'object' && value !== null ? Object.keys(value)[0] : value;
  if (!isState(state) || typeof context !== 'object' || context === null) return undefined;
  const { frame, reference, gateway, encodedAt, sentAt, handed, detail } = context;
  return {
    state,
    revision,
    ...(frame !== undefined && { frame }),
    ...(reference !== undefined && { reference: reference.trim() }),
    ...(gateway !== undefined && { gateway }),
    ...(encodedAt !== undefined && { encodedAt: logged(encodedAt) }),
    ...(sentAt !== undefined && { sentAt: logged(sentAt) }),
    ...(isBusPosition(handed) && { handed }),
    ...(detail !== undefined && { detail }),
  };
}

function isState(state: unknown): state is TcState {
  return (TC_STATES as readonly unknown[]).includes(state);
}

/** A time as the log has it, in whole milliseconds. */
function logged(at: number): number {
  return new Date(at).getTime();
}
