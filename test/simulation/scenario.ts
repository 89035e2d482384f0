/**
 * What a seed stands for: which processes there are, what clients submit, and which faults come when. Everything that
 * can be left out of a failing run is an item of a list here, so that shrinking is leaving items out.
 */

import { SPACECRAFT_FAULTS, type SpacecraftFault } from '../../links/simulated/spacecraft.ts';
import { ROLES, type RoleName } from '../../supervision/role.ts';
import { archivesOf, type Keeping, keepingOf } from './archive/keeping.ts';
import { Chance } from './chance.ts';
import {
  clocksOf,
  datedBy,
  lastMeasurementsOf,
  type Measurement,
  measurementsOf,
  stragglersOf,
} from './instruments.ts';
import { heldLaunchesOf, type Launch, launchesOf } from './launch.ts';
import { GATEWAYS, TARGETS, TELECOMMANDS, watched } from './mission.ts';
import { type AlarmAct, alarmActsOf } from './operators.ts';
import type { Waking } from './process-clock.ts';
import { type Planning, planningOf, startsOf } from './schedules/planning.ts';
import { type Moving, movingOf } from './transfers/moving.ts';

export interface Slot {
  readonly roles: readonly RoleName[];
  readonly host: string;
  /** Error of its clock, ms. */
  readonly skewMs: number;
  /** Error of its oscillator: its time passes faster, millionths. */
  readonly driftPpm?: number;
  readonly startMs: number;
  /** Its state folder; absent: it has none. */
  readonly state?: string;
}

export interface Submission {
  readonly at: number;
  readonly target: string;
  readonly telecommand: string;
  readonly instance?: string;
  readonly args: Readonly<Record<string, string | number | boolean>>;
  /** The process asked first; after a silence or an outage the next ones in turn. */
  readonly slot: number;
  /** Submitted again with the same identifier: so long after, to another process. */
  readonly again: readonly { readonly afterMs: number; readonly slot: number }[];
  /** Everything is up again: it has to leave. */
  readonly isLast?: true;
}

interface OnSlot {
  readonly at: number;
  readonly slot: number;
}

/** The n-th step of a kind from then on. */
interface Step {
  readonly step: string;
  readonly phase: 'asked' | 'done';
  readonly nth: number;
}

interface Lasting {
  readonly at: number;
  readonly forMs: number;
}

export type Fault =
  /** The process dies; another instance of it starts later. */
  | (OnSlot & { readonly kind: 'crash'; readonly backMs: number })
  /**
   * It dies at the n-th step of this kind from then on: before it is asked of the bus, or done and not yet answered.
   */
  | (OnSlot & Step & { readonly kind: 'crash-at'; readonly backMs: number })
  /** It ends in order. */
  | (OnSlot & { readonly kind: 'leave'; readonly backMs: number })
  | (OnSlot & Lasting & { readonly kind: 'pause' } & Waking)
  /** It falls asleep at such a step, for longer than the others wait for it. */
  | (OnSlot & Step & Waking & { readonly kind: 'pause-at'; readonly forMs: number })
  | (OnSlot & { readonly kind: 'break' })
  | (OnSlot & Lasting & { readonly kind: 'loss'; readonly rate: number })
  | (OnSlot & Lasting & { readonly kind: 'doubling'; readonly rate: number })
  | (OnSlot & Lasting & { readonly kind: 'lag'; readonly latencyMs: number })
  /** What comes from streams and buckets comes late. */
  | (OnSlot & Lasting & { readonly kind: 'pull-lag'; readonly latencyMs: number })
  | (OnSlot &
      Lasting & {
        readonly kind: 'service';
        readonly of: 'driver' | 'gateway';
        readonly beforeMs: number;
        readonly afterMs: number;
        readonly fails: boolean;
      })
  /** The server is gone for everybody. */
  | (Lasting & { readonly kind: 'outage' })
  /**
   * It is gone, and comes back with the store of a while ago: a copy was put back, or, where each stream is of a moment
   * of its own, the newest messages went with the power.
   */
  | (Lasting & { readonly kind: 'rewind'; readonly backMs: number; readonly uneven: boolean })
  /** What was acknowledged is gone from a stream, with so many newer messages behind it. */
  | {
      readonly at: number;
      readonly kind: 'hole';
      /** Default: events of telecommands. */
      readonly of?: 'runs' | 'alarms' | 'chunks';
      readonly count: number;
      readonly behind: number;
      readonly keepsIds: boolean;
    }
  /** It is gone, and comes back with an empty stream of values. */
  | (Lasting & { readonly kind: 'remade' })
  /** Its time of day is set. */
  | (OnSlot & { readonly kind: 'step'; readonly byMs: number })
  /** Streams and buckets do not answer: they elect a leader. */
  | (Lasting & { readonly kind: 'election' })
  | (Lasting & { readonly kind: 'spacecraft'; readonly gateway: string; readonly fault: SpacecraftFault })
  | (Lasting & { readonly kind: 'uplink'; readonly gateway: string });

/** What there is about alarms. */
interface Watch {
  readonly measurements: readonly Measurement[];
  /** The last ones, that are not left out. */
  readonly last: readonly Measurement[];
  readonly acts: readonly AlarmAct[];
}

export interface Scenario {
  readonly seed: number;
  readonly slots: readonly Slot[];
  readonly submissions: readonly Submission[];
  readonly launches: readonly Launch[];
  readonly faults: readonly Fault[];
  /** Samples of before that are received while things go wrong. */
  readonly stragglers?: readonly Measurement[];
  /** Present: the mission with rigs is flown, and their alarms are what it is about. */
  readonly watch?: Watch;
  /** Present: passes, schedules and rules are what it is about. */
  readonly planning?: Planning;
  /** Present: files that come and go are what it is about. */
  readonly moving?: Moving;
  /** Present: what archives keep is what it is about. */
  readonly keeping?: Keeping;
  /** Nothing but clocks goes wrong: nobody has a reason to take anything from anybody. */
  readonly onlyClocks?: true;
  /** From here on nothing new goes wrong, ms since the start. */
  readonly calmAt: number;
}

/** What a seed draws from. */
const DRAWN_KINDS = ['telecommands', 'runs', 'both', 'alarms'] as const;
export const KINDS = [
  ...DRAWN_KINDS,
  'holds',
  'rewinds',
  'schedules',
  'transfers',
  'archive',
  'clocks',
] as const;
/** What clients do in a scenario. */
export type ScenarioKind = (typeof KINDS)[number];

/** Steps at which an end or a sleep hurts most. */
const STEPS = [
  'append mcs.tc.evt',
  'append mcs.tc.submit',
  'append mcs.tm',
  'append $KV',
  'request mcs.ctl.rpc.driver',
  'request mcs.ctl.rpc.gateway',
  'reply mcs.ctl.rpc',
  'get $KV',
  'look TC_EVENTS',
] as const;

/** The same for runs. */
const RUN_STEPS = [
  'append mcs.run.evt',
  'append mcs.run.submit',
  'append mcs.run.approval',
  'append mcs.tc.submit',
  'append mcs.tc.evt',
  'append $KV.mcs_leases',
  'append $KV.mcs_open_runs',
  'append $KV.mcs_runs',
  'append $KV.mcs_modes',
  'append $KV.mcs_members',
  'last mcs.run.evt',
  'get $KV',
  'look RUNS',
  'request mcs.ctl.rpc',
  'reply mcs.run.control',
] as const;

/** Between the reading of a hold and the frame that leaves by it, and around the end of that hold. */
const HOLD_STEPS = [
  'get $KV.mcs_leases',
  'get $KV.mcs_leases',
  'append $KV.mcs_leases',
  'append mcs.tc.submit',
  'append mcs.tc.evt',
  'append mcs.run.evt',
  'last mcs.tc.evt',
  'request mcs.ctl.rpc.driver',
  'request mcs.ctl.rpc.gateway',
  'reply mcs.ctl.rpc.driver',
  'reply mcs.ctl.rpc.gateway',
  'reply mcs.run.control',
] as const;

/** The same for alarms, their leader and their reactions. */
const ALARM_STEPS = [
  'append $KV.mcs_alarms',
  'append $KV.mcs_alarms',
  'append mcs.alarm.evt',
  'append mcs.alarm.evt',
  'append $KV.mcs_leader',
  'append $KV.mcs_members.checkpoint.alarms',
  'append mcs.run.submit',
  'append $KV.mcs_ir',
  'append mcs.run.evt',
  'append $KV.mcs_leases',
  'append mcs.tm.value',
  'get $KV.mcs_alarms',
  'get $KV.mcs_leader',
  'list mcs_alarms',
  'last mcs.alarm.evt',
  'look TM_VALUES',
  'request mcs.alarm.control',
  'reply mcs.alarm.control',
] as const;

/** The same for schedules: their records, passes, submissions, and what is read before each. */
const SCHEDULE_STEPS = [
  'append $KV.mcs_schedules',
  'append $KV.mcs_schedules',
  'append $KV.mcs_schedules',
  'get $KV.mcs_schedules',
  'get $KV.mcs_passes',
  'get $KV.mcs_passes',
  'append mcs.run.submit',
  'append mcs.run.submit',
  'append $KV.mcs_runs',
  'get $KV.mcs_runs',
  'look RUN_SUBMISSIONS',
  'append $KV.mcs_passes',
  'append $KV.mcs_pass_journals',
  'list mcs_passes',
  'append $KV.mcs_ir',
  'append $KV.mcs_schedule_rules',
  'append $KV.mcs_rule_refusals',
  'append mcs.run.evt',
  'append $KV.mcs_members',
] as const;

/** The same for transfers: their records and index, the store of files, requests, chunks, the lead. */
const TRANSFER_STEPS = [
  'append $KV.mcs_transfers',
  'append $KV.mcs_transfers',
  'append $KV.mcs_transfers',
  'append $KV.mcs_files',
  'append $KV.mcs_files',
  'append $KV.mcs_files',
  'append $KV.mcs_open_transfers',
  'append $KV.mcs_open_transfers',
  'append $KV.mcs_members.checkpoint.transfers',
  'append $KV.mcs_members.checkpoint.transfers',
  'append $KV.mcs_leader',
  'append $KV.mcs_directories',
  'append $KV.mcs_uploads',
  'append mcs.tc.submit',
  'append mcs.tc.submit',
  'append mcs.tm.decoded',
  'append mcs.tm.value',
  'get $KV.mcs_transfers',
  'get $KV.mcs_files',
  'get $KV.mcs_files',
  'look FILE_CHUNKS',
  'look TC_EVENTS',
  'watch mcs_open_transfers',
] as const;

/** The same for archives: what they do to the disk, their lease, the stream they read, what they are asked. */
const ARCHIVE_STEPS = [
  'disk append',
  'disk append',
  'disk sync',
  'disk rename',
  'disk rename',
  'disk rename',
  'disk rename',
  'disk sync-directory',
  'disk sync-directory',
  'disk remove',
  'disk remove',
  'disk claim',
  'disk open',
  'work seal',
  'work seal',
  'work compact',
  'work remove',
  'work open',
  'append $KV.mcs_leader',
  'look TM_VALUES',
  'reply mcs.ctl',
] as const;

const SETTLING_MS = 2_000;
/** Behind the last fault: everything is up again, and whoever shall lead does. */
const LAST_MEASURED_MS = 8_000;
const LAST_SUBMITTED_MS = 12_000;

/** The scenario of a seed; the seed also decides what it is about, unless that is said. */
export function scenarioOf(seed: number, kind: ScenarioKind = kindOf(seed)): Scenario {
  const scenario = drawnScenarioOf(seed, kind);
  return DYING_TOGETHER.has(kind)
    ? { ...scenario, faults: [...scenario.faults, ...endOfAll(scenario)] }
    : scenario;
}

const DYING_TOGETHER: ReadonlySet<ScenarioKind> = new Set(['runs', 'both', 'schedules']);
/** Share of the seeds of these kinds in which all processes die at about the same time. */
const END_OF_ALL = 0.15;

/** Drawn apart from the other faults: what a seed stands for beside them is the same with and without. */
function endOfAll({ seed, slots, calmAt }: Scenario): readonly Fault[] {
  const chance = new Chance(seed, 'end of all');
  if (!chance.happens(END_OF_ALL)) return [];
  const at = chance.whole(SETTLING_MS, calmAt - 1_000);
  const apartMs = chance.happens(0.5) ? 0 : chance.whole(1, 2_000);
  // Long enough for deadlines to pass while nobody lives, in some of them.
  const deadMs = chance.happens(0.6)
    ? chance.whole(10, 3_000)
    : Math.min(calmAt - at, chance.whole(3_000, 20_000));
  return slots.map((_, slot) => ({
    kind: 'crash',
    slot,
    at: Math.min(calmAt, at + chance.whole(0, apartMs)),
    backMs: deadMs + chance.whole(0, 2_000),
  }));
}

function drawnScenarioOf(seed: number, kind: ScenarioKind): Scenario {
  if (kind === 'rewinds') {
    const of = new Chance(seed, 'went back past').next();
    if (of < REWOUND_PLANS) return backed(plannedScenarioOf(seed));
    if (of < REWOUND_PLANS + REWOUND_FILES) return backed(movedScenarioOf(seed, { hasStored: false }));
  }
  if (kind === 'schedules') return plannedScenarioOf(seed);
  if (kind === 'transfers') return movedScenarioOf(seed);
  if (kind === 'archive') return keptScenarioOf(seed);
  if (kind === 'clocks') return clockedScenarioOf(seed);
  const chance = new Chance(seed, 'scenario');
  const slots = slotsOf(chance);
  // Some runs are long enough for the bus to forget message ids.
  const isLong = chance.happens(0.04) && kind !== 'holds' && kind !== 'rewinds';
  const calmAt = SETTLING_MS + (isLong ? chance.whole(180_000, 260_000) : chance.whole(10_000, 30_000));
  return {
    seed,
    slots,
    ...drawn(chance, { seed, slots, calmAt, kind }),
    calmAt,
  };
}

/** Shares of the seeds of `rewinds` that are about schedules, and about transfers. */
const REWOUND_PLANS = 0.2;
const REWOUND_FILES = 0.2;

/** The same with few of its faults, over a store that goes back; chunks may be lost out of their stream as well. */
function backed(scenario: Scenario): Scenario {
  const { seed, calmAt, moving } = scenario;
  const chance = new Chance(seed, 'backed');
  const back = Array.from({ length: chance.happens(0.25) ? 2 : 1 }, () => rewindOf(chance, calmAt));
  const others = scenario.faults.slice(0, chance.whole(0, 3));
  const holes = moving !== undefined && chance.happens(0.4) ? [holeOf(chance, calmAt, 'chunks')] : [];
  return { ...scenario, faults: [...others, ...back, ...holes] };
}

function rewindOf(chance: Chance, calmAt: number): Fault {
  const forMs = chance.whole(100, 3_000);
  const backMs = chance.happens(0.5) ? chance.whole(50, 1_500) : chance.whole(1_000, 12_000);
  const at = chance.whole(2 * SETTLING_MS, calmAt - forMs - 1_000);
  return { at, kind: 'rewind', forMs, backMs, uneven: chance.happens(0.3) };
}

function holeOf(chance: Chance, calmAt: number, of: 'runs' | 'alarms' | 'chunks'): Fault {
  const at = chance.whole(2 * SETTLING_MS, calmAt - 1_000);
  const [count, behind] = [chance.whole(1, 8), chance.happens(0.5) ? 0 : chance.whole(1, 8)];
  return { at, kind: 'hole', of, count, behind, keepsIds: chance.happens(0.5) };
}

/** Behind this the partitions of processes that start together have found their owners. */
export const SHARED_OUT_MS = 12_000;
const CLOCK_STEPS_MS = [-3_600_000, -5_000, 5_000, 3_600_000] as const;
const DRIFTS_PPM = [-500, 0, 500] as const;

/** Three processes that nothing happens to but that the clock of one is set, to and fro, and that another one drifts. */
function clockedScenarioOf(seed: number): Scenario {
  const chance = new Chance(seed, 'clocks');
  const drifting = chance.whole(0, 2);
  const slots = Array.from({ length: 3 }, (_, n): Slot => {
    const driftPpm = n === drifting ? chance.one(DRIFTS_PPM) : 0;
    return { roles: [...ROLES], host: `host${n}`, skewMs: 0, driftPpm, startMs: chance.whole(0, 800) };
  });
  const calmAt = SHARED_OUT_MS + chance.whole(15_000, 40_000);
  const slot = chance.whole(0, 2);
  const faults = Array.from({ length: chance.whole(1, 3) }, (): readonly Fault[] => {
    const at = chance.whole(SHARED_OUT_MS, calmAt - 2_000);
    const byMs = chance.one(CLOCK_STEPS_MS);
    const back = { at: chance.whole(at, calmAt), slot, kind: 'step' as const, byMs: -byMs };
    return [{ at, slot, kind: 'step', byMs }, back];
  }).flat();
  return { seed, slots, submissions: [], launches: [], faults, calmAt, onlyClocks: true };
}

function kindOf(seed: number): ScenarioKind {
  return new Chance(seed, 'kind').one(DRAWN_KINDS);
}

/** Processes that plan, and no spacecraft. */
function plannedScenarioOf(seed: number): Scenario {
  const chance = new Chance(seed, 'planned scenario');
  const slots = plannersOf(chance);
  const calmAt = SETTLING_MS + chance.whole(8_000, 24_000);
  const bounds = { slots: slots.length, from: SETTLING_MS, calmAt };
  const planning = planningOf(new Chance(seed, 'planning'), bounds);
  const starts = startsOf(planning).filter((at) => at > 0 && at < calmAt);
  const stage = { slots, calmAt, steps: SCHEDULE_STEPS };
  const faults = Array.from({ length: chance.whole(0, 8) }, () => planFaultOf(chance, stage, starts));
  return { seed, slots, submissions: [], launches: [], faults, planning, calmAt };
}

function plannersOf(chance: Chance): Slot[] {
  const skewed = chance.happens(0.3);
  return Array.from({ length: chance.whole(2, 4) }, (_, n) => ({
    roles: n < 2 ? (['api', 'executor', 'scheduler'] as const) : (['api', 'scheduler'] as const),
    host: `host${n}`,
    skewMs: skewed ? chance.whole(-900, 900) : 0,
    startMs: chance.whole(0, 800),
  }));
}

/** Processes that transfer files, and a far side that stands in for everything between the bus and the spacecraft. */
function movedScenarioOf(seed: number, { hasStored = true } = {}): Scenario {
  const chance = new Chance(seed, 'moved scenario');
  const skewed = chance.happens(0.3);
  const slots = Array.from({ length: chance.whole(2, 3) }, (_, n) => ({
    roles: n < 2 ? (['api', 'telemetry', 'transfers'] as const) : (['api', 'transfers'] as const),
    host: `host${n}`,
    skewMs: skewed ? chance.whole(-900, 900) : 0,
    startMs: chance.whole(0, 800),
  }));
  const isLong = chance.happens(0.1);
  const calmAt = SETTLING_MS + (isLong ? chance.whole(80_000, 150_000) : chance.whole(10_000, 35_000));
  const bounds = { slots: slots.length, from: SETTLING_MS, calmAt };
  const chances = ['moving', 'following', 'decoders'].map((name) => new Chance(seed, name));
  const moving = movingOf(chances[0]!, chances[1]!, hasStored ? chances[2] : undefined, bounds);
  const stage = { slots, calmAt, steps: TRANSFER_STEPS };
  const faults = Array.from({ length: chance.whole(0, 7) }, () =>
    faultOf(chance, stage, moveFaultOf(chance)),
  );
  return { seed, slots, submissions: [], launches: [], faults, moving, calmAt };
}

/** Processes that keep the past, in one folder or each in its own; what is kept is put into the stream. */
function keptScenarioOf(seed: number): Scenario {
  const chance = new Chance(seed, 'kept scenario');
  const slots = archivesOf(chance);
  const isLong = chance.happens(0.3);
  const calmAt = SETTLING_MS + (isLong ? chance.whole(70_000, 140_000) : chance.whole(12_000, 40_000));
  const keeping = keepingOf(new Chance(seed, 'keeping'), { slots, from: SETTLING_MS, calmAt });
  const stage = { slots, calmAt, steps: ARCHIVE_STEPS };
  const faults = Array.from({ length: chance.whole(1, 7) }, () => keepFaultOf(chance, stage));
  return { seed, slots, submissions: [], launches: [], faults, keeping, calmAt };
}

/** Of a process, of the bus, or of the stream. */
function keepFaultOf(chance: Chance, stage: Stage): Fault {
  const kind = chance.one([
    ...(['crash', 'crash', 'crash-at', 'crash-at', 'crash-at', 'crash-at', 'leave', 'pause'] as const),
    ...(['pause-at', 'pause-at', 'pause-at', 'break', 'pull-lag', 'lag', 'outage'] as const),
    ...(['loss', 'election', 'rewind', 'rewind', 'remade'] as const),
  ] as unknown as [Fault['kind'], ...Fault['kind'][]]);
  const drawn = faultOf(chance, stage, kind);
  // A store of before anybody stored is that of another installation.
  if (drawn.kind === 'remade' || drawn.kind === 'rewind')
    return { ...drawn, at: Math.max(drawn.at, 2 * SETTLING_MS), forMs: Math.min(drawn.forMs, 3_000) };
  return drawn;
}

/** Of a process or of the bus. */
function moveFaultOf(chance: Chance): Fault['kind'] {
  return chance.one([
    ...(['crash', 'crash-at', 'crash-at', 'crash-at', 'leave', 'pause', 'pause'] as const),
    ...(['pause-at', 'pause-at', 'pause-at', 'break', 'pull-lag', 'lag', 'outage'] as const),
    ...(['doubling', 'loss', 'election'] as const),
  ] as unknown as [Fault['kind'], ...Fault['kind'][]]);
}

/** Any fault of a process or of the bus, and a clock that is set; around a start as often as anywhere. */
function planFaultOf(chance: Chance, stage: Stage, starts: readonly number[]): Fault {
  const kind = chance.one([
    ...(['crash', 'crash-at', 'crash-at', 'crash-at', 'leave', 'pause', 'pause'] as const),
    ...(['pause-at', 'pause-at', 'pause-at', 'break', 'pull-lag', 'lag', 'outage'] as const),
    ...(['outage', 'doubling', 'loss', 'election', 'step', 'step'] as const),
  ] as unknown as [Fault['kind'], ...Fault['kind'][]]);
  const drawn = faultOf(chance, stage, kind);
  const start = starts[chance.whole(0, starts.length - 1)];
  const at = (start ?? 0) - chance.whole(-100, 1_500);
  const isNear = chance.happens(0.5);
  if (!isNear || start === undefined || at < 0 || at > stage.calmAt - 1_000) return drawn;
  const left = stage.calmAt - at;
  return 'forMs' in drawn ? { ...drawn, at, forMs: Math.min(drawn.forMs, left) } : { ...drawn, at };
}

interface Drawing {
  readonly seed: number;
  readonly slots: readonly Slot[];
  readonly calmAt: number;
  readonly kind: Exclude<ScenarioKind, 'schedules' | 'transfers' | 'archive' | 'clocks'>;
  /** Whether rigs may have clocks of their own. */
  readonly rigClocks?: boolean;
}

function drawn(
  chance: Chance,
  { seed, slots, calmAt, kind, rigClocks = true }: Drawing,
): Pick<Scenario, 'submissions' | 'launches' | 'faults' | 'stragglers' | 'watch'> {
  if (kind === 'rewinds') return rewound(chance, { seed, slots, calmAt });
  const submissions = submissionsOf(chance, slots, calmAt);
  const stage = { slots, calmAt, steps: STEPS_OF[kind] };
  const faults = faultsOf(chance, stage);
  const bounds = { slots: slots.length, from: SETTLING_MS, to: calmAt - 1_000 };
  const launches = new Chance(seed, 'launches');
  if (kind === 'holds')
    return {
      submissions: [],
      launches: heldLaunchesOf(launches, bounds),
      faults: holdFaultsOf(chance, stage),
    };
  if (kind === 'alarms') {
    // Runs to take targets from, in some of them.
    const taken = launches.happens(0.5) ? launchesOf(launches, bounds, watched.revision).slice(0, 2) : [];
    return { submissions: [], launches: taken, faults, watch: watchOf(seed, bounds, calmAt, rigClocks) };
  }
  return {
    stragglers: stragglersOf(new Chance(seed, 'stragglers'), bounds),
    submissions: kind === 'runs' ? [] : submissions,
    launches: kind === 'telecommands' ? [] : launchesOf(launches, bounds),
    faults,
  };
}

/** A scenario of another kind, with few of its faults, whose store goes back. */
function rewound(
  chance: Chance,
  about: { seed: number; slots: readonly Slot[]; calmAt: number },
): ReturnType<typeof drawn> {
  const rewinds = new Chance(about.seed, 'rewinds');
  const kind = rewinds.one([...DRAWN_KINDS, 'holds'] as const);
  // Clocks on board stay right: beside a wrong one an owner goes by samples that the stream has lost.
  const { faults, ...rest } = drawn(chance, { ...about, kind, rigClocks: false });
  const back = Array.from({ length: rewinds.happens(0.25) ? 2 : 1 }, () => rewindOf(rewinds, about.calmAt));
  const last = TARGETS.map((target): Submission => {
    const at = about.calmAt + LAST_SUBMITTED_MS;
    return { at, target, telecommand: 'obc.ping', args: {}, slot: 0, again: [], isLast: true };
  });
  const submissions = [...rest.submissions, ...last];
  // A transmitter that is switched on again while the server is away stays dead: nobody says so a second time.
  const others = faults.slice(0, rewinds.whole(0, 3)).filter(({ kind: each }) => each !== 'uplink');
  return {
    ...rest,
    submissions,
    faults: [...others, ...holesOf(about, back), ...otherHolesOf(about, kind)],
  };
}

/** Instead of going back, or beside it, the store loses events that stood before others. */
function holesOf(
  { seed, calmAt }: { seed: number; calmAt: number },
  back: readonly Fault[],
): readonly Fault[] {
  const chance = new Chance(seed, 'holes');
  if (chance.happens(0.5)) return back;
  const holes = Array.from({ length: chance.whole(1, 6) }, (): Fault => {
    const at = chance.whole(2 * SETTLING_MS, calmAt - 1_000);
    const [count, behind] = [chance.whole(1, 12), chance.happens(0.4) ? 0 : chance.whole(1, 12)];
    return { at, kind: 'hole', count, behind, keepsIds: chance.happens(0.5) };
  });
  return chance.happens(0.5) ? holes : [...back, ...holes];
}

/** Beside them: events of runs and of alarms. */
function otherHolesOf(
  { seed, calmAt }: { seed: number; calmAt: number },
  kind: keyof typeof STEPS_OF,
): readonly Fault[] {
  const chance = new Chance(seed, 'other holes');
  if (kind === 'telecommands' || chance.happens(0.5)) return [];
  return Array.from({ length: chance.whole(1, 4) }, () =>
    holeOf(chance, calmAt, kind === 'alarms' && chance.happens(0.8) ? 'alarms' : 'runs'),
  );
}

const STEPS_OF: Readonly<
  Record<
    Exclude<ScenarioKind, 'rewinds' | 'schedules' | 'transfers' | 'archive' | 'clocks'>,
    readonly string[]
  >
> = {
  telecommands: STEPS,
  runs: RUN_STEPS,
  both: RUN_STEPS,
  alarms: ALARM_STEPS,
  holds: HOLD_STEPS,
};

function watchOf(
  seed: number,
  bounds: { slots: number; from: number; to: number },
  calmAt: number,
  hasClocks: boolean,
): Watch {
  const samples = new Chance(seed, 'measurements');
  const clocks = new Chance(seed, 'clocks');
  const drawn = measurementsOf(samples, bounds);
  const last = lastMeasurementsOf(samples, calmAt + LAST_MEASURED_MS);
  const rigClocks = clocks.happens(0.4) && hasClocks ? clocksOf(clocks, bounds) : [];
  return {
    measurements: datedBy(rigClocks, drawn),
    last: datedBy(rigClocks, last, { areLast: true }),
    acts: alarmActsOf(new Chance(seed, 'acts'), bounds),
  };
}

function slotsOf(chance: Chance): Slot[] {
  const skewed = chance.happens(0.3);
  const oneHost = chance.happens(0.3);
  const count = chance.whole(2, 3);
  return Array.from({ length: count }, (_, n) => {
    // The first two have every role, so that each role survives either of them.
    const dropped = n < 2 ? undefined : chance.one(ROLES as unknown as [RoleName, ...RoleName[]]);
    return {
      roles: ROLES.filter((role) => role !== dropped),
      host: oneHost ? 'host' : `host${n}`,
      skewMs: skewed ? chance.whole(-900, 900) : 0,
      startMs: chance.whole(0, 800),
    };
  });
}

function submissionsOf(chance: Chance, slots: readonly Slot[], calmAt: number): Submission[] {
  const slot = (): number => chance.whole(0, slots.length - 1);
  const inBursts = chance.happens(0.3);
  const moments = Array.from({ length: inBursts ? chance.whole(1, 4) : 14 }, () =>
    chance.whole(SETTLING_MS, calmAt + 2_000),
  );
  return Array.from({ length: chance.whole(3, inBursts ? 30 : 14) }, (_, n) => {
    const draft = chance.one(TELECOMMANDS);
    return {
      at: moments[n % moments.length] ?? calmAt,
      target: chance.one(TARGETS),
      telecommand: draft.telecommand,
      ...(draft.instance !== undefined && { instance: draft.instance }),
      args: draft.args(chance),
      slot: slot(),
      again: Array.from({ length: chance.happens(0.3) ? chance.whole(1, 2) : 0 }, () => ({
        afterMs: chance.happens(0.4) ? 0 : chance.whole(1, 15_000),
        slot: slot(),
      })),
    };
  });
}

interface Stage {
  readonly slots: readonly Slot[];
  readonly calmAt: number;
  /** Steps at which somebody may end. */
  readonly steps: readonly string[];
}

function faultsOf(chance: Chance, stage: Stage): Fault[] {
  return Array.from({ length: chance.whole(1, 9) }, () => faultOf(chance, stage));
}

/** Sleeping and slow gateways, drivers and executors: what a hold that ends meanwhile is about. */
function holdFaultsOf(chance: Chance, stage: Stage): Fault[] {
  const kinds = [
    'pause',
    'pause-at',
    'pause-at',
    'service',
    'service',
    'lag',
    'pull-lag',
    'crash-at',
  ] as const;
  return Array.from({ length: chance.whole(3, 9) }, () => {
    const kind = chance.one(kinds);
    const drawn = faultOf(chance, stage, kind);
    if (drawn.kind === 'lag') return { ...drawn, latencyMs: Math.min(drawn.latencyMs, 300) };
    return drawn.kind === 'service'
      ? { ...drawn, beforeMs: drawn.beforeMs / 2, afterMs: drawn.afterMs / 2 }
      : drawn;
  });
}

function lengthOf(chance: Chance): number {
  if (chance.happens(0.5)) return chance.whole(50, 4_000);
  return chance.happens(0.9) ? chance.whole(3_000, 15_000) : chance.whole(100_000, 200_000);
}

function faultOf(chance: Chance, { slots, calmAt, steps }: Stage, wanted?: Fault['kind']): Fault {
  const at = chance.whole(0, calmAt - 1_000);
  const left = calmAt - at;
  const on = { at, slot: chance.whole(0, slots.length - 1) };
  const backMs = chance.happens(0.5) ? chance.whole(10, 1_000) : chance.whole(1_000, 8_000);
  const forMs = Math.min(left, lengthOf(chance));
  const [gateway, rate] = [chance.one(GATEWAYS), chance.between(0.05, 0.6)];
  const waking = { arrivalsFirst: chance.happens(0.7), pullsExpired: chance.happens(0.6) };
  const phase = chance.happens(0.5) ? ('asked' as const) : ('done' as const);
  const step = { step: chance.one(steps as readonly [string, ...string[]]), phase, nth: chance.whole(1, 12) };
  const drawn = chance.one([
    ...(['crash', 'crash', 'crash-at', 'crash-at', 'crash-at', 'leave', 'pause', 'pause-at'] as const),
    ...([
      'pause',
      'pause-at',
      'pause-at',
      'break',
      'pull-lag',
      'loss',
      'doubling',
      'lag',
      'service',
      'service',
      'outage',
    ] as const),
    ...(['election', 'spacecraft', 'uplink'] as const),
  ] as unknown as [Fault['kind'], ...Fault['kind'][]]);
  const kind = wanted ?? drawn;
  switch (kind) {
    case 'crash':
    case 'leave':
      return { ...on, kind, backMs };
    case 'crash-at':
      return { ...on, kind, ...step, backMs };
    case 'pause':
      return { ...on, kind, forMs, ...waking };
    case 'pause-at':
      return { ...on, kind, ...step, forMs: Math.min(left, chance.whole(2_500, 14_000)), ...waking };
    case 'break':
      return { ...on, kind };
    case 'loss':
    case 'doubling':
      return { ...on, kind, forMs, rate };
    case 'lag':
    case 'pull-lag':
      return { ...on, kind, forMs, latencyMs: chance.whole(5, 1_500) };
    case 'service':
      return {
        ...on,
        kind,
        forMs,
        of: chance.happens(0.5) ? 'driver' : 'gateway',
        beforeMs: chance.happens(0.5) ? chance.whole(0, 7_000) : 0,
        afterMs: chance.happens(0.5) ? chance.whole(0, 7_000) : 0,
        fails: chance.happens(0.3),
      };
    case 'step':
      return { ...on, kind, byMs: chance.whole(-2_000, 2_000) };
    case 'outage':
    case 'election':
    case 'remade':
      return { at, kind, forMs };
    case 'rewind':
      return { at, kind, forMs, backMs, uneven: false };
    case 'hole':
      return { at, kind, count: chance.whole(1, 12), behind: chance.whole(0, 12), keepsIds: true };
    case 'spacecraft':
      return { at, kind, forMs, gateway, fault: chance.one(SPACECRAFT_FAULTS as never) };
    case 'uplink':
      return { at, kind, forMs, gateway };
  }
}
