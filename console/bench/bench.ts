/**
 * The page of the RF bench: what it is and where its signal goes at the top, the chain and the radio on the left, what
 * the receiver receives on the right, and below it what can be done with it.
 *
 * B1. Opening the page changes nothing on the board: it only reads until a person acts.
 */

import type { Capabilities } from '../../contract/bench/capability.ts';
import type { BenchEvent } from '../../contract/bench/event.ts';
import type { ActiveProfile } from '../../contract/bench/profile.ts';
import type { RadioStatus } from '../../contract/bench/radio.ts';
import type { ActiveCampaignReply, ActiveRun } from '../../contract/bench/run.ts';
import { byId } from '../element.ts';
import { SignIn } from '../sign-in.ts';
import { themeSwitch } from '../theme-choice.ts';
import { type BenchRefusal, read, whenAnswered } from './bench-service.ts';
import { CampaignsView } from './campaigns-view.ts';
import { ChainView } from './chain-view.ts';
import { Connection } from './connection.ts';
import { EVENTS_SHOWN, EventsView } from './events-view.ts';
import { FramesView } from './frames-view.ts';
import { HeadView } from './head-view.ts';
import { MeasureView } from './measure-view.ts';
import { Poll } from './poll.ts';
import { ProfileChoice } from './profile-choice.ts';
import { RadioView } from './radio-view.ts';
import { ReportsView } from './reports-view.ts';
import { ScenariosView } from './scenarios-view.ts';
import { SignalView } from './signal-view.ts';
import { Tabs } from './tabs.ts';
import { TransmitView } from './transmit-view.ts';

/** The head is to be true within about a second. */
const BOARD_MS = 1_000;
const RUNS_MS = 2_000;
/** Whole lists, which may be long, are read when something begins or ends, and otherwise every so many turns. */
const LIST_TURNS = 5;

class BenchPage {
  readonly #head = new HeadView();
  readonly #events = new EventsView();
  readonly #chain = new ChainView({
    changed: () => this.#soon(),
    profile: () => this.#profiles.chosen,
    measure: () => this.#measureNow(),
  });
  readonly #profiles = new ProfileChoice(() => this.#soon());
  readonly #radio = new RadioView(
    () => this.#soon(),
    () => this.#isOnAir,
  );
  readonly #measure = new MeasureView(() => this.#soon());
  readonly #campaigns = new CampaignsView(
    () => this.#soon(),
    (runId) => this.#openReport(runId),
  );
  readonly #scenarios = new ScenariosView(() => this.#soon());
  readonly #reports = new ReportsView();
  readonly #frames = new FramesView(() => this.#soon());
  readonly #board = new Poll(
    () => this.#readBoard(),
    BOARD_MS,
    (refusal) => this.#head.unknown(refusal.status === 0 ? undefined : refusal.message),
  );
  readonly #runs = new Poll(() => this.#readRuns(), RUNS_MS, ignore);
  #tabs: Tabs | undefined;
  #tab = '';
  /** What the tab was last read for: whether anything has begun or ended since. */
  #readFor = '';
  #turns = 0;
  /** Until it is known, everything counts as being on the air. */
  #isOnAir = true;

  start(): void {
    themeSwitch(byId('theme', HTMLButtonElement));
    new SignIn();
    const connection = new Connection(() => this.#soon());
    whenAnswered((isReached) => connection.reached(isReached));
    new SignalView();
    new TransmitView(() => this.#soon());
    this.#tabs = new Tabs(byId('tabs', HTMLElement), (name) => {
      this.#tab = name;
      this.#runs.soon();
    });
    this.#board.start();
    this.#runs.start();
  }

  #soon(): void {
    this.#board.soon();
    this.#runs.soon();
  }

  async #readBoard(): Promise<void> {
    const [radio, current, capabilities] = await Promise.all([
      read<RadioStatus>('/api/v1/radio/state'),
      this.#chain.refresh(),
      read<Capabilities>('/api/v1/capabilities'),
    ]);
    this.#head.unknown(undefined);
    this.#isOnAir = current.current_target === 'air' || current.current_target === null;
    this.#head.capabilities(capabilities);
    this.#head.radio(radio);
    this.#head.emission(current, radio);
    this.#radio.show(radio);
  }

  async #readRuns(): Promise<void> {
    const [profile, events, campaign, scenario] = await Promise.all([
      read<ActiveProfile>('/api/v1/profiles/active'),
      read<readonly BenchEvent[]>(`/api/v1/events/latest?n=${EVENTS_SHOWN}`),
      read<ActiveCampaignReply>('/api/v1/campaigns/active'),
      read<ActiveRun | null>('/api/v1/scenarios/active'),
    ]);
    this.#head.profile(profile);
    this.#head.holder(campaign, scenario);
    this.#events.show(events);
    this.#scenarios.active(scenario);
    await this.#profiles.refresh(profile);
    await this.#readTab(campaign.active, scenario);
  }

  async #readTab(campaign: ActiveCampaignReply['active'], scenario: ActiveRun | null): Promise<void> {
    const tab = this.#tab;
    const readFor = JSON.stringify([tab, campaign, scenario?.run_id]);
    this.#turns += 1;
    if (readFor === this.#readFor && this.#turns % LIST_TURNS !== 0) {
      if (tab === 'campaigns' && campaign !== null) await this.#campaigns.follow(campaign.id);
      if (tab === 'frames') await this.#frames.refresh();
      return;
    }
    if (tab === 'campaigns') await this.#campaigns.refresh();
    if (tab === 'frames') await this.#frames.refresh();
    if (tab === 'scenarios') await this.#scenarios.refresh();
    if (tab === 'reports') await this.#reports.refresh();
    this.#readFor = readFor;
  }

  #measureNow(): void {
    this.#tabs?.open('measure');
    void this.#measure.measure();
  }

  #openReport(runId: string): void {
    this.#tabs?.open('reports');
    void this.#reports.open(runId);
  }
}

/** The connection and the board say what is wrong; the lists stay as they were. */
function ignore(_: BenchRefusal): void {}

new BenchPage().start();
