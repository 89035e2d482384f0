/**
 * The shapes of replies with an example of each, for the interface description: shapes are those of `contract/bench/`,
 * whose own examples are kept where they have some.
 */

import Type, { type TSchema } from 'typebox';
import { Campaign } from '../../contract/bench/campaign.ts';
import { Aux, Capabilities, Clocks } from '../../contract/bench/capability.ts';
import { ChainState, Conditioned, Recovered } from '../../contract/bench/chain.ts';
import { Measurement, TransmitReply } from '../../contract/bench/datapath.ts';
import { BenchEvent } from '../../contract/bench/event.ts';
import { BenchFrame, FramePage } from '../../contract/bench/frame.ts';
import {
  ApplyResult,
  Profile,
  ProfileRevision,
  ProfileSummary,
  RegisterReply,
} from '../../contract/bench/profile.ts';
import { RadioStatus } from '../../contract/bench/radio.ts';
import {
  ActiveCampaignReply,
  ActiveRun,
  CampaignState,
  CampaignSummary,
  ExecutionEvent,
  Report,
  ReportSummary,
  ScenarioRun,
  ScenarioSummary,
} from '../../contract/bench/run.ts';
import { Scenario } from '../../contract/bench/scenario.ts';
import { exampleOf } from '../schema-components.ts';

const RUN_ID = '0192f0c4-7b1e-7a33-9c1d-3f2a9be4a001';
const STARTED = '2026-01-01T12:00:00.000Z';

/** The schema with an example of its values. */
function shown(schema: TSchema, example: unknown): TSchema {
  return { ...schema, examples: [example] } as TSchema;
}

/** A list of such things, with one of them as example. */
function listOf(schema: TSchema, description = 'Newest first.'): TSchema {
  return Type.Array(schema, { description, examples: [[exampleOf(schema)]] });
}

// Radio ---------------------------------------------------------------------------------------------------------------

export const RadioStatusShape = shown(RadioStatus, {
  rx_state: 'active',
  tx_state: 'active',
  center_frequency_hz: 2_400_000_000,
  rx_gain_db: 40,
  tx_gain_db: -10,
  loopback: false,
  timing_lock: true,
  carrier_lock: true,
  rx_lo_hz: 2_399_999_998,
  tx_lo_hz: 2_399_999_998,
  rx_nco_offset_hz: 0,
  tx_nco_offset_hz: 0,
  profile_center_frequency_hz: 2_400_000_000,
  rx_bandwidth_hz: 2_000_000,
  tx_bandwidth_hz: null,
});
export const CapabilitiesShape = shown(Capabilities, {
  modulations: ['bpsk', 'qpsk'],
  rx_channels: 1,
  tx_channels: 1,
  mock: true,
  symbol_rates: [{ baud: 1e6, label: '1 MBd', available: true, ad9361_rate_sps: 4_000_000, interp: 1 }],
});
export const AuxShape = shown(Aux, {
  available: true,
  regs: [{ name: 'STATUS', addr: '0x04', value: 3, doc: 'Locks of the receiver.' }],
});
export const ClocksShape = shown(Clocks, {
  available: true,
  source: 'control device of the modem',
  clocks: [{ name: 'rx_sampl_clk', enable: 1, prepare: 1, rate_hz: 4_000_000 }],
});

// Chain and datapath --------------------------------------------------------------------------------------------------

const CHAIN = {
  target: 'pl-loopback',
  current_target: 'pl-loopback',
  reaches_the_connector: false,
  stage: 'ready',
  ready: true,
  next: null,
  conditions: [],
};
export const ChainStateShape = shown(ChainState, CHAIN);
export const ConditionedShape = shown(Conditioned, {
  steps: ['switch.pl'],
  detail: ['loopback in the logic switched on'],
  state: CHAIN,
});
export const RecoveredShape = shown(Recovered, {
  pulsed: [{ reg: 'RX_CTRL', bit: 1, before: 0, during: 2, after: 0 }],
  read_back: [{ name: 'STATUS', value: 3 }],
  note: 'Measure to see whether it helped.',
});
export const MeasurementShape = shown(Measurement, {
  verdict: 'BytePerfect',
  rotation_slip: false,
  blocks: [{ index: 0, matched: 4096, total: 4096, rotation: 0, ratio: 1 }],
  overall_ratio: 1,
  worst_block_ratio: 1,
  capture_bytes: 4096,
  warmup: 4,
});
export const TransmitShape = shown(TransmitReply, {
  packets: 1,
  useful_bytes: 4,
  wire_bytes: 4,
  block_useful_bytes: 4096,
  boundaries_preserved: false,
  tx_chain_running: true,
});
export const Blocks = Type.String({
  contentMediaType: 'application/octet-stream',
  description: 'Raw DMA blocks, one after the other.',
  examples: ['any bytes'],
});

// Profiles ------------------------------------------------------------------------------------------------------------

export const ProfilesShape = listOf(
  shown(ProfileSummary, {
    name: 'qpsk-1m',
    modulation: 'qpsk',
    symbol_rate_baud: 1_000_000,
    center_frequency_hz: 2_400_000_000,
  }),
  'By name.',
);
export const ApplyShape = shown(ApplyResult, {
  profile_name: 'qpsk-1m',
  cfg_epoch: 3,
  tuning: 'Both oscillators tuned to 2400 MHz.',
});
export const RevisionsShape = listOf(
  shown(ProfileRevision, { version: 1, cfg_epoch: 3, applied_at: STARTED }),
);
export const RegisterShape = shown(RegisterReply, {
  name: 'qpsk-1m',
  replaced: false,
  persisted: false,
  note: 'Gone after a restart of the daemon.',
});
/** Whatever it is, it is judged: a document that is not in order is an answer, no refusal. */
export const AnyProfile = Type.Unknown({
  description: 'A profile, as `GET /api/v1/profiles/{name}` answers it.',
  examples: [exampleOf(Profile)],
});

// Scenarios and reports -----------------------------------------------------------------------------------------------

const SCENARIO = {
  name: 'loopback',
  profile_ref: 'qpsk-1m',
  target: 'pl-loopback',
  sampler: { interval_ms: 100, metrics: ['rx.timing_lock'] },
  timeline: [
    { at_ms: 0, id: 'apply', do: 'profile.apply' },
    { at_ms: 100, id: 'condition', do: 'chain.condition' },
    { at_ms: 2_000, id: 'listen', do: 'wait', timeout_ms: 1_000 },
  ],
  assertions: [
    {
      name: 'stays locked',
      source: 'metric',
      metric: 'rx.timing_lock',
      agg: 'all',
      window: ['listen', 'listen'],
      op: '==',
      value: true,
    },
  ],
};
const RUN = { run_id: RUN_ID, scenario_name: 'loopback', status: 'passed', started_at: STARTED };
const MOMENT = { elapsed_ms: 0, event_id: 'apply', kind: 'step.begun', description: 'profile.apply' };

export const ScenarioShape = shown(Scenario, SCENARIO);
export const AnyScenario = Type.Unknown({
  description: 'A scenario, as `GET /api/v1/scenarios/{name}` answers it.',
  examples: [SCENARIO],
});
export const ScenariosShape = listOf(
  shown(ScenarioSummary, { name: 'loopback', profile_ref: 'qpsk-1m', tags: ['smoke'] }),
  'By name.',
);
export const ScenarioRunShape = shown(ScenarioRun, RUN);
export const ScenarioRunsShape = listOf(ScenarioRunShape);
export const ActiveRunShape = Type.Union([ActiveRun, Type.Null()], {
  examples: [{ ...RUN, status: 'running', elapsed_ms: 1200, cancel_requested: false }],
});
export const RunEventsShape = listOf(shown(ExecutionEvent, MOMENT), 'In order.');
export const ReportsShape = listOf(shown(ReportSummary, { ...RUN, profile_ref: 'qpsk-1m' }));
export const ReportShape = shown(Report, {
  ...RUN,
  has_report: true,
  verified: true,
  aborted: false,
  events: [MOMENT],
  assertions: [{ name: 'stays locked', passed: true, verified: true, message: 'all of 10 are true' }],
  metric_samples: [],
  source: 'stub',
});

// Campaigns -----------------------------------------------------------------------------------------------------------

export const CampaignShape = shown(Campaign, {
  name: 'nightly',
  cron: '0 3 * * *',
  steps: [{ id: 'smoke', kind: 'scenario', scenario: 'loopback' }],
});
export const CampaignsShape = listOf(
  shown(CampaignSummary, { name: 'nightly', description: '', steps: 1, cron: '0 3 * * *', tags: [] }),
  'By name.',
);
export const CampaignStateShape = shown(CampaignState, {
  id: RUN_ID,
  campaign: 'nightly',
  status: 'running',
  cursor: 0,
  total_steps: 1,
  verdict: null,
  pause_requested: false,
  attempts: [],
  started_at_uptime_ms: 5_000,
});
export const CampaignRunsShape = listOf(CampaignStateShape);
export const ActiveCampaignShape = shown(ActiveCampaignReply, {
  active: { id: RUN_ID, campaign: 'nightly', cursor: 0, total: 1, pausing: false },
  board_provider: 'the model of the board in this process',
});

// Frames and events ---------------------------------------------------------------------------------------------------

export const FramePageShape = shown(FramePage, {
  granularity: 'dma_block',
  clock: 'boot_relative',
  frames: [exampleOf(BenchFrame)],
});
export const EventsShape = listOf(BenchEvent);
