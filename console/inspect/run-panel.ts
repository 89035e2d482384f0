/**
 * What the page shows of a run beside its chart: the steps of its program, its log, and what it waits for. The log is
 * followed from its beginning by the route everybody follows it by; the steps are asked for once the run has begun.
 *
 * P1. Whatever the rate of the log, it is drawn five times a second; every event is taken.
 * P2. At a moment of its history everything shown is of that moment; without one, of the present.
 */

import { parseExact } from '../../contract/exact-json.ts';
import type { MissionView } from '../../contract/mission-view.ts';
import type { RunStep, RunSteps } from '../../contract/run.ts';
import type { RunEvent } from '../../contract/run-event.ts';
import { later, oncePerFrame } from '../browser-clock.ts';
import { byId, setAttribute, setText } from '../element.ts';
import { unitsIn } from '../input-units.ts';
import { LiveSocket } from '../live-socket.ts';
import { ask } from '../service.ts';
import { ServiceError } from '../service-error.ts';
import type { Announcer } from './announcer.ts';
import { RunLog } from './run-log.ts';
import { RunNotice } from './run-notice.ts';
import type { RunPicture } from './run-picture.ts';
import { RunRecord } from './run-record.ts';
import { progressOf, type StepRow, stepRows } from './run-steps.ts';
import { RunTree } from './run-tree.ts';

const READABLE_MS = 200;
const AGAIN_MS = 2_000;

interface RunActions {
  /** To the moment of that event, where there is a history. */
  go(seq: number): void;
  mission(): MissionView | undefined;
}

export class RunPanel {
  readonly #announcer: Announcer;
  readonly #mission: RunActions['mission'];
  readonly #tree = new RunTree((path) => this.#log.filter(path));
  readonly #log: RunLog;
  readonly #notice = new RunNotice();
  readonly #draw = oncePerFrame(() => this.#show(), READABLE_MS);
  #run: string | undefined;
  #record = new RunRecord();
  #steps: readonly RunStep[] = [];
  #socket: LiveSocket | undefined;
  #cancelRetry: () => void = () => undefined;
  /** P2 */
  #at: number | undefined;
  #now = 0;
  #said: string | undefined;
  /** What the units of its inputs are known from. */
  #measured = '';
  #revision: string | undefined;

  constructor(announcer: Announcer, { go, mission }: RunActions) {
    this.#mission = mission;
    this.#announcer = announcer;
    this.#log = new RunLog(go, () => this.#tree.select(undefined));
  }

  /** Shows this run from its beginning on; nothing for undefined. */
  choose(run: string | undefined): void {
    this.#socket?.close();
    this.#cancelRetry();
    this.#run = run;
    this.#record = new RunRecord();
    this.#steps = [];
    this.#at = undefined;
    this.#said = undefined;
    this.#tree.clear();
    this.#log.clear();
    this.#notice.clear();
    for (const id of ['run-steps', 'run-log']) byId(id, HTMLElement).hidden = run === undefined;
    byId('log-section', HTMLElement).hidden = run !== undefined;
    byId('entity', HTMLElement).classList.toggle('run', run !== undefined);
    if (run === undefined) return;
    this.#show();
    this.#socket = new LiveSocket({
      path: `/v1/runs/${encodeURIComponent(run)}/events`,
      message: (text) => this.#take(parseExact(text) as RunEvent),
      changed: () => undefined,
    });
  }

  /** Everything as it was behind that event; undefined: as it is. */
  showAt(seq: number | undefined): void {
    this.#at = seq;
    this.#show();
  }

  /** The clock of the service. */
  tick(now: number): void {
    if (this.#run === undefined) return;
    this.#now = now;
    const picture = this.#picture;
    this.#notice.tick(this.#momentOf(picture));
    this.#tree.tick(this.#momentOf(picture));
    if (this.#mission()?.revision !== this.#revision) this.#draw();
  }

  focusSteps(): void {
    this.#tree.focus();
  }

  focusLog(): void {
    this.#log.focus();
  }

  #take(event: RunEvent): void {
    if (!this.#record.take(event)) return;
    if (event.event === 'started') void this.#askSteps(event.run);
    this.#draw();
  }

  async #askSteps(run: string): Promise<void> {
    try {
      const { steps } = await ask<RunSteps>(`/v1/runs/${run}/steps`);
      if (run !== this.#run) return;
      this.#steps = steps;
      this.#draw();
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (run === this.#run) this.#cancelRetry = later(() => void this.#askSteps(run), AGAIN_MS);
    }
  }

  get #picture(): RunPicture {
    return this.#at === undefined ? this.#record.live : this.#record.at(this.#at);
  }

  /** A running step is measured to the present, or to the moment that is shown. */
  #momentOf({ at, seq }: RunPicture): number {
    return this.#at === undefined || seq === this.#record.live.seq ? Math.max(at, this.#now) : at;
  }

  #show(): void {
    if (this.#run === undefined) return;
    const picture = this.#picture;
    const rows = stepRows(this.#steps, picture);
    this.#notice.show(picture, picture === this.#record.live);
    this.#notice.tick(this.#momentOf(picture));
    this.#tree.show(rows, this.#momentOf(picture));
    this.#measure(picture);
    this.#log.show(this.#record.events, this.#at);
    this.#showProgress(rows);
    setText(byId('entity-label', HTMLElement), picture.started?.procedure ?? '');
    this.#say();
  }

  /** Inputs have units once the mission and the program of the run are there. */
  #measure({ started }: RunPicture): void {
    const mission = this.#mission();
    this.#revision = mission?.revision;
    const known = `${this.#run} ${this.#revision} ${this.#steps.length} ${started === undefined}`;
    if (known === this.#measured) return;
    this.#measured = known;
    this.#log.measureIn(unitsIn(mission, started, this.#steps));
  }

  #showProgress(rows: readonly StepRow[]): void {
    const { done, of } = progressOf(rows, this.#steps);
    setText(byId('steps-progress', HTMLElement), of === 0 ? '' : `${done} of ${of} done`);
    const bar = byId('steps-bar', HTMLElement);
    bar.hidden = of === 0;
    setAttribute(bar, 'value', `${done}`);
    setAttribute(bar, 'max', `${Math.max(1, of)}`);
  }

  /** A question or an end is said once, when it comes. */
  #say(): void {
    const words = this.#at === undefined ? this.#notice.words : this.#said;
    if (words !== undefined && words !== this.#said) this.#announcer.say(words);
    this.#said = words;
  }
}
