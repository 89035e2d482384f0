/**
 * The bench as its front end knows it: one daemon with one board, in the same process (blocks of megabytes do not fit
 * into messages of the bus, and nobody else may write to the board). RF Bench Service, section 4.
 *
 * P1. Refusals are values with the code to answer with; whatever throws is a defect.
 * P2. What writes to the board waits its turn behind what was asked before and uses the same of it, and is refused as
 *     `board_busy` while a campaign or a scenario holds the board. What stops the transmitter waits for nobody: a gain
 *     that mutes it, and disable.
 */

import type { Campaign } from '../contract/bench/campaign.ts';
import type { Aux, Capabilities, Clocks } from '../contract/bench/capability.ts';
import type {
  ChainState,
  ChainTarget,
  ConditionBody,
  Conditioned,
  Recovered,
} from '../contract/bench/chain.ts';
import type {
  Acquired,
  CaptureBody,
  Enabled,
  FlushBody,
  FlushReply,
  Measurement,
  TransmitBody,
  TransmitPacket,
  TransmitReply,
} from '../contract/bench/datapath.ts';
import type { BenchFault } from '../contract/bench/errors.ts';
import type { BenchEvent, Severity } from '../contract/bench/event.ts';
import type { FeedName } from '../contract/bench/feed.ts';
import type { BenchFrame, FramePage } from '../contract/bench/frame.ts';
import type {
  ActiveProfile,
  ApplyResult,
  Profile,
  ProfileRevision,
  ProfileSummary,
  RegisterReply,
  Validated,
} from '../contract/bench/profile.ts';
import type { FrequencyBody, GainBody, RadioStatus, ResetScope } from '../contract/bench/radio.ts';
import type {
  ActiveCampaignReply,
  ActiveRun,
  CampaignState,
  CampaignSummary,
  ExecutionEvent,
  Report,
  ReportSummary,
  ScenarioRun,
  ScenarioStatus,
  ScenarioSummary,
} from '../contract/bench/run.ts';
import type { Scenario } from '../contract/bench/scenario.ts';
import type { Result } from '../contract/result.ts';

export type Refusable<Value> = Result<Value, BenchFault>;
export type Answered<Value> = Promise<Refusable<Value>>;

export interface Bench {
  readonly radio: BenchRadio;
  readonly chain: BenchChain;
  readonly datapath: BenchDatapath;
  readonly profiles: BenchProfiles;
  readonly scenarios: BenchScenarios;
  readonly campaigns: BenchCampaigns;
  readonly events: BenchEvents;
  readonly frames: BenchFrames;
  readonly feeds: BenchFeeds;
}

export interface BenchRadio {
  status(): Answered<RadioStatus>;
  tune(body: FrequencyBody): Answered<RadioStatus>;
  gain(body: GainBody): Answered<RadioStatus>;
  loopback(enabled: boolean): Answered<RadioStatus>;
  reset(scope: ResetScope): Answered<RadioStatus>;
  capabilities(): Answered<Capabilities>;
  aux(): Answered<Aux>;
  clocks(): Answered<Clocks>;
}

export interface BenchChain {
  /** For what the board is wired for, unless a target is given. */
  state(target: ChainTarget | undefined): Answered<ChainState>;
  condition(body: ConditionBody): Answered<Conditioned>;
  recover(): Answered<Recovered>;
}

/** What a capture beside a payload takes; absent: by the payload and the rate. */
export interface LoopbackTerms {
  readonly blocks?: number;
  readonly warmup?: number;
  readonly timeoutMs?: number;
  /** Also over the air where the chain cannot carry it. */
  readonly force?: boolean;
}

/** What takes long is given up where `gone` says that nobody waits for it any more. */
export interface BenchDatapath {
  state(): Acquired;
  capture(body: CaptureBody, gone?: AbortSignal): Answered<Uint8Array>;
  enable(): Answered<Enabled>;
  disable(): Answered<Enabled>;
  flush(body: FlushBody): Answered<FlushReply>;
  loopback(payload: Uint8Array, terms: LoopbackTerms, gone?: AbortSignal): Answered<Uint8Array>;
  measure(payload: Uint8Array, terms: LoopbackTerms, gone?: AbortSignal): Answered<Measurement>;
  transmit(body: TransmitBody): Answered<TransmitReply>;
  /** As `transmit`, of one packet: for feeds, which condition nothing and state no chain. */
  feed(packet: TransmitPacket, framing: TransmitBody['framing']): Answered<{ readonly pendingBytes: number }>;
}

export interface BenchProfiles {
  list(): readonly ProfileSummary[];
  /** Reads the board, which other tools may have set otherwise. */
  active(): Promise<ActiveProfile>;
  get(name: string): Profile | undefined;
  validate(value: unknown): Validated;
  /** `text` is YAML or JSON. */
  register(name: string, text: string): Refusable<RegisterReply>;
  apply(name: string): Answered<ApplyResult>;
  /** Newest first; undefined: there is no such profile. */
  revisions(name: string): readonly ProfileRevision[] | undefined;
}

export interface BenchScenarios {
  list(): readonly ScenarioSummary[];
  get(name: string): Scenario | undefined;
  validate(value: unknown): Validated;
  start(name: string): Answered<ScenarioRun>;
  active(): ActiveRun | undefined;
  /** The run it asked to stop. */
  cancel(): Answered<ScenarioRun>;
  /** Newest first. */
  runs(): Answered<readonly ScenarioRun[]>;
  run(id: string): Answered<ScenarioRun>;
  /** Empty while it is in flight. */
  runEvents(id: string): Answered<readonly ExecutionEvent[]>;
  /** Of runs that are over, newest first. */
  reports(filter: {
    readonly status?: ScenarioStatus;
    readonly limit: number;
  }): Answered<readonly ReportSummary[]>;
  report(id: string): Answered<Report>;
}

export interface BenchCampaigns {
  list(): readonly CampaignSummary[];
  get(name: string): Campaign | undefined;
  active(): ActiveCampaignReply;
  start(name: string): Answered<CampaignState>;
  /** Newest first. */
  runs(): Answered<readonly CampaignState[]>;
  run(id: string): Answered<CampaignState>;
  pause(id: string): Answered<CampaignState>;
  resume(id: string): Answered<CampaignState>;
  /** Answers once the step is under way: how it ends is in the last attempt, once the run rests again. */
  rerun(id: string, step: string): Answered<CampaignState>;
}

export interface EventFilter {
  readonly kind?: string;
  readonly source?: string;
  readonly severity?: Severity;
  /** ms since 1970, both inclusive. */
  readonly since?: number;
  readonly until?: number;
  readonly limit: number;
}

export interface BenchEvents {
  /** Events alone, newest first; `severity` is exactly that one. */
  events(filter: EventFilter): readonly BenchEvent[];
  /** Events and lines of the log, newest first; `severity` is the least. */
  logs(filter: Omit<EventFilter, 'kind' | 'source'>): readonly BenchEvent[];
  /** How many were removed. */
  purge(olderThanHours: number): Answered<number>;
}

export interface FrameFilter {
  readonly protocol?: string;
  readonly profile?: string;
  /** ms since the start of the daemon, both inclusive. */
  readonly since?: number;
  readonly until?: number;
  readonly limit: number;
}

export interface BenchFrames {
  page(filter: FrameFilter): FramePage;
  get(id: string): BenchFrame | undefined;
  /** How many there were. */
  purge(): number;
  /** Reports each frame from now on, until the function it returns is called. */
  watch(reported: (frame: BenchFrame) => void): () => void;
}

export interface BenchFeeds {
  /**
   * Messages of `contract/bench/feed.ts` from now on, until the function it returns is called; made only while watched.
   */
  watch(feed: FeedName, announced: (message: Uint8Array) => void): () => void;
}
