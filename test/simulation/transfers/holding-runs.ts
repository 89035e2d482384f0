/**
 * Runs of a simulated run, as transfers see them: what is open, what holds a target, and what they ask for while they
 * do.
 *
 * V1. The entry of a run among the open ones stands from before it holds a target until the target is given back
 *     (lease-watch.H3); one that is suspended has its entry and no target.
 */

import { buckets } from '../../../contract/bus/buckets.ts';
import type { Holder } from '../../../contract/target-holds.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { FileTarget } from './mission.ts';
import type { FileAct } from './moving.ts';
import type { Outbox } from './outbox.ts';

type RunAct = Extract<FileAct, { do: 'run' }>;

const LOOK_EVERY_MS = 250;
/** Between the giving back of a target and its being free. */
const LEAVING_MS = 300;

interface HoldingRunsOptions {
  readonly clock: Clock;
  readonly outbox: Outbox;
  /** Asks for what the run wants; reports the keys of its transfers. */
  readonly ask: (act: RunAct, asked: (key: string) => void) => void;
  readonly isOver: (key: string) => boolean;
  /** Nobody holds a target behind that, ms since 1970. */
  readonly endsAt: number;
}

/** When which run held a target, ms since 1970. */
export interface Held {
  readonly run: string;
  readonly target: FileTarget;
  readonly from: number;
  to: number;
}

/** A run under way. */
interface Going {
  readonly act: RunAct;
  /** Of the transfers that it asked for. */
  readonly keys: string[];
  hasAsked: boolean;
  hasRested: boolean;
}

export class HoldingRuns {
  readonly held: Held[] = [];
  readonly #options: HoldingRunsOptions;
  readonly #holders = new Map<FileTarget, Holder>();
  /** Runs that hold a target or wait for it. */
  open = 0;
  /** Every run that ever was, and whether it is over. */
  readonly #runs = new Map<RunAct, 'open' | 'over'>();

  constructor(options: HoldingRunsOptions) {
    this.#options = options;
  }

  holdersOf(target: FileTarget): readonly Holder[] {
    const holder = this.#holders.get(target);
    return holder === undefined ? [] : [holder];
  }

  plan(act: RunAct): void {
    this.open += 1;
    this.#runs.set(act, 'open');
    this.#options.outbox.overwrite(buckets.openRuns, keyOfRun(act), Buffer.from('{}'));
    this.#take({ act, keys: [], hasAsked: false, hasRested: act.rest === undefined });
  }

  #take(going: Going): void {
    const { clock, endsAt, ask } = this.#options;
    const { act, keys } = going;
    const { target, run } = act;
    if (clock.now() >= endsAt) return this.#end(act);
    if (this.#holders.has(target)) return void clock.setTimeout(() => this.#take(going), LOOK_EVERY_MS);
    this.#write(target, { run, mode: 'exclusive' });
    const held: Held = { run, target, from: clock.now(), to: Number.POSITIVE_INFINITY };
    this.held.push(held);
    if (!going.hasAsked) ask(act, (key) => keys.push(key));
    going.hasAsked = true;
    this.#look(going, held);
  }

  #look(going: Going, held: Held): void {
    const { clock, isOver, endsAt } = this.#options;
    const { downloads, uploads, untilDone, forMs, rest } = going.act;
    const now = clock.now();
    const isDone = going.keys.length === downloads.length + uploads.length && going.keys.every(isOver);
    const isLate = now - held.from >= forMs;
    if (now >= endsAt || (untilDone ? isDone : isLate && going.hasRested))
      return this.#giveBack(going, held, () => this.#end(going.act));
    const isDue = !going.hasRested && rest !== undefined && now - held.from >= rest.afterMs;
    if (!isDue) return void clock.setTimeout(() => this.#look(going, held), LOOK_EVERY_MS);
    going.hasRested = true;
    this.#giveBack(going, held, () => void clock.setTimeout(() => this.#take(going), rest.forMs));
  }

  #giveBack({ act }: Going, held: Held, then: () => void): void {
    const { clock } = this.#options;
    held.to = clock.now();
    this.#write(act.target, { run: act.run, mode: 'exclusive', leaving: true });
    clock.setTimeout(() => {
      this.#write(act.target, undefined);
      then();
    }, LEAVING_MS);
  }

  /** V1 */
  #end(act: RunAct): void {
    this.#runs.set(act, 'over');
    this.#options.outbox.remove(buckets.openRuns, keyOfRun(act));
    this.open -= 1;
  }

  /** The store went back: what stands there of runs and targets is brought to what is so. */
  rewound(): void {
    const { outbox } = this.#options;
    for (const [act, standing] of this.#runs) {
      if (standing === 'open') outbox.overwrite(buckets.openRuns, keyOfRun(act), Buffer.from('{}'));
      else outbox.remove(buckets.openRuns, keyOfRun(act));
      this.#write(act.target, this.#holders.get(act.target));
    }
  }

  #write(target: FileTarget, holder: Holder | undefined): void {
    if (holder === undefined) this.#holders.delete(target);
    else this.#holders.set(target, holder);
    const holders = this.holdersOf(target);
    this.#options.outbox.overwrite(buckets.leases, target, Buffer.from(JSON.stringify({ holders })));
  }
}

function keyOfRun({ run }: RunAct): string {
  return `0.${run}`;
}
