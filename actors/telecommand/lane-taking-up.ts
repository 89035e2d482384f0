/**
 * Takes the submissions of a lane up: begins a cell for each that is new, and goes on with those that an owner before
 * had. Part of a lane.
 */

import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import { FINISHED_BEFORE } from '../../contract/limits/telecommand.ts';
import { Outage } from '../../contract/outage.ts';
import type { TelecommandInput } from '../../machines/telecommand/telecommand.ts';
import { keptSince } from '../../messaging/kept-since.ts';
import type { WentBack } from '../../messaging/low-water-mark.ts';
import type { StreamMessage } from '../../ports/bus.ts';
import type { FinishedOfLane } from './finished-before.ts';
import type { OpenLane } from './open-lane.ts';
import { refusalOf } from './refusal.ts';
import { restored } from './restored.ts';
import { type Standing, UNBEGUN } from './standing.ts';
import { cutBy, historyBefore, LOST_BEFORE, lostUnnoticed, orphans } from './taking-over.ts';
import { cellId, chartInput, define, type parseSubmission, type Work } from './work.ts';

export class LaneTakingUp {
  readonly #lane: OpenLane;
  /** Whether what comes was submitted before this owner came. */
  #isTakingOver = true;
  /** Where much was. */
  #finished: FinishedOfLane | undefined;

  constructor(lane: OpenLane) {
    this.#lane = lane;
  }

  /** What comes now was submitted since, or nothing comes any more. */
  leavePast(): void {
    this.#isTakingOver = false;
    this.#finished?.leave();
    this.#finished = undefined;
  }

  /** lane.J9 */
  async takeUp(
    message: StreamMessage,
    submission: NonNullable<ReturnType<typeof parseSubmission>>,
  ): Promise<void> {
    const { target, log } = this.#lane.options;
    const cell = cellId(target, submission.id);
    if (this.#lane.open.has(cell)) return;
    const history = await this.#historyOf(message, submission.id);
    if (history === 'over') this.#lane.leftovers?.addOver(message.seq);
    if (history === 'over' || this.#lane.isStopped) return;
    const work = await this.#workOf(message, submission).catch((error: unknown) => {
      if (error instanceof Outage) throw error;
      log.error({ err: error, cell }, 'telecommand cannot be taken up');
      return undefined;
    });
    const about = { at: message.at, id: submission.id };
    const cut = cutBy(about, history, this.#lane.mark) ?? (await this.#cutUnnoticed(submission.id, history));
    if (cut === undefined && work !== undefined && (await this.#takeWork(cell, work, history))) return;
    if (this.#lane.isStopped) return;
    const detail = cut ?? this.#lane.hasLeft ?? 'what it was resolved with cannot be read';
    log.error({ cell, seq: message.seq, detail }, 'telecommand is ended');
    const bare = { ...submissionOnly(message, submission), definition: undefined };
    if (await this.#lane.record(this.#inputOf(work ?? bare), { detail, isCut: cut !== undefined }))
      this.#lane.leftovers?.add(cell, message.seq);
  }

  /** taking-over.R7 */
  async #cutUnnoticed(id: string, history: Standing): Promise<string | undefined> {
    const { bus, log, target } = this.#lane.options;
    const until = this.#isTakingOver ? await lostUnnoticed(bus, id, history) : undefined;
    if (until === undefined) return undefined;
    log.error({ target, id, until: new Date(until).toISOString() }, 'events that were acknowledged are lost');
    bus.lost?.(until);
    return LOST_BEFORE;
  }

  #inputOf(work: Work, refusal?: string): TelecommandInput {
    return chartInput(work, this.#lane.options.clock.now(), refusal);
  }

  #historyOf(message: StreamMessage, id: string): Promise<Standing | 'over'> | Standing {
    return this.#isTakingOver ? this.#historyBefore(message, id) : UNBEGUN;
  }

  async #historyBefore(message: StreamMessage, id: string): Promise<Standing | 'over'> {
    const { bus, clock, target, finished } = this.#lane.options;
    // taking-over.R8
    if (message.at < keptSince(bus, streams.telecommandEvents, clock.now())) return 'over';
    if (message.pending >= FINISHED_BEFORE.from) this.#finished ??= finished?.join(target);
    if (await this.#finished?.isOver(id, message)) return 'over';
    return historyBefore(bus, target, id, this.#lane.leftovers);
  }

  /** taking-over.R3 */
  async endOrphans(wentBack: WentBack): Promise<void> {
    const { bus, log, target } = this.#lane.options;
    const isKnown = (id: string): boolean => this.#lane.open.has(cellId(target, id));
    const lost = await this.#lane.whileBusIsAway(() => orphans(bus, target, wentBack, isKnown));
    for (const input of lost ?? []) {
      if (this.#lane.isStopped || isKnown(input.id)) continue;
      const detail = 'the bus went back in time, and its submission is lost';
      log.error({ target, id: input.id, detail }, 'telecommand is ended');
      await this.#lane.record(input, { detail, isCut: true });
    }
  }

  async #workOf(
    message: StreamMessage,
    submission: NonNullable<ReturnType<typeof parseSubmission>>,
  ): Promise<Work> {
    const { missions, platforms } = this.#lane.options;
    const revision = message.headers[header.config];
    const mission = revision === undefined ? missions.current : await missions.at(revision);
    if (mission !== undefined) platforms.learn(mission);
    return { ...submissionOnly(message, submission), definition: define(mission, submission) };
  }

  /** False where it is not begun: the lane is stopped, or its target has left the mission (lane.J12). */
  async #takeWork(cell: string, work: Work, history: Standing): Promise<boolean> {
    await this.#lane.roomForOne();
    const refusal = history.fold.revision > 0 ? undefined : await refusalOf(work, this.#lane.options);
    await this.#lane.turn.room();
    if (this.#isOver) return false;
    this.#begin(cell, work, history, refusal);
    return true;
  }

  get #isOver(): boolean {
    return this.#lane.isStopped || this.#lane.hasLeft !== undefined;
  }

  #begin(cell: string, work: Work, history: Standing, refusal: string | undefined): void {
    const { cells, clock, epoch } = this.#lane.options;
    const input = this.#inputOf(work, refusal);
    const place = this.#lane.turn.take();
    const hasEvents = history.fold.revision > 0;
    const lastEvent = hasEvents ? { seq: history.position, at: clock.now() } : undefined;
    this.#lane.open.set(cell, { work, input, lastEvent, place, isUnsure: false, services: undefined });
    try {
      if (hasEvents) cells.restore(cell, restored(input, history, clock.now()), epoch);
      else cells.start(cell, input, epoch);
    } catch (error) {
      // The message comes again, and finds what it found now.
      this.#lane.open.delete(cell);
      place.leave();
      throw error;
    }
  }
}

function submissionOnly(
  { seq, at, headers }: StreamMessage,
  submission: NonNullable<ReturnType<typeof parseSubmission>>,
): Omit<Work, 'definition'> {
  return { submission, seq, submittedAt: at, by: headers[header.user] };
}
