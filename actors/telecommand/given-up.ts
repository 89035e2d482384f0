/**
 * The end of a telecommand that an operator gave up after its cell was quarantined: a final state of section 3.1, with
 * what had happened in its detail, so that whoever follows it is not left waiting. Mission Control Service, section
 * 3.1.
 *
 * O1. A newer owner has written: then it is no longer this one's to end.
 * O3. A history that is over stays as it is.
 * O4. Where the history may be cut nobody knows whether the telecommand left: it is never said that it did not.
 */

import { hasLeft, isFinalTcState, type TcState } from '../../contract/telecommand-state.ts';
import type { TelecommandInput } from '../../machines/telecommand/telecommand.ts';
import type { Bus } from '../../ports/bus.ts';
import { appendEvent, isOver, readHistory, stateOf } from './history.ts';

export interface GivenUp {
  readonly epoch: number;
  readonly at: number;
  /** The trouble it was in, and who gave it up. */
  readonly detail: string;
  /** Whether more may have happened than its history shows (O4). */
  readonly isCut?: boolean;
  /**
   * Whether a later epoch in its history is of a past that is gone, as the epoch of an owner then; default: it never
   * is.
   */
  readonly isOwn?: () => Promise<boolean>;
}

/** Position of its last event; undefined when another owner wrote. Throws `Outage`; asked again it goes on. */
export async function recordGivenUp(
  bus: Bus,
  input: TelecommandInput,
  { epoch, at, detail, isCut = false, isOwn = async () => false }: GivenUp,
): Promise<number | undefined> {
  const { recorded, ...stored } = await readHistory(bus, input.target, input.id);
  if (recorded.some((each) => each.epoch > epoch) && !(await isOwn())) return undefined;
  let { last } = stored;
  if (isOver(recorded)) return last;
  for (const state of missing(stateOf(recorded), isCut)) {
    const isFinal = isFinalTcState(state);
    const said = {
      ...(isFinal && { detail: `${consequence(state)}: ${detail}` }),
      ...(state === 'SEND_FAILED' && { failure: { outcome: 'unknown' } as const }),
    };
    const seq = await appendEvent(bus, input, { type: 'record', state, at, ...said }, epoch, last);
    if (seq === undefined) return undefined;
    last = seq;
  }
  return last;
}

/** The states that lead from the one reached to an end. */
function missing(reached: TcState | undefined, isCut: boolean): readonly TcState[] {
  switch (reached) {
    case undefined:
      return isCut ? ['PENDING', 'ENCODED', 'SEND_FAILED'] : ['PENDING', 'REJECTED'];
    case 'PENDING':
      return isCut ? ['ENCODED', 'SEND_FAILED'] : ['REJECTED'];
    case 'ENCODED':
      return ['SEND_FAILED'];
    default:
      return ['VERIFY_FAILED'];
  }
}

function consequence(state: TcState): string {
  return CONSEQUENCES[hasLeft(state)];
}

const CONSEQUENCES = {
  no: 'it was not sent',
  unknown: 'nobody knows whether it left',
  yes: 'it left and was not verified',
} as const;
