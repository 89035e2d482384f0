/**
 * The board for scenarios and campaigns: held by one run, commanded by the verbs of its script. Each verb does what its
 * route does.
 *
 * B1. Whatever is done for a run is done in its name; what is done in another name meanwhile is refused.
 * B2. A hold that cannot be recorded in time is refused, for good, as a command is (command-queue.K4): a run that did
 *     not have the board before does not have it later either.
 */

import { randomUUID } from 'node:crypto';
import { assert, assertNever } from '../../../contract/assert.ts';
import type { ChainTarget, ConditionBody } from '../../../contract/bench/chain.ts';
import type { FlushBody, TransmitBody } from '../../../contract/bench/datapath.ts';
import type { BenchFault } from '../../../contract/bench/errors.ts';
import type { MetricName } from '../../../contract/bench/metric.ts';
import type { FrequencyBody, GainBody, RadioStatus, ResetScope } from '../../../contract/bench/radio.ts';
import type { MeasureScript } from '../../../contract/bench/verb.ts';
import { BENCH_RECORD_MS } from '../../../contract/limits/bench.ts';
import { accepted, type Result, refused } from '../../../contract/result.ts';
import { type Holder, isSameHolder, type RadioEvent } from '../../../machines/bench/radio-protocol.ts';
import type { Refusable } from '../../../ports/bench.ts';
import type { Clock, TimerHandle } from '../../../ports/clock.ts';
import { prbs } from '../../../radio/prbs.ts';
import type { DatapathCommands } from '../datapath/datapath.ts';
import type { PacketCommands } from '../datapath/packets.ts';
import type { Board } from './board.ts';
import { refuse } from './board-fault.ts';
import type { BoardHolder, BoardUser, Done, ScriptedAction } from './board-user.ts';
import type { Asking } from './board-work.ts';
import type { Chain } from './chain.ts';
import type { Profiles } from './profiles.ts';
import { readMetrics } from './status-metric.ts';
import type { Tuning } from './tuning.ts';

/** Bytes of a payload that a script makes: a period of the longest PRBS that a payload holds differs everywhere. */
const PRBS_BYTES = 16 * 4096;
const PRBS_ORDER = 15;

interface UserOptions {
  readonly clock: Clock;
  readonly wired: ChainTarget;
  readonly board: () => Board | undefined;
  readonly tell: (event: RadioEvent) => boolean;
  /** Who has the board, recorded or not. */
  readonly holder: () => Holder | undefined;
  /** A run asks for the board. */
  readonly holding: (holder: BoardHolder) => void;
  readonly released: (holder: BoardHolder) => void;
  readonly tuning: Tuning;
  readonly chain: Chain;
  readonly datapath: DatapathCommands;
  readonly packets: PacketCommands;
  readonly profiles: Profiles;
}

interface AskedHold {
  readonly settle: (outcome: Result<void, BenchFault>) => void;
  readonly timer: TimerHandle;
}

export class RadioUser implements BoardUser {
  readonly #options: UserOptions;
  readonly #holds = new Map<string, AskedHold>();
  readonly #listeners = new Set<(reason: string) => void>();

  constructor(options: UserOptions) {
    this.#options = options;
  }

  get source(): 'pl' | 'stub' | undefined {
    return this.#options.board()?.context.source;
  }

  get provider(): string {
    return this.#options.board()?.context.name ?? 'none: there is no board';
  }

  get wired(): ChainTarget {
    return this.#options.wired;
  }

  hold(holder: BoardHolder): Promise<Result<void, BenchFault>> {
    const { clock, tell, holding } = this.#options;
    const hadIt = isSameHolder(this.#options.holder(), holder);
    holding(holder);
    const request = randomUUID();
    return new Promise((settle) => {
      const timer = clock.setTimeout(() => {
        if (!hadIt) void this.release(holder);
        this.held(request, UNRECORDED);
      }, BENCH_RECORD_MS);
      this.#holds.set(request, { settle, timer });
      if (tell({ type: 'run.hold', request, holder, at: clock.now() })) return;
      this.held(request, { code: 'unavailable', message: 'the radio accepts no commands now' });
    });
  }

  async release(holder: BoardHolder): Promise<void> {
    const { clock, tell, released } = this.#options;
    released(holder);
    tell({ type: 'run.release', holder, at: clock.now() });
  }

  /** The chart has answered a hold, or will not in time. */
  held(request: string, fault: BenchFault | undefined): void {
    const asked = this.#holds.get(request);
    if (asked === undefined) return;
    this.#holds.delete(request);
    this.#options.clock.clearTimeout(asked.timer);
    asked.settle(fault === undefined ? accepted(undefined) : refused(fault));
  }

  async perform(
    action: ScriptedAction,
    by: BoardHolder,
    signal?: AbortSignal,
  ): Promise<Result<Done, BenchFault>> {
    return this.#do(action, { by, ...(signal && { signal }) });
  }

  sample(names: readonly MetricName[]): ReturnType<BoardUser['sample']> {
    const { board, datapath } = this.#options;
    return readMetrics(names, board(), { measured: () => datapath.measured });
  }

  onLost(listener: (reason: string) => void): () => void {
    const reported = (reason: string): void => listener(reason);
    this.#listeners.add(reported);
    return () => this.#listeners.delete(reported);
  }

  lost(reason: string): void {
    for (const listener of [...this.#listeners]) listener(reason);
  }

  /** Every run that waits for the board is answered. */
  refuseAll(message: string): void {
    for (const request of [...this.#holds.keys()]) this.held(request, { code: 'unavailable', message });
  }

  async #do({ do: verb, with: body }: ScriptedAction, asking: Asking): Promise<Result<Done, BenchFault>> {
    const { tuning, chain, datapath, packets, profiles } = this.#options;
    switch (verb) {
      case 'profile.apply': {
        const { profile } = body as { profile?: string };
        if (profile === undefined) return refuse('validation_failed', 'with.profile: is missing');
        return announced(await profiles.apply(profile, asking), ({ tuning: words }) => words);
      }
      case 'chain.condition':
        return announced(await chain.condition(body as ConditionBody, asking), ({ steps, state }) =>
          steps.length === 0
            ? `${state.target} was ready`
            : `conditioned to ${state.target}: ${steps.join(', ')}`,
        );
      case 'chain.recover':
        return announced(await chain.recover(asking), ({ pulsed, note }) => `${pulsed.length} bits ${note}`);
      case 'radio.frequency':
        return announced(await tuning.tune(body as FrequencyBody, asking), tunedWords);
      case 'radio.gain':
        return announced(await tuning.gain(body as GainBody, asking), gainWords);
      case 'radio.loopback':
        return announced(
          await tuning.loopback((body as { enabled: boolean }).enabled, asking),
          ({ loopback }) =>
            loopback === null
              ? `loopbacks ${UNKNOWN}`
              : loopback
                ? 'loopback of the part on'
                : 'loopbacks off',
        );
      case 'radio.reset': {
        const { scope } = body as { scope: ResetScope };
        return announced(await tuning.reset(scope, asking), () => `reset of ${scope}`);
      }
      case 'datapath.enable':
        return announced(await datapath.enable(asking), () => 'datapath enabled');
      case 'datapath.disable':
        return announced(await datapath.disable(asking), () => 'datapath disabled');
      case 'datapath.flush':
        return announced(
          await packets.flush(body as FlushBody, asking),
          (reply) => `${reply.useful_bytes} bytes flushed`,
        );
      case 'datapath.transmit':
        return announced(
          await packets.transmit(body as TransmitBody, asking),
          (reply) => `${reply.packets} packets, ${reply.wire_bytes} bytes queued`,
        );
      case 'datapath.measure':
        return this.#measure(body as MeasureScript, asking);
      default:
        return assertNever(verb);
    }
  }

  async #measure(script: MeasureScript, asking: Asking): Promise<Result<Done, BenchFault>> {
    const { blocks, warmup, timeout_ms: timeoutMs, force } = script;
    const terms = {
      blocks,
      ...(warmup !== undefined && { warmup }),
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(force !== undefined && { force }),
    };
    const measured = await this.#options.datapath.measure(payloadOf(script), terms, asking);
    if (!measured.ok) return measured;
    const { verdict, overall_ratio } = measured.value;
    return accepted({
      detail: `${verdict}, ${(overall_ratio * 100).toFixed(3)} % of ${measured.value.capture_bytes} bytes`,
      measurement: measured.value,
    });
  }
}

function payloadOf({ payload_hex, prbs: order = PRBS_ORDER, seed }: MeasureScript): Uint8Array {
  if (payload_hex !== undefined) return Buffer.from(payload_hex, 'hex');
  assert(order === 9 || order === 15 || order === 23, 'a step of the script');
  return prbs(order, PRBS_BYTES, seed);
}

function announced<Value>(
  outcome: Refusable<Value>,
  words: (value: Value) => string,
): Result<Done, BenchFault> {
  return outcome.ok ? accepted({ detail: words(outcome.value) }) : outcome;
}

function tunedWords(status: RadioStatus): string {
  const { rx_lo_hz, rx_nco_offset_hz, tx_lo_hz, tx_nco_offset_hz } = status;
  const side = (oscillator: number | undefined, offset: number | null): string =>
    oscillator === undefined || offset === null ? UNKNOWN : `at ${oscillator} ${signed(offset)} Hz`;
  return `receiver ${side(rx_lo_hz, rx_nco_offset_hz)}, transmitter ${side(tx_lo_hz, tx_nco_offset_hz)}`;
}

function gainWords({ rx_rf_gain_db, tx_rf_gain_db }: RadioStatus): string {
  const side = (gain: number | undefined): string => (gain === undefined ? UNKNOWN : `at ${gain} dB`);
  return `receiver ${side(rx_rf_gain_db)}, transmitter ${side(tx_rf_gain_db)}`;
}

/** B2 */
const UNRECORDED: BenchFault = {
  code: 'unavailable',
  message: 'the hold of the board for the run cannot be recorded',
  help: 'try again when the bus is reachable',
};

const UNKNOWN = 'not known: the board does not report it';

function signed(value: number): string {
  return value < 0 ? `- ${-value}` : `+ ${value}`;
}
