/**
 * What scenarios and campaigns need of the radio, which alone writes to the board. RF Bench Service, sections 1 (2) and
 * 3.
 */

import type { ChainTarget } from '../../../contract/bench/chain.ts';
import type { Measurement } from '../../../contract/bench/datapath.ts';
import type { BenchFault } from '../../../contract/bench/errors.ts';
import type { Severity } from '../../../contract/bench/event.ts';
import type { MetricName } from '../../../contract/bench/metric.ts';
import type { ScenarioVerb } from '../../../contract/bench/verb.ts';
import type { Result } from '../../../contract/result.ts';

/** Who holds the board: while somebody does, only what is done in that name is not refused as `board_busy`. */
export interface BoardHolder {
  readonly kind: 'campaign' | 'scenario';
  /** Of the run. */
  readonly id: string;
}

/** What was done, in words, with what came of it. */
export interface Done {
  readonly detail: string;
  /** Of `datapath.measure`. */
  readonly measurement?: Measurement;
}

export interface ScriptedAction {
  readonly do: Exclude<ScenarioVerb, 'wait'>;
  readonly with: object;
}

export interface BoardUser {
  /** Where numbers of the board come from; undefined: there is no board. */
  readonly source: 'pl' | 'stub' | undefined;
  /** Who would take a board action, in words. */
  readonly provider: string;
  /** What the board is wired for. */
  readonly wired: ChainTarget;
  /** Takes the board; refused with `conflict` while another holds it. A holder may be named again. */
  hold(holder: BoardHolder): Promise<Result<void, BenchFault>>;
  release(holder: BoardHolder): Promise<void>;
  /**
   * Does it as its route does, behind what was asked before. Refused with the code of the route; `unavailable` when the
   * board is lost. Aborted, it ends as soon as the board lets it.
   */
  perform(action: ScriptedAction, by: BoardHolder, signal?: AbortSignal): Promise<Result<Done, BenchFault>>;
  /** Readings now; null: the board cannot report it. */
  sample(
    names: readonly MetricName[],
  ): Promise<Readonly<Partial<Record<MetricName, number | boolean | null>>>>;
  /** Calls when the board is lost, until the function it returns is called. */
  onLost(listener: (reason: string) => void): () => void;
}

/** Where the parts of the bench record what happened. */
export interface EventSink {
  /** Stores an event; its id. */
  record(event: {
    readonly kind: string;
    readonly source: string;
    readonly severity: Severity;
    readonly message: string;
  }): number;
  /** How many frames were captured and events of a kind recorded since a moment (ms since 1970). */
  countSince(what: 'frames' | { readonly kind: string | undefined }, at: number): number;
}
