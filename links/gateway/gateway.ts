/**
 * What stands behind a gateway: something that takes frames towards a spacecraft and hears frames from it. Mission
 * Control Service, section 1. It knows nothing of the bus; `gateway-service.ts` puts it there.
 *
 * L1. `send` answers what happened to the frame and never throws: a frame is sent or it is refused with a reason.
 * L2. A source that can wait (a recording) waits for the promise of `frame` before it gives the next one; one that
 *     cannot (a spacecraft) goes on, and what does not fit is dropped and counted by the receiver.
 */

export type Sent = { readonly sent: true } | { readonly sent: false; readonly detail: string };

/** Who hears what a gateway receives. */
export interface Listener {
  /** A frame was received; the promise, when there is one, resolves when there is room for more. */
  frame(frame: Buffer): Promise<void> | undefined;
  /** The gateway heard a frame that it sent itself. */
  echo(frame: Buffer): void;
}

/** Faults that a simulation can be told to have. */
export interface SwitchableFaults {
  readonly names: readonly string[];
  isOn(name: string): boolean;
  switch(name: string, on: boolean): void;
}

export interface Gateway {
  send(frame: Buffer): Promise<Sent>;
  start(listener: Listener): void;
  stop(): Promise<void>;
  /** Absent on a gateway that is no simulation. */
  readonly faults?: SwitchableFaults;
  /** Figures of a simulation for tests and operators, as JSON. */
  readonly stats?: () => object;
}
