/**
 * What every page of the console shares: the address, the time of the service, who acts, and what is live of the
 * service and of the selected target.
 *
 * W1. `soon` draws at the next frame of the screen, for what a person did; `calmly` at most five times a second,
 *     for what came. Only a lost connection is drawn at once: what is old is marked before it may be answered again.
 * W2. One target is followed at a time: another one ends what was followed of the one before.
 */

import type { WhoAmI } from '../../contract/auth.ts';
import type { LinksView } from '../../contract/links-view.ts';
import type { MissionTarget, MissionView } from '../../contract/mission-view.ts';
import { every, later, now, oncePerFrame } from '../browser-clock.ts';
import { keptName } from '../operator-name.ts';
import { type Address, addressOf, fragmentOf, onPage, type PageName, withQuery } from './address.ts';
import { Catalogues } from './data/catalogues.ts';
import { Connection } from './data/connection.ts';
import { LiveAlarms } from './data/live-alarms.ts';
import { LivePasses } from './data/live-passes.ts';
import { LiveReactions } from './data/live-reactions.ts';
import { LiveRuns } from './data/live-runs.ts';
import { LiveValues } from './data/live-values.ts';
import { Polled } from './data/polled.ts';
import { ServiceClock } from './data/service-clock.ts';

const CALM_MS = 200;
const TICK_MS = 1_000;
const MISSION_MS = 30_000;
const CALLER_MS = 30_000;
const LINKS_MS = 3_000;
/** Browsers refuse an address that changes too often. */
const ADDRESS_MS = 200;

export class Workspace {
  address: Address;
  readonly clock = new ServiceClock(now);
  readonly soon: () => void;
  readonly calmly: () => void;
  readonly connection: Connection;
  readonly mission: Polled<MissionView>;
  readonly alarms: LiveAlarms;
  readonly reactions: LiveReactions;
  readonly runs: LiveRuns;
  /** Who acts, as the service sees it. */
  readonly caller: Polled<WhoAmI>;
  readonly catalogues: Catalogues;
  values: LiveValues | undefined;
  passes: LivePasses | undefined;
  links: Polled<LinksView> | undefined;
  readonly #listeners: (() => void)[] = [];
  #revision = '';
  #cancelWriting: () => void = () => undefined;

  /** `place`: what the address of the document says. */
  constructor(draw: () => void, place: () => Address = () => addressOf(location.hash)) {
    this.address = place();
    this.soon = oncePerFrame(draw);
    this.calmly = oncePerFrame(draw, CALM_MS);
    this.catalogues = new Catalogues(this.soon);
    this.connection = new Connection(
      this.clock,
      () => (this.isLost ? draw() : this.soon()),
      () => this.#recover(),
    );
    this.mission = new Polled('/v1/mission', MISSION_MS, () => this.#missionCame());
    this.alarms = new LiveAlarms(this.calmly);
    this.reactions = new LiveReactions(this.calmly);
    this.runs = new LiveRuns(this.calmly);
    this.caller = new Polled('/v1/whoami', CALLER_MS, this.calmly, keptName);
    addEventListener('hashchange', () => {
      this.#cancelWriting();
      this.address = place();
      this.#follow();
      this.soon();
    });
    every(this.soon, TICK_MS);
  }

  /** Name of the selected target; empty before the mission is known. */
  get target(): string {
    return this.address.query['target'] || (this.mission.answer?.targets[0]?.target ?? '');
  }

  get missionTarget(): MissionTarget | undefined {
    return this.mission.answer?.targets.find(({ target }) => target === this.target);
  }

  /** An environment as the mission has it. */
  environment(name: string | undefined): MissionView['environments'][number] | undefined {
    return this.mission.answer?.environments.find(({ environment }) => environment === name);
  }

  /** Empty where nobody is named. */
  get operator(): string {
    return keptName();
  }

  /** Whether what is shown may be old, because the service does not answer. */
  get isLost(): boolean {
    return this.connection.state.lost;
  }

  /** Goes there; the browser remembers where it was. */
  go(address: Address): void {
    location.hash = fragmentOf(address);
  }

  open(page: PageName, selected = '', more: Readonly<Record<string, string>> = {}): void {
    this.go(onPage(this.address, page, selected, { target: this.target, ...more }));
  }

  /** Changes the selection on this page, without an entry in the history of the browser. */
  select(changes: Readonly<Record<string, string>>): void {
    this.address = withQuery(this.address, changes);
    this.#cancelWriting();
    this.#cancelWriting = later(() => history.replaceState(null, '', fragmentOf(this.address)), ADDRESS_MS);
    this.#follow();
    this.soon();
  }

  #missionCame(): void {
    const revision = this.mission.answer?.revision ?? '';
    if (revision !== this.#revision) this.catalogues.forget();
    this.#revision = revision;
    this.#follow();
    this.soon();
  }

  /** W2 */
  #follow(): void {
    const { target } = this;
    if (target === '' || this.values?.target === target) return;
    this.values?.close();
    this.passes?.close();
    this.links?.close();
    this.values = new LiveValues(target, this.calmly);
    this.passes = new LivePasses(target, this.calmly);
    this.links = new Polled(`/v1/links/${encodeURIComponent(target)}`, LINKS_MS, this.calmly);
  }

  /** Called each time the service answers again, or a token has changed: what was followed is to be followed again. */
  whenRecovered(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Everything that was read before is read again, and everything followed is followed again. */
  #recover(): void {
    this.catalogues.forget();
    this.mission.soon();
    this.caller.soon();
    this.alarms.reopen();
    this.reactions.reopen();
    this.runs.soon();
    this.values?.reopen();
    this.passes?.reopen();
    this.links?.soon();
    for (const listener of this.#listeners) listener();
  }

  /** Another token: what was refused may be allowed now. */
  identityChanged(): void {
    this.#recover();
    this.soon();
  }
}

/** A page of the console. */
export interface Page {
  readonly title: string;
  /** What stands in the main part; called at each drawing. */
  view(): unknown;
  /** Called once each time the page comes into sight, and when it leaves. */
  shown?(): void;
  left?(): void;
}
