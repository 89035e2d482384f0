/**
 * The one gate before the transmitter. RF Bench Service, section 4, rule 11: whatever brings bytes there, by whichever
 * route, feed or script, asks here first.
 *
 * E1. Where the chain cannot carry an emission it is refused with the first missing step. `force` overrides that,
 *     wherever it is taken.
 * E2. What comes back inside the board reaches no connector: a measurement there is let through, and shows what is
 *     missing.
 * E3. A pass is of one path and of one moment in the order of stops: it is void once either has changed, until the
 *     bytes are handed over.
 */

import type { ChainState } from '../../../contract/bench/chain.ts';
import type { Refusable } from '../../../ports/bench.ts';
import { knownValue } from '../../../radio/board/observed.ts';
import { controlBit } from '../../../radio/board/registers.ts';
import { Interrupted } from '../../../radio/board/stops.ts';
import type { Pass } from '../datapath/buffers.ts';
import { refuse } from './board-fault.ts';
import type { Work } from './board-work.ts';
import type { Chain } from './chain.ts';
import { word } from './status.ts';

/** A pass, with what was seen when it was given. */
export interface Passed extends Pass {
  readonly chain: ChainState;
  /** Without a driver of the logic nobody knows. */
  readonly egressOpen: boolean | null;
}

interface Emission {
  readonly force?: boolean | undefined;
  /** Gated on air alone (E2). */
  readonly isMeasurement?: boolean;
}

/** The pass for an emission of this command; refused as the chain is. */
export async function passGate(
  work: Work,
  chain: Chain,
  { force = false, isMeasurement = false }: Emission,
): Promise<Refusable<Passed>> {
  const { board, permit } = work;
  const { buffers } = board;
  const path = buffers.paths;
  const state = await chain.present(work);
  const isInside = isMeasurement && (state.current_target ?? 'air') !== 'air';
  if (!state.ready && !force && !isInside) return notReady(state);
  const control = knownValue(await word(board, 'control'));
  const egressOpen = control === undefined ? null : (control & controlBit.egress) !== 0;
  const check = (): void => {
    // Inside the board a stop forbids nothing: nothing leaves there.
    if (!isInside) permit.check();
    if (buffers.paths !== path) throw new Interrupted('the path has changed since the chain was read');
  };
  return { ok: true, value: { check, leaves: egressOpen === true, egressOpen, chain: state } };
}

function notReady(state: ChainState): Refusable<never> {
  return refuse('conflict', `the chain cannot carry it: ${state.next?.condition ?? 'unknown'} is missing`, {
    ...(state.next !== null && { next: state.next, help: state.next.command }),
    state,
  });
}
