/**
 * Every subject, stream, bucket and header of the bus, with retention. Mission Control Service, section 6; the parts
 * the specification leaves open are marked (ours).
 *
 * S1. Every segment that comes from outside is a token, checked here: a subject can never hold a dot, a space or a
 *     wildcard that a caller wrote.
 * S2. A subject used for request and reply is in no stream: the stream would answer first.
 */

import { isToken } from './token.ts';

function token(text: string): string {
  if (!isToken(text)) throw new TypeError(`not a token: ${JSON.stringify(text)}`);
  return text;
}

interface AlarmSubject {
  readonly target: string;
  readonly component: string;
  readonly instance?: string;
  readonly alarm: string;
}

export const subject = {
  /** Semantic telecommands (section 4.1 rule 2). */
  tcSubmit: (target: string): string => `mcs.tc.submit.${token(target)}`,
  /** TcEvents of one telecommand (ours, MC-BUS-007). */
  tcEvent: (target: string, id: string): string => `mcs.tc.evt.${token(target)}.${token(id)}`,
  tcEvents: (target?: string): string => `mcs.tc.evt.${target === undefined ? '*' : token(target)}.*`,
  /** TcEvents of one telecommand whose target is not known. */
  tcEventAnywhere: (id: string): string => `mcs.tc.evt.*.${token(id)}`,
  /** Frames received by a gateway (ours). */
  frames: (gateway: string): string => `mcs.tm.frame.${token(gateway)}`,
  /** Decoded samples, raw values, one message per batch of frames (section 6). */
  decoded: (target: string): string => `mcs.tm.decoded.${token(target)}`,
  /** Calibrated and derived samples (ours). */
  values: (target: string): string => `mcs.tm.value.${token(target)}`,
  /** Echoes of sent frames, heard by a gateway (ours). */
  echo: (gateway: string): string => `mcs.gw.echo.${token(gateway)}`,
  /** Frames a gateway was asked to send, and what became of them (ours). */
  sent: (gateway: string): string => `mcs.gw.sent.${token(gateway)}`,
  /** Request-reply verbs of drivers, gateways and units, after the pattern of section 4.8. */
  driverVerb: (driver: string, verb: string): string => `mcs.ctl.rpc.driver.${token(driver)}.${token(verb)}`,
  gatewayVerb: (gateway: string, verb: string): string =>
    `mcs.ctl.rpc.gateway.${token(gateway)}.${token(verb)}`,
  /** Launches of runs (section 4.2 rule 5). */
  runSubmit: 'mcs.run.submit',
  /** The log of one run (section 6). */
  runEvents: (run?: string): string => `mcs.run.evt.${run === undefined ? '*' : token(run)}`,
  /** Answers to questions and decisions of a run (section 4.2 rule 6). */
  runApproval: (run?: string): string => `mcs.run.approval.${run === undefined ? '*' : token(run)}`,
  /** Commands to the executor that holds a run, request-reply (section 4.2 rule 7). */
  runControl: (run: string): string => `mcs.run.control.${token(run)}`,
  /** Transitions of one alarm, of one target, or of all (section 6); `_` stands for no instance. */
  alarmEvent: ({ target, component, instance = '_', alarm }: AlarmSubject): string =>
    `mcs.alarm.evt.${token(target)}.${token(component)}.${token(instance)}.${token(alarm)}`,
  alarmEvents: (target?: string): string =>
    `mcs.alarm.evt.${target === undefined ? '*' : token(target)}.*.*.*`,
  /** Commands to the alarm service, request-reply (section 4.4). */
  alarmControl: (target: string): string => `mcs.alarm.control.${token(target)}`,
  /** Those of every target: one leader serves them all. */
  alarmControls: 'mcs.alarm.control.*',
  /** What a run asks the transfer manager for, request-reply (ours). */
  transferRequest: 'mcs.ctl.rpc.transfer.request',
  /** A driver or gateway that has begun to serve `bind` asks to be told its bindings, request-reply (ours). */
  bindingsWanted: 'mcs.ctl.rpc.reconciler.bindings',
  /** Switched faults of simulated targets (section 6). */
  simEvent: (target: string): string => `mcs.sim.evt.${token(target)}`,
  /** What the inspector asks of one process (ours), see `inspection.ts`. */
  inspectVerb: (instance: string, verb: string): string =>
    `mcs.ctl.rpc.inspect.${token(instance)}.${token(verb)}`,
  /** Live frames for one watcher of the inspector (ours). */
  inspectWatch: (watcher: string): string => `mcs.inspect.evt.${token(watcher)}`,
  deadLetter: (kind: string): string => `mcs.dlq.${token(kind)}`,
  /** Gateway throughput (section 6). */
  metrics: 'mcs.metrics',
} as const;

/** Headers are case-sensitive on the bus. */
export const header = {
  config: 'Mcs-Config',
  user: 'Mcs-User',
  roles: 'Mcs-Role',
  delivery: 'Mcs-Delivery',
  /** Fencing token of the writer (ours). */
  epoch: 'Mcs-Epoch',
  /** On an ENCODED event: what a new owner of the lane needs to go on (ours). */
  frame: 'Mcs-Frame',
  reference: 'Mcs-Reference',
  /** On a PENDING event: what its chart was begun with and the event does not say (ours). */
  begun: 'Mcs-Begun',
  /** On a SEND_FAILED event: what the gateway said, as `SendFailure` (ours). */
  outcome: 'Mcs-Outcome',
  /** Position in the input stream that a message was made from; on an event of a run, of the answer it logs (ours). */
  source: 'Mcs-Source',
  /** When the message was stored that stands at that position: a stream that was put back has another one there (ours). */
  sourceAt: 'Mcs-Source-At',
  /** On a value batch: position of the frames it was made from (ours). */
  received: 'Mcs-Received',
  /** On a SENT event: where the bus stood when the frame was handed over (ours). */
  handed: 'Mcs-Handed',
  /** On an answer or a command to a run: number of the last event of its log when it was given, 0 for none (ours). */
  seen: 'Mcs-Seen',
  /** On a command to a run: its identifier, the same in every repetition (ours). */
  request: 'Mcs-Request',
  /** On a value batch that no sample caused: the moment at which time alone changed what it holds (ours). */
  turned: 'Mcs-Turned',
} as const;

export interface StreamDefinition {
  readonly name: string;
  readonly subjects: readonly string[];
  readonly maxAgeMs: number;
  readonly dedupeMs: number;
  readonly maxBytes?: number;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const streams = {
  /** Ids are remembered for a day inside the stream and, past it, by the history of the telecommand (O4). */
  telecommands: { name: 'TC_COMMANDS', subjects: ['mcs.tc.submit.*'], maxAgeMs: 30 * DAY, dedupeMs: DAY },
  telecommandEvents: {
    name: 'TC_EVENTS',
    subjects: ['mcs.tc.evt.*.*'],
    maxAgeMs: 30 * DAY,
    dedupeMs: 10 * MINUTE,
  },
  /** Frames are kept so that a driver that was away decodes what it missed. */
  frames: {
    name: 'TM_FRAMES',
    subjects: ['mcs.tm.frame.*'],
    maxAgeMs: DAY,
    dedupeMs: 2 * MINUTE,
    maxBytes: 2 ** 30,
  },
  decoded: {
    name: 'TM',
    subjects: ['mcs.tm.decoded.*'],
    maxAgeMs: DAY,
    dedupeMs: 2 * MINUTE,
    maxBytes: 2 ** 30,
  },
  values: {
    name: 'TM_VALUES',
    subjects: ['mcs.tm.value.*'],
    maxAgeMs: DAY,
    dedupeMs: 2 * MINUTE,
    maxBytes: 2 ** 30,
  },
  /** The logs of runs, as long as their follow route promises the whole history. */
  runs: { name: 'RUNS', subjects: ['mcs.run.evt.*'], maxAgeMs: 90 * DAY, dedupeMs: 10 * MINUTE },
  runSubmissions: {
    name: 'RUN_SUBMISSIONS',
    subjects: ['mcs.run.submit'],
    maxAgeMs: 30 * DAY,
    dedupeMs: DAY,
  },
  /** Answers wait here for an executor that takes over. */
  runAnswers: { name: 'RUN_ANSWERS', subjects: ['mcs.run.approval.*'], maxAgeMs: DAY, dedupeMs: 2 * MINUTE },
  /** Transitions of alarms, 90 days unless the configuration says otherwise (section 6). */
  alarms: {
    name: 'ALARMS',
    subjects: ['mcs.alarm.evt.*.*.*.*'],
    maxAgeMs: 90 * DAY,
    dedupeMs: 10 * MINUTE,
  },
  deadLetters: { name: 'DEAD_LETTERS', subjects: ['mcs.dlq.*'], maxAgeMs: 30 * DAY, dedupeMs: 2 * MINUTE },
} as const satisfies Record<string, StreamDefinition>;

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
  /** Who leads a role of which there is one: `<role>` (section 4.4); how long a leader stays one without a word is its own. */
  leaders: { name: 'mcs_leader', history: 1 },
  /** The mode of each target that was ever set: `<target>` (section 2.5). */
  modes: { name: 'mcs_modes', history: 1 },
  /** Living processes and the partitions they own: `member.<instance>`, `partition.<name>`. */
  members: { name: 'mcs_members', history: 1 },
  /** Current values of a target with the stream position they cover: `<target>` (T5). */
  values: { name: 'mcs_values', history: 1 },
  /** What drivers must not forget: `<driver>.<counter>`. */
  drivers: { name: 'mcs_drivers', history: 1 },
  /** Runs of the bench: `campaign.<id>` and `scenario.<id>` (ours). */
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
} as const satisfies Record<string, ObjectsDefinition>;
