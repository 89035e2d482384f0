/**
 * What a simulated gateway needs of what it stands in front of: a spacecraft, a board on the bench or an instrument.
 * Frames go in by `uplink` and come out by the listener.
 */

import type { ReceivedCounts } from './spacecraft.ts';

export interface SimulatedPeer {
  /** Takes a frame from the ground; what it cannot read is lost. */
  uplink(frame: Buffer): void;
  onDownlink(listener: (frame: Buffer) => void): void;
  fault(name: string, on: boolean): void;
  /** Those that are on. */
  readonly faults: ReadonlySet<string>;
  counts(): ReceivedCounts;
  /** Nothing more is sent. */
  stop(): void;
}
