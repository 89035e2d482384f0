/**
 * The lane of a target: takes its submissions in their order, one leaving after the other, while the verification of
 * those that left goes on. Mission Control Service, section 4.1 rule 4 and section 3.1.
 *
 * J1. Telecommands of one target are sent in the order of their submission: from its requirements on, each waits for
 *     its turn. Only that it was taken up is recorded before; what requires nothing may be encoded (effects/encode.E4).
 * J2. The lane reads TC_COMMANDS by position, from its low-water mark on: submissions below it are over
 *     (`messaging/low-water-mark.ts`). Once it has caught up its low-water mark is at the head, also where nothing was
 *     submitted: no start reads what is finished.
 * J3. A submission whose history has begun is not begun again: it is continued where its history stands, or it is over
 *     (O2, O4).
 * J5. A telecommand whose cell was overtaken keeps its place until the lane is started again: the low-water mark never
 *     passes it and nothing behind it leaves before it.
 * J6. A quarantined telecommand loses its turn and keeps its place: the low-water mark never passes it. Resumed, it
 *     goes on from its history when it is its turn again, behind the one that is leaving; reset, it is given a final
 *     state.
 * J7. A telecommand whose answer does not name it keeps its turn until the answer has come or its time is over: only
 *     one awaits an answer at a time (`answer.ts`).
 * J8. Where an answer does not name its telecommand, one whose frame may have left without anybody knowing keeps its
 *     turn past its end, for as long as that frame may still be answered (telecommand/answer.N4).
 * J9. What cannot be read or begun is the end of that telecommand and of nothing else: it is given a final state and
 *     passed.
 * J12. What is open of a target that has left the mission is given a final state, and so is what is still submitted to
 *     it.
 * J11. What is kept beside the log of a telecommand is removed when it is over (`leftovers.ts`).
 * J10. A lane whose streams went back starts again: from what is there, with an end for what may have been cut
 *     (`taking-over.ts`). Nothing that may have left is sent again.
 * J13. An event that is refused shows that another owner writes, or that events which were acknowledged are lost:
 *     copies of a stream that differ lose some in its middle, and the connection stays. Which one it is, the stream
 *     says, however long it takes to ask. A loss counts for the whole cell (`Bus.lost`) and is no failure of the lane,
 *     which starts again (J10).
 */

import { type StreamDefinition, streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { TcState } from '../../contract/telecommand-state.ts';
import type { TelecommandInput } from '../../machines/telecommand/telecommand.ts';
import { pastIsGone } from '../../messaging/low-water-mark.ts';
import type { Follower, StreamMessage } from '../../ports/bus.ts';
import type { CellOwner, Gone } from '../../ports/cells.ts';
import { LanePlaces } from './lane-places.ts';
import { ServicesOfLane } from './lane-services.ts';
import { LaneTakingUp } from './lane-taking-up.ts';
import { type LaneOptions, type Open, OpenLane } from './open-lane.ts';
import type { LaneServices } from './services.ts';
import { fromCellId, parseSubmission } from './work.ts';

export class Lane implements CellOwner {
  readonly #lane: OpenLane;
  readonly #places: LanePlaces;
  readonly #services: ServicesOfLane;
  readonly #takingUp: LaneTakingUp;
  #follower: Follower | undefined;
  #unwatch: (() => void) | undefined;

  constructor(options: LaneOptions) {
    this.#lane = new OpenLane(options);
    this.#places = new LanePlaces(options.clock);
    this.#services = new ServicesOfLane(this.#lane, this.#places);
    this.#takingUp = new LaneTakingUp(this.#lane);
  }

  /** Takes over the lane: reads what is open, then follows the submissions. */
  async start(): Promise<void> {
    const { bus, target } = this.#lane.options;
    const stands = await this.#lane.mark.take();
    const { wentBack } = this.#lane.mark;
    this.#lane.beginAt(wentBack === undefined || wentBack.streams.size === 0 ? stands.submission : 1);
    this.#follower = await bus.follow(
      streams.telecommands,
      subject.tcSubmit(target),
      { from: 'seq', seq: this.#lane.next },
      (message) => this.#take(message),
      { wentBack: () => this.#pastIsGone(streams.telecommands), together: true },
    );
    // Stopped, it never catches up.
    this.#follower.caughtUp.then(
      (head) => this.#caughtUp(head),
      () => undefined,
    );
    if (wentBack === undefined) this.#lane.mark.keep();
    this.#unwatch = this.#lane.options.missions.onChange(() => this.#missionChanged());
  }

  /** J12 */
  #missionChanged(): void {
    const detail = this.#lane.hasLeft;
    if (detail === undefined) return;
    const { cells } = this.#lane.options;
    for (const [cell, open] of this.#lane.open) {
      cells.drop(cell);
      void this.#giveUp(cell, open, detail);
    }
  }

  async #caughtUp(head: number): Promise<void> {
    this.#takingUp.leavePast();
    this.#lane.takenUpTo(head);
    // Of what is lost with its log nothing else shows that something is kept.
    const always = this.#lane.mark.wentBack !== undefined;
    void this.#lane.leftovers?.sweep((cell) => this.#lane.open.has(cell), { always });
    if (this.#lane.mark.wentBack === undefined || this.#lane.isStopped) return;
    try {
      await this.#takingUp.endOrphans(this.#lane.mark.wentBack);
      // Stopped meanwhile, it has not dealt with them (low-water-mark.F9).
      if (!this.#lane.isStopped) this.#lane.mark.keep();
    } catch (error) {
      this.#lane.options.failed(error);
    }
  }

  /** J10 */
  #pastIsGone(stream: StreamDefinition): void {
    this.#lane.options.failed(pastIsGone(stream));
  }

  /** Leaves the lane where it stands: the next owner goes on from the log. */
  async stop(): Promise<void> {
    this.#lane.stopping.abort('stopped');
    this.#takingUp.leavePast();
    this.#unwatch?.();
    const { cells } = this.#lane.options;
    for (const [cell, open] of this.#lane.open) {
      cells.drop(cell);
      open.place.leave();
    }
    this.#places.stop();
    this.#lane.makeRoom();
    this.#lane.leftovers?.stop();
    await Promise.all([this.#follower?.stop(), this.#services.stop()]);
    await this.#lane.mark.stop();
  }

  /** An event of one of its telecommands is stored. What is known to be sent has left: the next one may. */
  appended(cell: string, state: TcState | 'ECHO', seq: number): void {
    this.#lane.storedEvent(fromCellId(cell).id, seq);
    const open = this.#lane.open.get(cell);
    if (open === undefined) return;
    open.lastEvent = { seq, at: this.#lane.options.clock.now() };
    if (state === 'SENT') this.#places.left(open);
  }

  /** Whether a telecommand of it is still this process's, now. */
  isOwned(cell: string): boolean {
    return this.#lane.open.has(cell) && !this.#lane.isStopped && this.#lane.options.isOwner();
  }

  inputOf(cell: string): TelecommandInput | undefined {
    return this.#lane.open.get(cell)?.input;
  }

  servicesOf(cell: string): LaneServices | undefined {
    const open = this.#lane.open.get(cell);
    if (open === undefined) return undefined;
    // Each step of a telecommand asks for them, and a closure costs about a microsecond.
    open.services ??= this.#services.servicesFor(open);
    return open.services;
  }

  /** The cell of a telecommand of this lane is gone. */
  async gone(cell: string, why: Gone, detail = ''): Promise<void> {
    const open = this.#lane.open.get(cell);
    if (open === undefined || this.#lane.isStopped) return;
    if (why === 'reset' || why === 'too-large') return this.#giveUp(cell, open, detail);
    if (why === 'fenced' && !(await this.#lane.wasOver(cell, open))) return this.#refused();
    if (why === 'finished') this.#services.echoes.finished(cell, open.input);
    if (why === 'quarantined') this.#places.leave(open);
    else this.#close(cell, open);
  }

  /** J13: what refuses an event is that those before it are lost, or another owner. */
  async #refused(): Promise<void> {
    const { bus, log, target, failed } = this.#lane.options;
    const looked = await this.#lane.whileBusIsAway(async () => ({ lost: await this.#lane.eventsLost() }));
    if (looked === undefined) return;
    const { lost } = looked;
    if (lost === undefined) return failed(new Error(`another owner writes the telecommands of ${target}`));
    log.error({ target, until: new Date(lost).toISOString() }, 'events that were acknowledged are lost');
    bus.lost?.(lost);
    this.#pastIsGone(streams.telecommandEvents);
  }

  /** An operator resumes a quarantined telecommand; resolves when it may go on (J6). */
  async resumed(cell: string): Promise<void> {
    const open = this.#lane.open.get(cell);
    if (open === undefined) return;
    open.place = this.#lane.turn.take();
    await open.place.turn;
  }

  #close(cell: string, open: Open): void {
    this.#lane.close(cell, open);
    this.#places.leave(open);
    this.#lane.makeRoom();
  }

  /** Until its final state is stored it stays open: a new owner would find it unfinished and continue it. */
  async #giveUp(cell: string, open: Open, detail: string): Promise<void> {
    try {
      if (!(await this.#lane.record(open.input, { detail }))) return;
      this.#services.echoes.finished(cell, open.input);
      this.#close(cell, open);
    } catch (error) {
      this.#lane.options.failed(error);
    }
  }

  async #take(message: StreamMessage): Promise<void> {
    if (this.#lane.isStopped) return;
    const submission = parseSubmission(message.data);
    const { target, log } = this.#lane.options;
    if (submission === undefined || submission.target !== target)
      log.error({ target, seq: message.seq }, 'message is no submission to this target: skipped');
    else await this.#takingUp.takeUp(message, submission);
    if (this.#lane.isStopped) return;
    this.#lane.handled(message);
  }
}
