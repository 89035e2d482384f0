/**
 * The states of a telecommand and what each means to those who wait for it: the one table of them. Mission Control
 * Service, section 3.1. A new state is entered here, in the chart (`machines/telecommand/telecommand.ts`), and where
 * its record is replayed (`actors/telecommand/replay.ts`).
 */

interface Meaning {
  /** Final (O3): as it was meant to end, or not. Absent: another state follows. */
  readonly end?: 'good' | 'bad';
  /** Whether its frame has left. */
  readonly left: 'no' | 'unknown' | 'yes';
}

/** In the order of the chain. */
const STATES = {
  PENDING: { left: 'no' },
  REJECTED: { end: 'bad', left: 'no' },
  ENCODED: { left: 'unknown' },
  ENCODE_FAILED: { end: 'bad', left: 'no' },
  SENT: { left: 'yes' },
  SEND_FAILED: { end: 'bad', left: 'unknown' },
  VERIFIED: { end: 'good', left: 'yes' },
  VERIFY_FAILED: { end: 'bad', left: 'yes' },
  VERIFY_TIMEOUT: { end: 'bad', left: 'yes' },
  /** Sent, with nothing to verify it. */
  COMPLETE: { end: 'good', left: 'yes' },
} as const satisfies Record<string, Meaning>;

export type TcState = keyof typeof STATES;
export const TC_STATES = Object.keys(STATES) as [TcState, ...TcState[]];

const meanings: ReadonlyMap<string, Meaning> = new Map(Object.entries(STATES));

/** Whether no later state follows (O3). */
export function isFinalTcState(state: string): boolean {
  return meanings.get(state)?.end !== undefined;
}

/** Whether it ended as it was meant to; false for a state that is no end. */
export function isGoodTcEnd(state: string): boolean {
  return meanings.get(state)?.end === 'good';
}

/** Whether it ended otherwise; false for a state that is no end. */
export function isBadTcEnd(state: string): boolean {
  return meanings.get(state)?.end === 'bad';
}

/** Whether its frame has left by then, as far as the state says. */
export function hasLeft(state: TcState): Meaning['left'] {
  return STATES[state].left;
}
