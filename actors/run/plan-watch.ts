/**
 * Follows the passes of the runs with a plan that a shard holds: their logs say when the pass is, and then that it is
 * over, at another time, cancelled or not stored any more. Mission Control Service, sections 4.2 rule 3 and 4.5. The
 * run goes on; a person decides.
 *
 * F1. A pass is looked at when its run comes to life here, at each change of it, at its LOS, and every `PLAN_LOOK_MS`.
 *     What the log says already is not reported again; what it does not say yet is reported at each look.
 * F2. While the bus is away nothing is reported: what is known of the pass may be of before.
 */

import { PLAN_LOOK_MS } from '../../contract/limits/pass.ts';
import type { StoredPass } from '../../contract/pass.ts';
import type { Program } from '../../contract/program.ts';
import type { RunEvent } from '../../contract/run-event.ts';
import { aboutPass, passNoteBehind } from '../../machines/run/pass-note.ts';
import type { PassSeen } from '../../machines/run/protocol.ts';
import { windowOf } from '../../mission/pass/pass.ts';
import type { TimerHandle } from '../../ports/clock.ts';
import type { RunServices } from './services.ts';

interface PlanWatchOptions extends Pick<RunServices, 'clock' | 'passes'> {
  /** Gives it to the run, if the run can take it now. */
  readonly tell: (run: string, seen: PassSeen) => void;
}

interface Watched {
  readonly program: Program;
  readonly plan: string;
  /** What its log says last of the pass. */
  said: string | null;
  timer: TimerHandle | undefined;
}

export class PlanWatch {
  readonly #options: PlanWatchOptions;
  readonly #watched = new Map<string, Watched>();
  readonly #forget: () => void;

  constructor(options: PlanWatchOptions) {
    this.#options = options;
    this.#forget = options.passes.onChange(({ id }) => this.#changed(id));
  }

  /** A run comes to life here, whose log says that last of its pass. */
  watch(run: string, program: Program, said: string | null): void {
    const { plan } = program;
    if (plan === undefined) return;
    this.leave(run);
    this.#watched.set(run, { program, plan, said, timer: undefined });
    this.#look(run);
  }

  /** An event of the log of a run is stored. */
  stored(run: string, event: RunEvent): void {
    const watched = this.#watched.get(run);
    if (watched === undefined) return;
    watched.said = passNoteBehind(watched.program, watched.said, event);
    if (event.event === 'finished') this.leave(run);
  }

  leave(run: string): void {
    const timer = this.#watched.get(run)?.timer;
    if (timer !== undefined) this.#options.clock.clearTimeout(timer);
    this.#watched.delete(run);
  }

  stop(): void {
    this.#forget();
    for (const run of [...this.#watched.keys()]) this.leave(run);
  }

  #changed(id: string): void {
    for (const [run, { plan }] of this.#watched) if (plan === id) this.#look(run);
  }

  /** F1, F2 */
  #look(run: string): void {
    const { clock, passes, tell } = this.#options;
    const watched = this.#watched.get(run);
    if (watched === undefined) return;
    const now = clock.now();
    const pass = passOf(watched, passes);
    const text = wordsOf(watched, pass, now);
    const isNew = text !== watched.said && (pass !== undefined || watched.said !== null);
    if (passes.live && isNew) tell(run, { type: 'pass.seen', at: now, text, isStored: pass !== undefined });
    const untilLos = pass === undefined ? 0 : windowOf(pass).los - now;
    if (watched.timer !== undefined) clock.clearTimeout(watched.timer);
    const next = untilLos > 0 ? Math.min(untilLos, PLAN_LOOK_MS) : PLAN_LOOK_MS;
    watched.timer = clock.setTimeout(() => this.#look(run), next);
  }
}

function passOf({ program, plan }: Watched, passes: PlanWatchOptions['passes']): StoredPass | undefined {
  for (const target of new Set(Object.values(program.targets))) {
    const pass = passes.find(target, plan);
    if (pass !== undefined) return pass;
  }
  return undefined;
}

/** What there is to say of the pass now. */
function wordsOf({ plan, program }: Watched, pass: StoredPass | undefined, now: number): string {
  if (pass === undefined)
    return `${aboutPass(plan)}${Object.values(program.targets).join(', ')} is not stored any more`;
  const { target, station, aos, los, status, uplink } = pass;
  const name = `${aboutPass(plan)}${target} over ${station}`;
  if (status === 'cancelled') return `${name} is cancelled`;
  if (windowOf(pass).los <= now) return `${name} is over since ${los}`;
  return `${name} is from ${aos} to ${los}${uplink === false ? ', receive-only' : ''}`;
}
