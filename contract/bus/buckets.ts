/**
 * The buckets of the bus with their keys, and its object stores. Mission Control Service, section 6; others are marked
 * (ours).
 */

const DAY = 24 * 3_600_000;

export interface BucketDefinition {
  readonly name: string;
  /** Values kept per key. */
  readonly history: number;
  readonly ttlMs?: number;
}

export const buckets = {
  /** `current` and one entry per revision. */
  config: { name: 'mcs_config', history: 1 },
  /** Snapshots of cells whose record is their snapshot: `<kind>.<id>`. */
  actors: { name: 'mcs_actors', history: 1 },
  /** Holds of runs on targets: `<target>`. */
  leases: { name: 'mcs_leases', history: 1 },
  /** Resolved runs under their hash (section 4.2 rule 5); longer than any log that names them. */
  programs: { name: 'mcs_ir', history: 1, ttlMs: 120 * DAY },
  /** What the list of runs shows: `<run>` (ours); as long as their logs. */
  runs: { name: 'mcs_runs', history: 1, ttlMs: 90 * DAY },
  /** Runs taken up and not over: `<shard>.<run>` (ours). */
  openRuns: { name: 'mcs_open_runs', history: 1 },
  /** Reports of runs that are over: `<run>` (MC-STM-031); as long as their logs. */
  runReports: { name: 'mcs_run_reports', history: 1, ttlMs: 90 * DAY },
  /** Records of alarms: `<target>.<component>.<instance>.<alarm>` (section 2.4). */
  alarms: { name: 'mcs_alarms', history: 1 },
  /**
   * Who leads a role of which there is one: `<role>` (section 4.4); how long a leader stays one without a word is its
   * own.
   */
  leaders: { name: 'mcs_leader', history: 1 },
  /** The mode of each target that was ever set: `<target>` (section 2.5). */
  modes: { name: 'mcs_modes', history: 1 },
  /** Passes that are not long over: `<target>.<pass>` (section 4.5). */
  passes: { name: 'mcs_passes', history: 1 },
  /** Passes that are long over: `<day>.<target>`, each day in `<day>`, the days in `days` (ours, decision 36). */
  passesOver: { name: 'mcs_passes_over', history: 1, ttlMs: 366 * DAY },
  /** What was last decided to be written of the passes of a target: `<target>` (ours, decision 35). */
  passJournals: { name: 'mcs_pass_journals', history: 1 },
  /** The gateway of a pass that begins soon or is in progress: `<target>.<pass>` (section 2.6). */
  passGateways: { name: 'mcs_pass_gateways', history: 1, ttlMs: 30 * DAY },
  /** Schedules that are not long final: `<schedule>` (ours; section 4.6). */
  schedules: { name: 'mcs_schedules', history: 1 },
  /** Schedules that are long final, by day: `<day>.<group>` (ours, decision 36). */
  schedulesOver: { name: 'mcs_schedules_over', history: 1, ttlMs: 366 * DAY },
  /** Recurring rules: `<rule>` (section 2.7). */
  scheduleRules: { name: 'mcs_schedule_rules', history: 1 },
  /** Why a rule made no schedule of a pass: `<rule>.<pass>` (ours). */
  ruleRefusals: { name: 'mcs_rule_refusals', history: 1, ttlMs: 30 * DAY },
  /** The on-board directory of each target as it was last listed: `<target>` (ours; section 2.8). */
  directories: { name: 'mcs_directories', history: 1 },
  /** Transfers: `<target>.<file>.<generation>`, uploads with `.up` behind (section 2.8). */
  transfers: { name: 'mcs_transfers', history: 1 },
  /** Transfers that are not final, by the same keys: what a new transfer manager goes on with (ours). */
  openTransfers: { name: 'mcs_open_transfers', history: 1 },
  /** Files that came down and are to be offered to a driver when fewer wait, by the same keys (ours, decision 43). */
  leftFiles: { name: 'mcs_left_files', history: 1, ttlMs: 366 * DAY },
  /**
   * How far drivers came with the files they decode: `<target>.<file>.<generation>` (ours, decision 43); as long as the
   * samples stand in their stream.
   */
  decodings: { name: 'mcs_decodings', history: 1, ttlMs: DAY },
  /** Transfers that are long final, by day: `<day>.<target>` (ours, decision 36). */
  transfersOver: { name: 'mcs_transfers_over', history: 1, ttlMs: 366 * DAY },
  /**
   * The day of each of those, by the keys of transfers, for longer than they are kept; `content-removed` has the last
   * day whose content is gone (ours).
   */
  transferDays: { name: 'mcs_transfer_days', history: 1, ttlMs: 380 * DAY },
  /** Living processes and the partitions they own: `member.<instance>`, `partition.<name>`. */
  members: { name: 'mcs_members', history: 1 },
  /** Current values of a target with the stream position they cover: `<target>` (T5). */
  values: { name: 'mcs_values', history: 1 },
  /** Units of the fleet, and keys that are enrolled for one: `<serial>` (ours; section 2.9). */
  units: { name: 'mcs_units', history: 1 },
  /** Connectors, alive or not, and what they lost: `<name>` (ours; section 2.11). */
  connectors: { name: 'mcs_connectors', history: 1 },
  /** What drivers must not forget: `<driver>.<counter>`. */
  drivers: { name: 'mcs_drivers', history: 1 },
  /**
   * Runs of the bench: `campaign.<id>` and `scenario.<id>`, and `radio.board`; `unreadable.<key>.<revision>` is a copy
   * of a record of the radio that could not be read (ours).
   */
  benchRuns: { name: 'mcs_bench_runs', history: 1 },
  /** Reports of scenario runs: `<run>` (ours). */
  benchReports: { name: 'mcs_bench_reports', history: 1 },
  /** Events of the bench: `<id>`, twelve digits; `last` is the highest that was purged. */
  benchEvents: { name: 'mcs_bench_events', history: 1 },
} as const satisfies Record<string, BucketDefinition>;

export interface ObjectsDefinition {
  readonly name: string;
  readonly ttlMs: number;
}

/** Object stores: content under its SHA-256 (section 4.7). */
export const objectStores = {
  /** What clients stored to be uploaded by a run (section 4.7 rule 8); kept as long as the programs that name it. */
  uploads: { name: 'mcs_uploads', ttlMs: 120 * DAY },
  /**
   * Files that come down: their parts under `<target>/<file>/<generation>/<offset>`, and whole (section 4.7 rule 3).
   * What the configuration says of their retention comes first; this is the longest.
   */
  files: { name: 'mcs_files', ttlMs: 366 * DAY },
} as const satisfies Record<string, ObjectsDefinition>;
