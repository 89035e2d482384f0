/**
 * What stands behind a gateway: something that takes frames towards a spacecraft and receives frames from it. Mission
 * Control Service, section 1. It knows nothing of the bus; `links/gateway-service.ts` puts it there.
 *
 * L1. `send` answers what happened to the frame and never throws: it is sent, it is refused with a reason, or it may
 *     have left in part and nobody knows (`unsure`).
 * L2. `mayLeave` is asked in the same turn in which the frame is handed to the transport; a reason refuses it.
 * L3. A source that can wait (a recording) waits for the promise of `frame` before it gives the next one; one that
 *     cannot (a spacecraft) goes on, and what does not fit is dropped and counted by the receiver.
 */

import type { LinkCondition } from '../../contract/link.ts';
import type { SimulatedFile } from '../../contract/simulation.ts';

/** Why a frame may not leave now; undefined when it may. */
export type MayLeave = () => string | undefined;

export type Sent =
  | { readonly sent: true }
  | {
      readonly sent: false;
      readonly detail: string;
      /** All or a part of it may have left. */
      readonly unsure?: true;
    };

/** Who receives what a gateway receives. */
export interface Listener {
  /** A frame was received; the promise, when there is one, resolves when there is room for more. */
  frame(frame: Buffer): Promise<void> | undefined;
  /** The gateway received a frame that it sent itself. */
  echo(frame: Buffer): void;
  /** The link of the gateway has changed its state. */
  changed?(): void;
}

/** What a gateway over a network reports of its link, counted since its start. */
export interface LinkFigures {
  readonly condition: LinkCondition;
  readonly reconnects: number;
  readonly cut: number;
  readonly skippedBytes: number;
  readonly foreign: number;
  /** Datagrams that the kernel dropped; absent where there are none. */
  readonly kernel?: number;
  /** Frames that wait to leave. */
  readonly sending: number;
}

/** Faults that a simulation can be given. */
export interface SwitchableFaults {
  readonly names: readonly string[];
  isOn(name: string): boolean;
  switch(name: string, on: boolean): void;
}

export interface Gateway {
  send(frame: Buffer, mayLeave?: MayLeave): Promise<Sent>;
  start(listener: Listener): void;
  stop(): Promise<void>;
  /** Absent on a gateway that is not simulated. */
  readonly faults?: SwitchableFaults;
  /** Figures of a simulation for tests and operators, as JSON. */
  readonly stats?: () => object;
  /** What a simulated spacecraft has in its file memory; absent where there is none. */
  readonly files?: () => Promise<readonly SimulatedFile[]>;
  /** Absent on a gateway that is its own link: a simulation, a recording. */
  readonly link?: () => LinkFigures;
}
