/** The streams of the bus with the subjects they keep and for how long. Mission Control Service, section 6. */

export interface StreamDefinition {
  readonly name: string;
  readonly subjects: readonly string[];
  readonly maxAgeMs: number;
  readonly dedupeMs: number;
  /** The rate that it is made for: it has room for what comes at it within its age. */
  readonly bytesPerS?: number;
  /** Its size, where it is stated and not made of a rate. */
  readonly maxBytes?: number;
}

/** How large a stream is; undefined: as large as there is room for. */
export function sizeOf({
  maxBytes,
  bytesPerS,
  maxAgeMs,
}: Pick<StreamDefinition, 'maxBytes' | 'bytesPerS' | 'maxAgeMs'>): number | undefined {
  if (maxBytes !== undefined || bytesPerS === undefined) return maxBytes;
  return Math.ceil((bytesPerS * maxAgeMs) / 1_000);
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
  /**
   * Frames are kept so that a driver that was away decodes what it missed. These and the next two are made for 10,000
   * samples a second, of which each takes some 20 bytes.
   */
  frames: {
    name: 'TM_FRAMES',
    subjects: ['mcs.tm.frame.*'],
    maxAgeMs: DAY,
    dedupeMs: 2 * MINUTE,
    bytesPerS: 100_000,
  },
  decoded: {
    name: 'TM',
    subjects: ['mcs.tm.decoded.*'],
    maxAgeMs: DAY,
    dedupeMs: 2 * MINUTE,
    bytesPerS: 200_000,
  },
  values: {
    name: 'TM_VALUES',
    subjects: ['mcs.tm.value.*'],
    maxAgeMs: DAY,
    dedupeMs: 2 * MINUTE,
    bytesPerS: 200_000,
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
  /**
   * Chunks of files as they come down (section 6). What is stored of them is in `mcs_files`: the stream has to last
   * until the transfer manager, which may be away, has stored them.
   */
  fileChunks: {
    name: 'FILE_CHUNKS',
    subjects: ['mcs.file.chunk.>'],
    maxAgeMs: DAY,
    dedupeMs: 2 * MINUTE,
    bytesPerS: 64_000,
  },
  /** The log of events, as the archive keeps it beyond this (ours, decision 51). */
  events: { name: 'EVENTS', subjects: ['mcs.event.*'], maxAgeMs: 30 * DAY, dedupeMs: 10 * MINUTE },
  deadLetters: { name: 'DEAD_LETTERS', subjects: ['mcs.dlq.*'], maxAgeMs: 30 * DAY, dedupeMs: 2 * MINUTE },
} as const satisfies Record<string, StreamDefinition>;
