/**
 * What a simulated gateway needs of what it stands in front of: a spacecraft, a board on the bench or an instrument.
 * Frames go in by `uplink` and come out by the listener.
 */

import type { Clock } from '../../ports/clock.ts';
import type { OnboardContent } from './onboard-files.ts';

/** What a model is made with. */
export interface ModelOptions {
  readonly clock: Clock;
  readonly seed: number;
  readonly gateway: string;
  /** Sizes of files beside those it is shipped with, by identifier; models without a file memory have none. */
  readonly files?: ReadonlyMap<number, number>;
  /** What the link down carries; models that do not fill it take no notice. */
  readonly bitsPerSecond?: number;
}

export interface ReceivedCounts {
  /** Times each request identifier was received. */
  readonly received: Readonly<Record<string, number>>;
  readonly total: number;
}

export interface SimulatedPeer {
  /** Takes a frame from the ground; what it cannot read is lost. */
  uplink(frame: Buffer): void;
  onDownlink(listener: (frame: Buffer) => void): void;
  fault(name: string, on: boolean): void;
  /** Those that are on. */
  readonly faults: ReadonlySet<string>;
  counts(): ReceivedCounts;
  /** Its files, whatever it says of them; absent without a file memory. */
  contents?(): Promise<OnboardContent[]>;
  /** Nothing more is sent. */
  stop(): void;
}
