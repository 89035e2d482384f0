/**
 * One entity on the page: found, drawn, followed while it lives, replayed when it has finished.
 *
 * E1. What is shown is of the entity chosen last: answers about another one are thrown away.
 * E3. A chart is never that of another kind or version: what is drawn is cleared before the entity's own is asked for.
 * E2. While it cannot be reached the last known state stays, marked as old; it is asked for again until it is there. A
 *     question without an answer within `ANSWER_MS` is one that was not answered.
 */

import { comesAndGoes, isAtRest } from '../../contract/at-rest.ts';
import type { EntityName, EntityView, HistoryStep } from '../../contract/inspection.ts';
import type { ChartLayout, EntityHistory, InspectedEntity } from '../../contract/inspector.ts';
import type { MissionView } from '../../contract/mission-view.ts';
import { every, later, now, oncePerFrame } from '../browser-clock.ts';
import { arrange, byId, element, setAttribute, setText } from '../element.ts';
import { dateTime } from '../moment.ts';
import { ask } from '../service.ts';
import { ServiceError } from '../service-error.ts';
import { addressOf, pathOf, supervisorNamed } from './address.ts';
import type { Announcer } from './announcer.ts';
import { isAlike, isFollowed, statusWord } from './at-rest.ts';
import { ChartDrawing } from './chart-drawing.ts';
import { Details } from './details.ts';
import type { EntityChange } from './entity-change.ts';
import { EntityUpdates } from './entity-updates.ts';
import { innermost } from './innermost.ts';
import { LogList } from './log-list.ts';
import { Player } from './player.ts';
import { RunPanel } from './run-panel.ts';
import { StateList } from './state-list.ts';

/** Text that changes more often than this cannot be read. */
const READABLE_MS = 200;
const TICK_MS = 250;
const AGAIN_MS = 2_000;
const ANSWER_MS = 8_000;

const STATUS_TONE: Record<EntityView['status'], string> = {
  live: 'badge accent',
  loading: 'badge warn',
  restarting: 'badge warn',
  quarantined: 'badge bad',
  finished: 'badge ok',
};
const STATUS_SIGN: Record<EntityView['status'], string> = {
  live: '●',
  loading: '◔',
  restarting: '▲',
  quarantined: '■',
  finished: '✓',
};

export class EntityPage {
  readonly drawing = new ChartDrawing(byId('chart', HTMLElement));
  readonly player = new Player((step, forward) => this.#showStep(step, forward));
  readonly run: RunPanel;
  readonly #states = new StateList(byId('states', HTMLElement));
  readonly #details = new Details();
  readonly #log = new LogList((n) => this.player.go(n));
  readonly #announcer: Announcer;
  readonly #showText = oncePerFrame(() => this.#showTexts(), READABLE_MS);
  #name: EntityName | undefined;
  #drawn: ChartLayout | undefined;
  /** Whether the note says so. */
  #isChartMissing = false;
  #view: EntityView | undefined;
  #frames: EntityUpdates | undefined;
  #cancelRetry: () => void = () => undefined;
  #cancelChart: () => void = () => undefined;
  /** Clock of the service less that of the browser. */
  #aheadMs = 0;
  #turn = 0;
  #silent: ReadonlySet<string> = new Set();

  /** `mission`: undefined before it is known. */
  constructor(announcer: Announcer, mission: () => MissionView | undefined) {
    this.#announcer = announcer;
    this.run = new RunPanel(announcer, { go: (n) => this.player.go(n), mission });
    every(() => this.#tick(), TICK_MS);
  }

  /** The service said what time it is. */
  serviceTime(at: number): void {
    this.#aheadMs = at - now();
  }

  /** The processes that do not answer (E2). */
  silent(instances: readonly string[]): void {
    this.#silent = new Set(instances);
    this.#showText();
  }

  get view(): EntityView | undefined {
    return this.#view;
  }

  choose(name: EntityName | undefined): void {
    this.#close();
    this.#cancelChart();
    this.#name = name;
    this.#view = undefined;
    this.#log.clear();
    this.player.show([]);
    this.run.choose(name?.kind === 'run' ? name.id : undefined);
    // Nothing of the one before may be taken for this one.
    if (name?.kind !== this.#drawn?.kind) this.#clearChart();
    this.drawing.light([], [], false);
    this.#states.light([]);
    byId('empty', HTMLElement).hidden = name !== undefined;
    byId('entity', HTMLElement).hidden = name === undefined;
    byId('details', HTMLElement).hidden = true;
    document.title = name === undefined ? 'Inspector' : `${name.id} – Inspector`;
    if (name === undefined) return;
    setText(byId('entity-title', HTMLElement), name.id);
    for (const id of ['entity-label', 'entity-status', 'entity-state', 'entity-facts'])
      setText(byId(id, HTMLElement), '');
    this.#note(undefined);
    void this.#load(name);
  }

  /** Asks again what may have changed without a frame: after a release, after the connection came back. */
  refresh(): void {
    if (this.#name !== undefined) void this.#load(this.#name);
  }

  async #load(name: EntityName): Promise<void> {
    this.#close();
    this.#turn += 1;
    const turn = this.#turn;
    const isStale = (): boolean => turn !== this.#turn;
    try {
      const { entity, at } = await ask<InspectedEntity>(pathOf(name), inTime());
      if (isStale()) return;
      this.serviceTime(at);
      this.#note(undefined);
      this.#show(entity, [], false);
      // Words are there at once; a chart nobody has looked at yet takes a moment.
      void this.#drawChart(name, entity.chart);
      if (entity.status === 'finished') await this.#replay(name, isStale);
      else {
        this.#follow(name);
        void this.#recall(name, isStale);
        if (comesAndGoes(name)) this.#lookAgain(name, isStale);
      }
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (isStale()) return;
      this.#note(`${sentence(error)} Trying again.`);
      this.#cancelRetry = later(() => void this.#load(name), AGAIN_MS);
    }
  }

  /** One at rest sends no frames, also where a person changes its record. */
  #lookAgain(name: EntityName, isStale: () => boolean): void {
    const look = async (): Promise<void> => {
      if (isStale()) return;
      const { entity } = await ask<InspectedEntity>(pathOf(name), inTime());
      if (isStale()) return;
      const shown = this.#view;
      const isSame = shown !== undefined && (isFollowed(shown, entity) || isAlike(shown, entity));
      if (isSame) return this.#lookAgain(name, isStale);
      this.#log.clear();
      void this.#load(name);
    };
    later(() => void look().catch(() => this.#lookAgain(name, isStale)), AGAIN_MS);
  }

  /** E3. The chart outlives the end of its entity, so that it depends on the choice alone. */
  async #drawChart(name: EntityName, chart: EntityView['chart']): Promise<void> {
    const { kind, version } = chart;
    this.#cancelChart();
    if (this.#drawn?.kind !== kind || this.#drawn.version !== version) this.#clearChart();
    try {
      const path = `/v1/inspect/charts/${encodeURIComponent(kind)}?version=${version}`;
      const layout = await ask<ChartLayout>(path, inTime());
      if (this.#name !== name) return;
      if (this.#isChartMissing) this.#note(this.#view && this.#noteOf(this.#view));
      if (layout.digest === this.#drawn?.digest) return;
      this.#drawn = layout;
      this.drawing.draw(layout);
      this.#states.draw(layout);
      this.#lightAgain();
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (this.#name !== name) return;
      this.#note(`The chart is not there: ${sentence(error)} Trying again.`);
      this.#isChartMissing = true;
      this.#cancelChart = later(() => void this.#drawChart(name, chart), AGAIN_MS);
    }
  }

  /** E3 */
  #clearChart(): void {
    this.#drawn = undefined;
    this.drawing.clear();
    this.#states.clear();
  }

  /** What was lit before the chart was there. */
  #lightAgain(): void {
    if (this.player.hasSteps) return this.player.again();
    if (this.#view === undefined) return;
    this.drawing.light(this.#view.active, [], false);
    this.#states.light(this.#view.active);
  }

  #follow(name: EntityName): void {
    let lost = false;
    this.#frames = new EntityUpdates(pathOf(name), {
      changed: (change) => this.#changed(name, change),
      connection: (state) => {
        // A refused upgrade looks like a lost connection to a browser: whether the entity is there is asked.
        if (state === 'lost' && !lost) {
          lost = true;
          this.#cancelRetry = later(() => void this.#load(name), AGAIN_MS);
        }
      },
    });
  }

  #changed(name: EntityName, { view, taken, events, done }: EntityChange): void {
    for (const { at, type } of events) this.#log.heard(at, type);
    this.#show(view, taken, true);
    if (!done) return;
    this.#close();
    const turn = this.#turn;
    void this.#replay(name, () => turn !== this.#turn);
  }

  /** What is recorded of one that lives stands in its log from the beginning. */
  async #recall(name: EntityName, isStale: () => boolean): Promise<void> {
    // The log of a run has a place of its own; a supervisor has none.
    if (name.kind === 'run' || name.kind === 'supervisor') return;
    try {
      const { steps } = await ask<EntityHistory>(`${pathOf(name)}/history`, inTime());
      if (isStale()) return;
      this.#log.recorded(steps);
      this.#showText();
    } catch (error) {
      // Kinds without a log have no beginning to report; what happens from now on is reported all the same.
      if (!(error instanceof ServiceError)) throw error;
    }
  }

  /** The last step may reach the log a moment after the frame that reported it. */
  async #replay(name: EntityName, isStale: () => boolean): Promise<void> {
    try {
      const { steps, final } = await ask<EntityHistory>(`${pathOf(name)}/history`, inTime());
      if (isStale()) return;
      // The player speaks of the end: badge and facts have to speak of it too.
      this.#showTexts();
      this.#log.showSteps(steps);
      this.player.show(steps);
      if (!final) this.#cancelRetry = later(() => void this.#replay(name, isStale), AGAIN_MS);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (isStale()) return;
      if (error.status === 404) return this.#note('It has finished, and no log of it is left to replay.');
      this.#cancelRetry = later(() => void this.#replay(name, isStale), AGAIN_MS);
    }
  }

  #show(view: EntityView, taken: readonly string[], fresh: boolean): void {
    const before = this.#view;
    this.#view = view;
    this.drawing.light(view.active, taken, fresh);
    if (before?.state !== view.state) this.#announcer.say(`${view.state || view.status}`);
    this.#showText();
  }

  /** One step of the history instead of the present. */
  #showStep(step: HistoryStep, forward: boolean): void {
    this.drawing.light(step.active, step.taken, forward);
    this.#states.light(step.active);
    this.#log.mark(step.n);
    this.run.showAt(step.n);
    setText(byId('entity-state', HTMLElement), stateName(step.active, step.event));
    this.#details.showStep(step.context);
  }

  #showTexts(): void {
    const view = this.#view;
    if (view === undefined) return;
    const { kind, status, active, state, instance, revision, at, chart, label = '', target } = view;
    // The panel of a run names its procedure, also at a moment of its past.
    if (kind !== 'run') setText(byId('entity-label', HTMLElement), label);
    const badge = byId('entity-status', HTMLElement);
    setText(badge, `${STATUS_SIGN[status]} ${statusWord(view)}`);
    setAttribute(badge, 'class', isAtRest(view) ? STATUS_TONE.live : STATUS_TONE[status]);
    const source = isAtRest(view) || view.stored !== undefined ? 'from its record' : 'from its log';
    const where = instance === '' ? source : `on ${instance}`;
    const whose = target === undefined ? '' : ` · ${target}`;
    setText(
      byId('entity-facts', HTMLElement),
      `${chart.kind} v${chart.version}${whose} · ${where} · revision ${revision} · last event ${dateTime(at)}`,
    );
    showSupervisor(view);
    const note = this.#noteOf(view);
    if (note !== undefined) this.#note(note);
    byId('details', HTMLElement).hidden = false;
    if (this.player.hasSteps) return;
    if (note === undefined) this.#note(undefined);
    setText(byId('entity-state', HTMLElement), stateName(active, state));
    this.#states.light(active);
    this.#details.show(view);
    this.#tick();
    this.#log.showRecent();
  }

  /** What is counted by the clock of the service. */
  #tick(): void {
    this.#details.tick(now() + this.#aheadMs);
    this.run.tick(now() + this.#aheadMs);
  }

  /** What has to be known beside the state; that its process is silent before all else: what is shown may be old. */
  #noteOf(view: EntityView): string | undefined {
    const { status, instance, reason, stored } = view;
    if (status !== 'finished' && this.#silent.has(instance))
      return `${instance} does not answer: the last state received is shown.`;
    if (
      status === 'loading' &&
      instance === '' &&
      stored !== undefined &&
      !(isAtRest(view) && this.#silent.size === 0)
    )
      return `No process that answers has it: it is shown as it was stored at ${dateTime(stored.at)}.`;
    if (status === 'quarantined' || status === 'restarting')
      return `${status}: ${reason ?? 'no reason known'}`;
    return undefined;
  }

  #note(text: string | undefined): void {
    const note = byId('entity-note', HTMLElement);
    note.hidden = text === undefined;
    setText(note, text ?? '');
    this.#isChartMissing = false;
  }

  #close(): void {
    this.#turn += 1;
    this.#cancelRetry();
    this.#frames?.close();
    this.#frames = undefined;
  }
}

/** E2 */
function inTime(): AbortSignal {
  return AbortSignal.timeout(ANSWER_MS);
}

/** A link to the one that restarts it, where it lives. */
function showSupervisor({ instance, supervisor }: EntityView): void {
  const place = byId('entity-supervisor', HTMLElement);
  const isKnown = instance !== '' && supervisor !== '';
  const href = isKnown ? addressOf(supervisorNamed(instance, supervisor)) : '';
  if ((place.firstElementChild?.getAttribute('href') ?? '') === href) return;
  arrange(place, isKnown ? [element('a', { href }, `supervised by ${supervisor}`)] : []);
}

function sentence({ message }: ServiceError): string {
  return message.endsWith('.') ? message : `${message}.`;
}

/** `SENT › verifying`, without the chart itself; regions side by side: `running › sending · noFault`. */
function stateName(active: readonly string[], otherwise: string): string {
  const leaves = innermost(active).map((id) => id.split('.'));
  const from = leaves.length > 1 ? 2 : 1;
  return [...new Set(leaves.map((path) => path.slice(from).join(' › ')))].join(' · ') || otherwise;
}
