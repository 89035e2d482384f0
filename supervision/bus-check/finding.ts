/** What a look at the bus finds, and what a look is. */

import type { NatsBus } from '../../bus/nats-bus.ts';

export const CHECKS = {
  'stream-missing': 'a stream or bucket of the contract is not there: never used yet, or lost',
  'stream-differs': 'a stream or bucket is configured otherwise than declared',
  'stream-with-holes': 'a stream lost messages out of its middle or off its end',
  'unreadable-record': 'an entry of a bucket cannot be read',
  'position-beyond-end': 'a position stands behind the end of its stream',
  'past-lost': 'a stream does not hold any more what a reader knew of it',
  'claim-of-dead-member': 'work is claimed by a process that is not alive',
  'hold-of-finished-run': 'a target is held by a run that is over',
  'hold-of-unknown-run': 'a target is held by a run that nothing is known of',
  'finished-run-still-open': 'a run that is over stands among the open ones',
  'run-without-program': 'the program of an open run is not stored',
  'run-without-log': 'a run is listed and has no log',
  'snapshot-ahead-of-log': 'what is kept beside a log covers more than the log has',
  'alarm-record-behind-log': 'the record of an alarm is behind its last event',
  'alarm-log-behind-record': 'the last event of an alarm is behind its record',
  'open-transfer-not-indexed': 'an open transfer is not among those that are managed',
  'index-without-transfer': 'a transfer is managed that has no record',
  'transfer-without-parts': 'bytes that a transfer names are not stored',
  'parts-without-transfer': 'bytes of a file are stored that no transfer names',
  'content-incomplete': 'content is stored of which bytes are gone, or whose description cannot be read',
  'schedule-without-program': 'the program of a schedule that may start is not stored',
} as const;
export type CheckName = keyof typeof CHECKS;

export interface Finding {
  readonly check: CheckName;
  /** The stream; or bucket and key, with a space between. */
  readonly where: string;
  /** Tells it from another one of the same place. */
  readonly about?: string;
  /** What does not fit, with the figures. */
  readonly what: string;
  /** What a person does, or `mcs bus check --repair`. */
  readonly remedy: string;
  /** Corrects it without a guess; says false where it has changed meanwhile. Absent: a person decides. */
  readonly repair?: () => Promise<boolean>;
}

export interface LookTools {
  /** Makes and changes no streams. */
  readonly bus: NatsBus;
  readonly found: (finding: Finding) => void;
  /** Last position of a stream, asked of its leader now. Throws `Outage`. */
  readonly end: (stream: string) => Promise<number>;
}

export interface Look {
  readonly checks: readonly CheckName[];
  /** Streams without which it says nothing: one that is missing is a finding of its own. */
  readonly needs: readonly string[];
  readonly look: (tools: LookTools) => Promise<void>;
}
