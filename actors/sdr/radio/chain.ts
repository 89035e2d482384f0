/**
 * The state of the chain and its conditioning. RF Bench Service, section 4, rules 5 and 6.
 *
 * C1. A step of conditioning does what its route does, by the same actions.
 * C2. Behind a conditioning the chain is as the profile asks: it is the applied one, and clean.
 */

import { isDeepStrictEqual } from 'node:util';
import type {
  ChainState,
  ChainTarget,
  ConditionBody,
  Conditioned,
  Recovered,
} from '../../../contract/bench/chain.ts';
import type { Profile } from '../../../contract/bench/profile.ts';
import type { RadioRecord } from '../../../machines/bench/radio-record.ts';
import type { Answered, BenchChain, Refusable } from '../../../ports/bench.ts';
import { knownValue } from '../../../radio/board/observed.ts';
import { type BoardReading, currentTarget, readBoard, readRegisters } from '../../../radio/board/reading.ts';
import { register } from '../../../radio/board/registers.ts';
import type { Setup } from '../../../radio/board/setup.ts';
import type { ChainView } from '../../../radio/chain/condition.ts';
import { condition, type Stopped } from '../../../radio/chain/conditioning.ts';
import { fix } from '../../../radio/chain/remedy.ts';
import { chainState, firstUnmet } from '../../../radio/chain/state.ts';
import { IioFailure } from '../../../radio/iio/context.ts';
import type { Board } from './board.ts';
import { refuse } from './board-fault.ts';
import type { Asking, Work } from './board-work.ts';
import type { RadioParts } from './parts.ts';
import { setupFor } from './profile-setup.ts';
import type { Profiles } from './profiles.ts';

const CONDITION = 'POST /api/v1/chain/condition';
const RECOVER = 'POST /api/v1/chain/recover';
const NOT_KNOWN =
  'pulsed and read back; only a byte-exact loopback shows that it worked, a moving counter proves nothing';

/** Registers that are read back behind a recovery. */
const READ_BACK = ['control', 'clear', 'status', 'frameCount'] as const;

/** What is conditioned towards. */
interface Wanted {
  readonly profile: Profile;
  readonly setup: Setup;
  readonly sampleRateSps: number | undefined;
}

export class Chain implements BenchChain {
  readonly #parts: RadioParts;
  readonly #profiles: Profiles;

  constructor(parts: RadioParts, profiles: Profiles) {
    this.#parts = parts;
    this.#profiles = profiles;
  }

  /** Of no board everything is unknown: that is an answer, too. */
  async state(target: ChainTarget | undefined): ReturnType<BenchChain['state']> {
    const { board, context, wired } = this.#parts;
    const attached = board();
    const view = await this.view(attached, context().record, target ?? wired);
    if (board() === attached) return { ok: true, value: chainState(view) };
    // Lost while it was read.
    return { ok: true, value: chainState(await this.view(board(), context().record, target ?? wired)) };
  }

  condition(body: ConditionBody, asking: Asking = {}): Answered<Conditioned> {
    return this.#parts.queue.ask(CONDITION, asking, (work) => this.#condition(body, work));
  }

  recover(asking: Asking = {}): Answered<Recovered> {
    return this.#parts.queue.ask(RECOVER, asking, (work) => this.#recover(work));
  }

  /** What the chain is judged by, towards the applied profile or one that is given. */
  async view(
    board: Board | undefined,
    record: RadioRecord,
    target: ChainTarget,
    wanted = this.#applied(record),
  ): Promise<ChainView> {
    return {
      target,
      session: {
        profile: wanted && { name: wanted.profile.name, setup: wanted.setup },
        epoch: record.epoch,
        acquired: board?.buffers.isHeld ?? false,
        proof: record.proof,
      },
      board: board && (await readBoard(board.context, board.modem)),
    };
  }

  /** What a reading is judged by, towards the applied profile. */
  viewOf(board: BoardReading, record: RadioRecord): ChainView {
    const wanted = this.#applied(record);
    const profile = wanted && { name: wanted.profile.name, setup: wanted.setup };
    const session = { profile, epoch: record.epoch, acquired: false, proof: record.proof };
    return { target: this.#parts.wired, session, board };
  }

  /** The state for where the board transmits to now, or is wired for. */
  async present({ board, record }: Pick<Work, 'board' | 'record'>): Promise<ChainState> {
    return chainState(await this.#presentView(board, record));
  }

  /**
   * Opens the egress where nothing else of the chain stands before it: then the command the state names has fixed it.
   */
  async openWhereReady({ board, record, actions }: Work): Promise<void> {
    const first = firstUnmet(await this.#presentView(board, record));
    if (first?.key === 'tx.egress') await actions.openEgress(true);
  }

  async #presentView(board: Board, record: RadioRecord): Promise<ChainView> {
    const view = await this.view(board, record, this.#parts.wired);
    return { ...view, target: (view.board && currentTarget(view.board)) ?? this.#parts.wired };
  }

  #applied({ applied }: RadioRecord): Wanted | undefined {
    if (applied === undefined) return undefined;
    const { profile, sampleRateSps } = applied;
    const setup = setupFor(profile, this.#parts.bounds, sampleRateSps);
    return setup.ok ? { profile, sampleRateSps, setup: setup.value } : undefined;
  }

  #wanted({ profile: name, rate_sps }: ConditionBody, { record }: Work): Refusable<Wanted> {
    const given = name === undefined ? undefined : this.#profiles.get(name);
    if (name !== undefined && given === undefined) return this.#profiles.unknown(name);
    const profile = given ?? record.applied?.profile;
    if (profile === undefined)
      return refuse('conflict', 'no profile is applied and none is given: conditioning has no goal', {
        help: 'apply one with POST /api/v1/profiles/{name}/apply, or name one in `profile`',
      });
    const sampleRateSps = rate_sps ?? (given === undefined ? record.applied?.sampleRateSps : undefined);
    const setup = setupFor(profile, this.#parts.bounds, sampleRateSps);
    return setup.ok ? { ok: true, value: { profile, setup: setup.value, sampleRateSps } } : setup;
  }

  async #condition(body: ConditionBody, work: Work): Promise<Refusable<Conditioned>> {
    const { target = 'air' } = body;
    const wanted = this.#wanted(body, work);
    if (!wanted.ok) return wanted;
    const { board } = work;
    const outcome = await condition({
      view: () => this.view(board, work.record, target, wanted.value),
      fix: async (remedy, seen) => {
        if (remedy.do === 'datapath.enable') await board.buffers.hold();
        noteChange(work);
        const done = await fix(remedy, seen, work.actions);
        if (remedy.do === 'profile.apply') this.#noteApplied(wanted.value, work);
        return done;
      },
    });
    if (!outcome.ok) return this.#stopped(outcome.faults[0], work);
    // C2
    if (!isApplied(work.record, wanted.value)) this.#noteApplied(wanted.value, work);
    work.note({ type: 'chain.conditioned' });
    const { steps, detail } = outcome.value;
    const done = steps.length === 0 ? 'nothing was missing' : steps.join(', ');
    this.#record(
      'chain.conditioned',
      'info',
      `conditioned to ${target} under ${wanted.value.profile.name}: ${done}`,
    );
    const state = chainState(await this.view(board, work.record, target));
    return { ok: true, value: { steps: [...steps], detail: [...detail], ...work.droppedBytes, state } };
  }

  #stopped({ reason, steps, state }: Stopped, work: Work): Refusable<never> {
    const done = steps.length === 0 ? 'nothing' : steps.join(', ');
    this.#record('chain.refused', 'warning', `conditioning to ${state.target} stopped: ${reason}`);
    if (this.#parts.board() !== work.board) return refuse('unavailable', `the board is lost: ${reason}`);
    return refuse('conflict', `the chain is not conditioned: ${reason}; done before: ${done}`, {
      ...(state.next !== null && { next: state.next, help: state.next.command }),
      state,
    });
  }

  #noteApplied({ profile, sampleRateSps }: Wanted, work: Work): void {
    work.note({
      type: 'profile.applied',
      profile,
      by: work.by,
      message: 'applied by conditioning the chain',
      ...(sampleRateSps !== undefined && { sampleRateSps }),
    });
    this.#record('profile.applied', 'info', `profile ${profile.name} applied by conditioning the chain`);
  }

  async #recover(work: Work): Promise<Refusable<Recovered>> {
    const { modem } = work.board;
    const version = await readVersion(modem);
    if (version !== undefined)
      return refuse('unavailable', `there is no driver of the modem: ${version}`, {
        help: 'load the programmable logic and its driver',
      });
    work.note({ type: 'manual.changed', route: RECOVER });
    const pulsed = await work.actions.recover();
    const registers = await readRegisters(modem);
    const read_back = READ_BACK.flatMap((name) => {
      const value = knownValue(registers[name]);
      return value === undefined ? [] : [{ name: register[name].name, value }];
    });
    this.#record('chain.recovered', 'info', `CLEAR bits of the receiver pulsed by ${work.by}`);
    return { ok: true, value: { pulsed, read_back, note: NOT_KNOWN } };
  }

  #record(kind: string, severity: 'info' | 'warning', message: string): void {
    this.#parts.events.record({ kind, source: 'radio', severity, message });
  }
}

/** A step that ends early leaves a board that is as no profile asks. */
function noteChange(work: Work): void {
  if (work.record.applied?.dirtyReason === undefined) work.note({ type: 'manual.changed', route: CONDITION });
}

function isApplied({ applied }: RadioRecord, { profile, sampleRateSps }: Wanted): boolean {
  return isDeepStrictEqual(applied?.profile, profile) && applied?.sampleRateSps === sampleRateSps;
}

/** Why the modem does not answer; undefined where it does. */
async function readVersion(modem: Board['modem']): Promise<string | undefined> {
  try {
    await modem.version();
    return undefined;
  } catch (error) {
    if (error instanceof IioFailure) return error.message;
    throw error;
  }
}
