/**
 * The conditions under which the chain carries an emission to a target, in the order of conditioning. RF Bench Service,
 * section 2 and rules 5 and 6 of section 4.
 *
 * N1. One table for `GET /chain`, for conditioning, for what transmit refuses and for the page.
 * N2. What could not be read is unknown, and blocks as what is not met does.
 * N3. The destination is configured fully, with the transmitter quiet, before the path is switched to it: everything
 *     that configures stands before `switch`, everything that emits behind it.
 * N4. Lock and proof need a signal: they are shown, and what is ready does not wait for them.
 */

import type { ChainStage, ChainTarget, Condition, ConditionVerdict } from '../../contract/bench/chain.ts';
import type { BoardReading } from '../board/reading.ts';
import type { Setup } from '../board/setup.ts';

/** What the daemon knows beside the board. */
export interface ChainSession {
  /** The profile conditioned towards, and what it asks of the board; undefined: none was applied or given. */
  readonly profile: { readonly name: string; readonly setup: Setup } | undefined;
  /** Count of the applies. */
  readonly epoch: number;
  /** The daemon holds the buffers of the modem. */
  readonly acquired: boolean;
  /** Verdict of the last measurement under this epoch without a manual change since, by the target it was made for. */
  readonly proof: { readonly target: ChainTarget; readonly verdict: string } | undefined;
}

/** Everything a condition may look at. */
export interface ChainView {
  readonly target: ChainTarget;
  readonly session: ChainSession;
  /** Undefined: there is no board. */
  readonly board: BoardReading | undefined;
}

/** What is found of one condition. */
export interface Finding {
  readonly required: string;
  readonly observed: string;
  readonly verdict: ConditionVerdict;
}

/** An action that fixes a condition; the radio carries it out as the route of the same name does. */
export type Remedy =
  | { readonly do: 'profile.apply' }
  | { readonly do: 'datapath.enable' }
  | { readonly do: 'radio.quiet' }
  | { readonly do: 'radio.level' }
  | { readonly do: 'radio.frequency' }
  | { readonly do: 'radio.offset' }
  | { readonly do: 'radio.gain' }
  | { readonly do: 'radio.reset' }
  | { readonly do: 'chain.recover' }
  | { readonly do: 'chain.switch' }
  | { readonly do: 'chain.egress' };

export interface ConditionRow {
  readonly key: string;
  readonly stage: ChainStage;
  readonly source: 'board' | 'session';
  /** For which targets it matters. */
  readonly targets: readonly ChainTarget[];
  readonly breaks: string;
  /** The command, in words a person can use; the route and its body. */
  fix(view: ChainView): string;
  /** What the radio does about it; undefined: nothing it can do. */
  readonly remedy: Remedy | undefined;
  find(view: ChainView): Finding;
}

/** The condition as the routes show it. */
export function shown(row: ConditionRow, view: ChainView): Condition {
  const { key, stage, source, breaks } = row;
  return { key, stage, source, ...row.find(view), breaks, fix: row.fix(view) };
}
