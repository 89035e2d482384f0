/**
 * Runs of scenarios and campaigns, and the reports of scenarios. RF Bench Service, sections 2 and 3. The fields of
 * ActiveRunDRO and the statuses of a campaign run are not shown there.
 */

import Type, { type Static } from 'typebox';
import { STEP_OUTCOMES } from './campaign.ts';
import { BenchName } from './profile.ts';
import { MetricSample } from './scenario.ts';

const closed = { additionalProperties: false } as const;
const Count = Type.Integer({ minimum: 0 });
const Time = Type.String({ format: 'date-time' });
const Uuid = Type.String({ format: 'uuid' });

// Scenarios -----------------------------------------------------------------------------------------------------------

export const SCENARIO_STATUSES = ['pending', 'running', 'passed', 'failed', 'cancelled'] as const;
export type ScenarioStatus = (typeof SCENARIO_STATUSES)[number];

const scenarioRun = {
  run_id: Uuid,
  scenario_name: Type.String(),
  status: Type.Enum(SCENARIO_STATUSES),
  started_at: Time,
  ended_at: Type.Optional(Time),
  duration_ms: Type.Optional(Count),
  steps_executed: Type.Optional(Count),
  assertions_passed: Type.Optional(Count),
  assertions_failed: Type.Optional(Count),
};

export const ScenarioRun = Type.Object(scenarioRun, { ...closed, title: 'ScenarioRunDRO' });
export type ScenarioRun = Static<typeof ScenarioRun>;

/** The run in flight. */
export const ActiveRun = Type.Object(
  { ...scenarioRun, elapsed_ms: Count, cancel_requested: Type.Boolean() },
  { ...closed, title: 'ActiveRunDRO' },
);
export type ActiveRun = Static<typeof ActiveRun>;

export const ExecutionEvent = Type.Object(
  {
    elapsed_ms: Type.Integer(),
    event_id: Type.Optional(Type.String({ description: 'Step of the timeline it is of.' })),
    kind: Type.String(),
    description: Type.String(),
  },
  { ...closed, title: 'ExecutionEventDRO' },
);
export type ExecutionEvent = Static<typeof ExecutionEvent>;

export const ScenarioSummary = Type.Object(
  {
    name: BenchName,
    display_name: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    profile_ref: Type.Optional(BenchName),
    tags: Type.Array(Type.String()),
  },
  { ...closed, title: 'ScenarioSummaryDRO' },
);
export type ScenarioSummary = Static<typeof ScenarioSummary>;

// Reports -------------------------------------------------------------------------------------------------------------

export const ReportSummary = Type.Object(
  { ...scenarioRun, profile_ref: Type.Optional(BenchName) },
  { ...closed, title: 'ReportSummaryDRO' },
);
export type ReportSummary = Static<typeof ReportSummary>;

export const AssertionResult = Type.Object(
  {
    name: Type.String(),
    passed: Type.Boolean(),
    verified: Type.Boolean({ description: 'It read the link, and not only what the script did.' }),
    message: Type.String(),
  },
  { ...closed, title: 'AssertionResultDRO' },
);
export type AssertionResult = Static<typeof AssertionResult>;

export const REPORT_SOURCES = ['pl', 'stub', 'mixed', 'none'] as const;

export const Report = Type.Object(
  {
    ...scenarioRun,
    profile_ref: Type.Optional(BenchName),
    has_report: Type.Boolean({ description: 'False where the daemon ended before the run did.' }),
    verified: Type.Boolean({ description: 'An assertion read the link; without one it is not a pass.' }),
    aborted: Type.Boolean({
      description: 'The timeline was not completed, so that neither verdict applies.',
    }),
    events: Type.Array(ExecutionEvent),
    assertions: Type.Array(AssertionResult),
    metric_samples: Type.Array(MetricSample, { description: 'Empty: no sampler was attached.' }),
    sample_interval_ms: Type.Optional(Count),
    source: Type.Optional(Type.Enum(REPORT_SOURCES, { description: 'Where the numbers come from.' })),
  },
  { ...closed, title: 'ReportDRO' },
);
export type Report = Static<typeof Report>;

// Campaigns -----------------------------------------------------------------------------------------------------------

/**
 * `finished` with a verdict, `failed`: the campaign could not go on and has no verdict, `aborted`: it was given up,
 * `interrupted`: the daemon ended meanwhile; a resume does the step again that was under way.
 */
export const CAMPAIGN_STATUSES = [
  'running',
  'paused',
  'finished',
  'failed',
  'aborted',
  'interrupted',
] as const;

/** One point of a sweep. */
export const SweepPoint = Type.Object(
  {
    x: Type.Number({ description: 'Value of what is varied.' }),
    ratio: Type.Number({ minimum: 0, maximum: 1, description: 'Share of bytes equal to the payload.' }),
    bits: Count,
    ber: Type.Number({ minimum: 0, description: 'Estimated from the ratio; 0 where no byte was wrong.' }),
    ber_low: Type.Number({ minimum: 0, description: 'Confidence of 95 %.' }),
    ber_high: Type.Number({ minimum: 0 }),
    ebn0_db: Type.Optional(Type.Number({ description: 'As the board reports it.' })),
    theory: Type.Optional(Type.Number({ minimum: 0, description: 'BER of the modulation at that Eb/N0.' })),
  },
  { ...closed, title: 'SweepPoint' },
);
export type SweepPoint = Static<typeof SweepPoint>;

/** Ours: uptimes of two starts of the daemon do not compare, and a campaign may go on behind a restart. */
const UptimeSince = Type.Optional(
  Type.String({
    format: 'date-time',
    description: 'Start of the daemon that the uptime beside it counts from.',
  }),
);

export const Attempt = Type.Object(
  {
    step: Type.String(),
    outcome: Type.Enum(STEP_OUTCOMES),
    run_id: Type.Optional(Uuid),
    detail: Type.String(),
    at_uptime_ms: Count,
    uptime_since: UptimeSince,
    points: Type.Optional(Type.Array(SweepPoint, { description: 'Of a sweep.' })),
  },
  { ...closed, title: 'AttemptDRO' },
);
export type Attempt = Static<typeof Attempt>;

export const CampaignState = Type.Object(
  {
    id: Type.String(),
    campaign: BenchName,
    status: Type.Enum(CAMPAIGN_STATUSES),
    cursor: Type.Integer({ minimum: 0, description: 'Index of the step under way or next.' }),
    total_steps: Count,
    verdict: Type.Union([Type.Boolean(), Type.Null()], {
      description: 'Null for a campaign that did not finish; never a pass on steps not run.',
    }),
    pause_requested: Type.Boolean({ description: 'A pause is asked and not yet effective.' }),
    attempts: Type.Array(Attempt),
    started_at_uptime_ms: Count,
    uptime_since: UptimeSince,
  },
  { ...closed, title: 'CampaignStateDRO' },
);
export type CampaignState = Static<typeof CampaignState>;

export const CampaignSummary = Type.Object(
  {
    name: BenchName,
    display_name: Type.Optional(Type.String()),
    description: Type.String(),
    steps: Count,
    cron: Type.Optional(Type.String()),
    tags: Type.Array(Type.String()),
  },
  { ...closed, title: 'CampaignSummaryDRO' },
);
export type CampaignSummary = Static<typeof CampaignSummary>;

export const ActiveCampaign = Type.Object(
  { id: Type.String(), campaign: BenchName, cursor: Count, total: Count, pausing: Type.Boolean() },
  { ...closed, title: 'ActiveDRO' },
);
export const ActiveCampaignReply = Type.Object(
  {
    active: Type.Union([ActiveCampaign, Type.Null()]),
    board_provider: Type.String({ description: 'What would carry out a board action, in words.' }),
  },
  { ...closed, title: 'ActiveReply' },
);
export type ActiveCampaignReply = Static<typeof ActiveCampaignReply>;
