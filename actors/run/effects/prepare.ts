/**
 * Makes the targets of a run its own: each ready, then its lease taken; and gives them back. Mission Control Service,
 * section 3.2 (first row, resume) and section 4.4 reaction rule 4.
 *
 * A run that holds its targets already is asked for their readiness again: it may be one that is taken over. A reaction
 * takes them from whoever holds them (`actors/run/preemption.ts`) and waits for another reaction only.
 */

import { alarmOfReaction } from '../../../contract/alarm-name.ts';
import { REACTION_LOOK_MS, REACTION_WAIT_MS } from '../../../contract/limits/alarm.ts';
import { FENCE_REACTION_MS } from '../../../contract/limits/telecommand.ts';
import { Outage } from '../../../contract/outage.ts';
import { removeAnnouncedMode } from '../../../messaging/mode-declaration.ts';
import { pause } from '../../../messaging/pause.ts';
import { retryWhileBusIsAway } from '../../../messaging/while-bus-is-away.ts';
import { type Held, type HeldTarget, heldReason, Leases, type Reaction, targetsOf } from '../leases.ts';
import { planObstacle } from '../plan-gate.ts';
import { interruptAll, preemptAll } from '../preemption.ts';
import { Programs } from '../programs.ts';
import { unreadiness } from '../readiness.ts';
import { readRunLog } from '../run-log.ts';
import { Sendings, type SentEvent } from '../sendings.ts';
import type { Handler, RunAtHand, RunServices } from '../services.ts';
import { standDown, type Unconfirmed, unconfirmedText } from '../stand-down.ts';
import { uploadsLeft } from '../uploads.ts';

/** Why the targets are not its own. */
interface Obstacle {
  readonly reason: string;
  readonly takenBy?: string;
}

type Prepare = Parameters<Handler<'effect.prepare'>>[0];

export function createPrepare(
  services: RunServices,
  isAborted: (run: string) => boolean,
): Handler<'effect.prepare'> {
  const { clock } = services;
  const taking = new Taking(services, isAborted);
  const obstacle = async (
    effect: Prepare,
    at: RunAtHand,
    signal: AbortSignal,
  ): Promise<Obstacle | undefined> => {
    const late = effect.since === undefined ? undefined : await planObstacle(services, at);
    if (late !== undefined) return { reason: late };
    const unready = await unreadiness({ ...services, signal }, at.mission, at.program);
    if (unready.length > 0) return { reason: unready.join('; ') };
    const alarm = alarmOfReaction(at.by);
    const isReaction = alarm !== undefined && at.by !== undefined;
    const held = isReaction
      ? await taking.seized({ run: at.run, by: at.by, alarm }, effect, at, signal)
      : await taking.ordinary(effect, at, signal);
    if (held === undefined)
      for (const target of targetsOf(at.program)) await removeAnnouncedMode(services.bus, target);
    return held;
  };
  return async (effect, at, signal) => {
    const met = await retryWhileBusIsAway({ clock, signal }, () => obstacle(effect, at, signal));
    if (met === undefined) return undefined;
    const { ticket } = effect;
    if (met.value === undefined) return { type: 'prepared', at: clock.now(), ticket };
    return { type: 'not-prepared', at: clock.now(), ticket, ...met.value };
  };
}

class Taking {
  readonly #services: RunServices;
  readonly #isAborted: (run: string) => boolean;
  readonly #leases: Leases;
  readonly #programs: Programs;

  constructor(services: RunServices, isAborted: (run: string) => boolean) {
    this.#services = services;
    this.#programs = new Programs(services.bus);
    this.#isAborted = isAborted;
    this.#leases = new Leases(services.bus);
  }

  async ordinary(
    { again }: Prepare,
    { run, program, holds }: RunAtHand,
    signal: AbortSignal,
  ): Promise<Obstacle | undefined> {
    const held = await this.#leases.take(run, program.leases, {
      isOwner: () => !signal.aborted && holds(),
      again: again === true,
    });
    if (held.length === 0) return undefined;
    const takenBy = held.find((each) => each.takenBy !== undefined)?.takenBy;
    return { reason: heldReason(held), ...(takenBy !== undefined && { takenBy }) };
  }

  /** Of another reaction it waits for the end, at its start and for a while. */
  async seized(
    reaction: Reaction,
    { since }: Prepare,
    at: RunAtHand,
    signal: AbortSignal,
  ): Promise<Obstacle | undefined> {
    const { clock } = this.#services;
    const { leases: wanted } = at.program;
    const isOwner = (): boolean => !signal.aborted && at.holds();
    const how = { by: reaction.by, services: this.#services, isOwner, signal };
    const until = since === undefined ? 0 : since + REACTION_WAIT_MS;
    for (;;) {
      const inTheWay = await this.#leases.inTheWay(at.run, wanted);
      const told = await interruptAll(
        inTheWay.map(({ run }) => run),
        how,
      );
      await Promise.all(inTheWay.map((each) => this.#standDown(each, isOwner)));
      const gaveBack = inTheWay.filter(({ run }) => told.has(run));
      const held = await this.#leases.seize(reaction, wanted, isOwner, gaveBack);
      if (held === undefined) {
        await preemptAll(await this.#leases.takenBy(at.run, wanted), how, told);
        return undefined;
      }
      if (clock.now() >= until || this.#isAborted(at.run)) return { reason: waitedReason(held, since) };
      await pause(clock, Math.min(REACTION_LOOK_MS, until - clock.now()), signal);
      if (signal.aborted) return undefined;
    }
  }

  /**
   * Nothing of the run that the target is taken from leaves any more, whoever holds that run and whether he answers or
   * not.
   */
  async #standDown({ run, target }: HeldTarget, isOwner: () => boolean): Promise<void> {
    const { bus, clock, log, missions } = this.#services;
    const events = await readRunLog(bus, run).then(
      (read) => read.map(({ event }) => event),
      (error: unknown) => {
        if (error instanceof Outage) throw error;
        log.warn({ run, err: error }, 'what the run has under way cannot be read');
        return [];
      },
    );
    const open = new Sendings(events).open.filter((sent) => sent.target === target);
    const [first] = events;
    if (open.length === 0 || first?.event !== 'started') return;
    const found = await this.#programs.of(first.ir);
    const program = typeof found === 'string' ? undefined : found;
    const mission = program && (await missions.at(program.config));
    const unconfirmed = await standDown({
      bus,
      clock,
      open,
      run: { run, by: first.by, program, mission },
      mark: (targets) => this.#leases.leave(run, targets, isOwner),
      withinMs: FENCE_REACTION_MS,
    });
    if (unconfirmed.length > 0)
      log.warn({ run, unconfirmed }, 'a target is taken while telecommands may still leave');
  }
}

function waitedReason(held: Held, since: number | undefined): string {
  const reason = heldReason([held]);
  return since === undefined ? reason : `${reason}: waited for it at most ${REACTION_WAIT_MS / 1000} s`;
}

/**
 * `openOf`: telecommands of a run that may be under way. Nothing of them leaves once the targets are given back.
 */
export function createRelease(
  { bus, clock }: RunServices,
  openOf: (run: string) => readonly SentEvent[],
): Handler<'effect.release'> {
  const leases = new Leases(bus);
  return async ({ ticket, soon, uploads: looksBack }, at, signal) => {
    const { run, program } = at;
    const isOwner = (): boolean => !signal.aborted && at.holds();
    let unconfirmed: readonly Unconfirmed[] = [];
    let uploads: readonly string[] = [];
    const released = await retryWhileBusIsAway({ clock, signal }, async () => {
      unconfirmed = await standDown({
        bus,
        clock,
        run: at,
        open: openOf(run),
        mark: (targets) => leases.leave(run, targets, isOwner),
        ...(soon === true && { withinMs: FENCE_REACTION_MS }),
      });
      await leases.release(run, targetsOf(program), isOwner);
      if (looksBack === true) uploads = await uploadsLeft(bus, at, 'suspension');
    });
    if (released === undefined) return undefined;
    const mayLeave = unconfirmed.map(unconfirmedText);
    return {
      type: 'released',
      at: clock.now(),
      ticket,
      ...(mayLeave.length > 0 && { mayLeave }),
      ...(uploads.length > 0 && { uploads }),
    };
  };
}
