/**
 * A simulated scenario of the radio: the whole radio in lives of a daemon, the modelled board, people and runs, and
 * what goes wrong, on one clock. The same scenario is the same run.
 *
 * O2. A write belongs to the command in whose call it was made, whatever the chart takes for the running one.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Radio } from '../../../actors/sdr/radio/radio.ts';
import { CHAIN_TARGETS, type ChainTarget } from '../../../contract/bench/chain.ts';
import { Outage } from '../../../contract/outage.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Commit, Committed, Store } from '../../../ports/entity.ts';
import type { IioContext } from '../../../radio/iio/context.ts';
import { HeapClock } from '../../../supervision/clock.ts';
import { KeptBucket } from '../../actors/sdr/kept-bucket.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { Chance } from '../chance.ts';
import { ProcessClock } from '../process-clock.ts';
import { Trace } from '../trace.ts';
import type { Action } from './action.ts';
import { Chronicle } from './chronicle.ts';
import { type DaemonLife, startLife } from './daemon-life.ts';
import { describeFault, type RadioFault, SOUND } from './fault.ts';
import type { RadioHistory } from './history.ts';
import { People } from './people.ts';
import type { RadioScenario } from './scenario.ts';
import { SimulatedBoard, type Written } from './simulated-board.ts';

const START_MS = Date.UTC(2026, 0, 5, 9);
/** The longest that commands of before may take behind the calm: captures with their times, one behind the other. */
const SETTLING_MS = 20_000;
const EPILOGUE_MS = 30_000;
const SLOW_STORE_MS = 40;

export interface RadioRunOptions {
  readonly keepTrace?: boolean;
  /** Planted between the radio and its board. */
  readonly wrapContext?: (context: IioContext) => IioContext;
  /** Planted between the radio and those who ask it. */
  readonly wrapRadio?: (radio: Radio) => Radio;
  /** Planted between the radio and its records. */
  readonly wrapStore?: (store: Store) => Store;
}

export interface RadioRun {
  readonly history: RadioHistory;
  readonly trace: Trace;
  readonly steps: number;
}

export async function runRadio(scenario: RadioScenario, options: RadioRunOptions = {}): Promise<RadioRun> {
  return new RadioWorld(scenario, options).run();
}

interface Life {
  readonly number: number;
  readonly clock: ProcessClock;
  readonly daemon: DaemonLife;
}

class RadioWorld {
  readonly #scenario: RadioScenario;
  readonly #options: RadioRunOptions;
  readonly #clock = new HeapClock(START_MS);
  readonly #trace: Trace;
  readonly #chronicle: Chronicle;
  readonly #board: SimulatedBoard;
  readonly #people: People;
  readonly #store = new MemoryStore();
  readonly #bucket = new KeptBucket();
  readonly #working = new AsyncLocalStorage<string>();
  #storeIs: 'there' | 'away' | 'slow' = 'there';
  #life: Life | undefined;
  #lives = 0;

  constructor(scenario: RadioScenario, options: RadioRunOptions) {
    this.#scenario = scenario;
    this.#options = options;
    this.#trace = new Trace(options.keepTrace === true);
    this.#chronicle = new Chronicle(this.#clock, this.#trace);
    this.#board = new SimulatedBoard(this.#clock, scenario.seed);
    this.#people = new People({
      chronicle: this.#chronicle,
      life: () => this.#life && { number: this.#life.number, radio: this.#life.daemon.radio },
      truth: () => (this.#board.isAway ? undefined : this.#board.truth()),
      working: this.#working,
    });
  }

  async run(): Promise<RadioRun> {
    const { acts, visits, faults, calmAt } = this.#scenario;
    const chronicle = this.#chronicle;
    const note = (reason: unknown): void => chronicle.defect(reason);
    process.on('unhandledRejection', note);
    this.#begin();
    for (const { at, who, action } of acts) chronicle.at(at, () => void this.#people.ask(who, action));
    for (const visit of visits) chronicle.at(visit.at, () => this.#people.visit(visit));
    for (const fault of faults) this.#plan(fault, calmAt);
    let steps = await this.#runTo(calmAt + SETTLING_MS);
    void this.#conclude();
    steps += await this.#runTo(calmAt + SETTLING_MS + EPILOGUE_MS);
    this.#end();
    // Else every promise of the process goes on being followed, once for each world that there was.
    this.#working.disable();
    process.off('unhandledRejection', note);
    return { history: chronicle.history, trace: this.#trace, steps };
  }

  /** Up to that time, letting promises settle behind each timer. */
  async #runTo(end: number): Promise<number> {
    let steps = 0;
    await promisesSettled();
    for (let due = this.#clock.next(); due !== undefined && due - START_MS <= end; due = this.#clock.next()) {
      this.#clock.step();
      steps += 1;
      await promisesSettled();
    }
    this.#clock.advanceTo(START_MS + end);
    return steps;
  }

  // The daemon
  // ---------------------------------------------------------------------------------------------------------

  #begin(): void {
    this.#lives += 1;
    const number = this.#lives;
    const clock = new ProcessClock(this.#clock, 0);
    const { wrapRadio = (radio) => radio, wrapContext = (context) => context } = this.#options;
    const daemon = startLife({
      seed: this.#scenario.seed,
      life: number,
      clock,
      wrapRadio,
      eventRecords: this.#bucket,
      store: this.#storeFor(clock),
      open: async () => wrapContext(this.#board.attach(clock, (write) => this.#wrote(number, write))),
      telling: (event) => this.#people.told(number, event),
      working: this.#working,
    });
    this.#life = { number, clock, daemon };
    this.#chronicle.tell('daemon', `begins its life ${number}`);
    void daemon.ready;
  }

  /** As if it were killed: between any two things that it does. */
  #end(): void {
    const life = this.#life;
    if (life === undefined) return;
    this.#life = undefined;
    life.clock.end();
    this.#board.abandon();
    life.daemon.kill();
    const chronicle = this.#chronicle;
    const order = chronicle.next();
    chronicle.ends.push({ life: life.number, order });
    for (const holding of chronicle.holdings)
      if (holding.life === life.number) holding.until = Math.min(holding.until, order);
    for (const { level, message, fields } of life.daemon.log.said)
      if (level === 'error') chronicle.defect((fields as { err?: unknown }).err ?? message);
  }

  #storeFor(clock: Clock): Store {
    const store = this.#options.wrapStore?.(this.#store) ?? this.#store;
    const commit = async (commit: Commit): Promise<Committed> => {
      if (this.#storeIs === 'away') throw new Outage('bus.unavailable', 'store');
      if (this.#storeIs === 'slow') await pause(clock, SLOW_STORE_MS);
      const committed = await store.commit(commit);
      if (this.#storeIs === 'slow') await pause(clock, SLOW_STORE_MS);
      return committed;
    };
    return { load: (id) => store.load(id), commit };
  }

  /** O2 */
  #wrote(life: number, write: Written): void {
    const chronicle = this.#chronicle;
    const act = this.#people.actOf(this.#working.getStore());
    chronicle.writes.push({ order: chronicle.next(), at: chronicle.now, life, act, ...write });
    const { words, failed, before } = write;
    const quiet = `${before.egressOpen ? 'open' : 'closed'} at ${before.levelDb} dB, ${before.target}`;
    const who = act === undefined ? 'nobody' : `act ${act}`;
    chronicle.tell(who, `writes ${words}${failed ? ' (refused)' : ''} (${quiet})`);
  }

  // What goes wrong
  // ----------------------------------------------------------------------------------------------------

  #plan(fault: RadioFault, calmAt: number): void {
    this.#chronicle.at(fault.at, () => this.#strike(fault, true));
    this.#chronicle.at(Math.min(fault.at + fault.forMs, calmAt), () => this.#strike(fault, false));
  }

  #strike(fault: RadioFault, begins: boolean): void {
    const board = this.#board;
    this.#chronicle.struck.push({ order: this.#chronicle.next(), fault, begins });
    this.#chronicle.tell('fault', `${begins ? 'begins' : 'ends'}: ${describeFault(fault)}`);
    switch (fault.kind) {
      case 'board':
        return board.inject(begins ? fault.faults : repaired(fault.faults));
      case 'slow':
        board.latencyMs = begins ? fault.latencyMs : board.normalLatencyMs;
        return;
      case 'silence':
        board.silence = begins ? { left: fault.after, done: fault.done } : undefined;
        return;
      case 'lost':
        board.isAway = begins;
        if (begins) board.cut('the cable was pulled', fault.cold);
        return;
      case 'store':
        this.#storeIs = begins ? fault.how : 'there';
        return;
      case 'crash':
        if (begins) this.#end();
        else if (this.#life === undefined) this.#begin();
        return;
    }
  }

  /** Behind everything: whoever conditions and measures now has bytes that come through. */
  async #conclude(): Promise<void> {
    const { seed } = this.#scenario;
    const target = new Chance(seed, 'radio epilogue').one<ChainTarget>(CHAIN_TARGETS);
    this.#board.inject(SOUND);
    const concluding: readonly Action[] = [
      { do: 'apply', profile: 'fast' },
      { do: 'condition', target },
      { do: 'measure', timeoutMs: 2_000 },
      { do: 'state', target },
    ];
    for (const action of concluding) {
      this.#chronicle.epilogue.push(this.#chronicle.asked.length);
      await this.#people.ask('conclude', action);
    }
  }
}

/** What repairs exactly these. */
function repaired(faults: Extract<RadioFault, { kind: 'board' }>['faults']): typeof SOUND {
  return Object.fromEntries(Object.keys(faults).map((name) => [name, undefined]));
}

function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.setTimeout(resolve, ms));
}

/**
 * Resolves when everything that needs no time has happened: promises come before this in every turn, and a command that
 * failed looks a turn later whether its board is lost.
 */
async function promisesSettled(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
}
