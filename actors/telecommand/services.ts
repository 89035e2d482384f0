/** What the effects of a telecommand are carried out with. Mission Control Service, section 3.1. */

import type { BusPosition } from '../../contract/link.ts';
import type { NeededHold } from '../../contract/target-holds.ts';
import type { TelecommandEffect, TelecommandEvent } from '../../machines/telecommand/telecommand.ts';
import type { HandOvers } from '../../messaging/hand-overs.ts';
import type { Gateway } from '../../mission/mission.ts';
import type { Measure } from '../../mission/platform.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EffectRun } from '../../ports/entity.ts';
import type { ReceivedValue } from '../../ports/target-values.ts';
import type { Definition, Work } from './work.ts';

/** The world, the same for every telecommand. */
export interface TelecommandPorts {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly handOvers: HandOvers;
}

/** What the lane of a telecommand does for it. */
export interface LaneServices {
  readonly work: Work;
  /** Why it may not go at all, as of now. */
  refusal(): Promise<string | undefined>;
  /** The hold that its frame needs to leave; undefined where no run sends it. */
  readonly hold: NeededHold | undefined;
  /** Why its frame may not leave, as of now: its run does not hold the target. */
  unheld(): Promise<string | undefined>;
  sample(measure: Measure): ReceivedValue | undefined;
  /** Resolves when every sample stored before the call is known; rejects with `Outage`. */
  upToDate(): Promise<void>;
  /** The name to keep of the gateway that serves its link now (`given-gateway.ts`). */
  giveGateway(definition: Definition): string | undefined;
  /** The gateway that it was given under that name. */
  gateway(definition: Definition, given: string | undefined): Gateway | undefined;
  /** Why nothing serves its link now; undefined where no pass is the reason. */
  whyNotServed(definition: Definition): string | undefined;
  /** Where the bus stands now; undefined where nothing is verified. Rejects with `Outage`. */
  position(): Promise<BusPosition | undefined>;
  verify(
    effect: Extract<TelecommandEffect, { type: 'effect.verify' }>,
    signal: AbortSignal,
  ): Promise<TelecommandEvent | undefined>;
  /** When it is too old to leave, ms since 1970 (MC-TC-059). */
  readonly expiresAt: number;
  /** Resolves when those before it have left (lane.J1). */
  readonly turn: Promise<void>;
  /** Resolves when those before it are encoded (turn.T1). */
  readonly turnToEncode: Promise<void>;
  encoded(): void;
  release(): void;
  /** Nobody knows whether its frame left. */
  unsure(): void;
}

/** Carries out one kind of effect: the event that answers it, undefined when its cell is gone or nothing answers it. */
export type Handler<Type extends TelecommandEffect['type']> = (
  effect: Extract<TelecommandEffect, { type: Type }>,
  services: LaneServices,
  run: EffectRun,
) => Promise<TelecommandEvent | undefined>;
