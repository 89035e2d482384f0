/** What a lane does for the effects of its telecommands: values, echoes, verification. Part of a lane. */

import type { BusPosition, EchoMessage } from '../../contract/link.ts';
import type { TelecommandEffect, TelecommandEvent } from '../../machines/telecommand/telecommand.ts';
import { gatewaysReceiving } from '../../mission/pass/serving-gateway.ts';
import { busPosition } from '../../telemetry/reading/bus-position.ts';
import { LaneEchoes } from './echoes.ts';
import { gatewayGiven, givenGateway, whyNotServed } from './given-gateway.ts';
import type { LanePlaces } from './lane-places.ts';
import type { Open, OpenLane } from './open-lane.ts';
import { holdOf, maxAgeMs, refusalOf, sentBy, UNDEFINED } from './refusal.ts';
import type { LaneServices } from './services.ts';
import { Verifier } from './verification.ts';
import type { Work } from './work.ts';

/** Nobody knows whether it had to be verified: that it is complete is not said. */
const UNVERIFIED = `it left and was not verified: ${UNDEFINED}`;

export class ServicesOfLane {
  readonly echoes: LaneEchoes;
  readonly #lane: OpenLane;
  readonly #places: LanePlaces;
  readonly #verifier: Verifier;

  constructor(lane: OpenLane, places: LanePlaces) {
    this.#lane = lane;
    this.#places = places;
    const { bus, cells, clock, log, target, epoch, values, platforms } = lane.options;
    this.echoes = new LaneEchoes({
      target,
      epoch,
      bus,
      clock,
      log,
      tell: (cell, echo) => this.#echoed(cell, echo),
      quarantined: (cell) =>
        cells.status(cell) === 'quarantined' ? this.#lane.open.get(cell)?.input : undefined,
    });
    this.#verifier = new Verifier({
      bus,
      clock,
      log,
      target,
      platformOf: (digest) => platforms.get(digest),
      sample: (measure) => values.sample(target, measure),
      position: () => values.position(target),
    });
  }

  async stop(): Promise<void> {
    await Promise.all([this.#verifier.stop(), this.echoes.stop()]);
  }

  servicesFor(open: Open): LaneServices {
    const { work } = open;
    const { environment } = work.submission;
    const { passes, clock, values, target } = this.#lane.options;
    return {
      work,
      refusal: () => refusalOf(work, this.#lane.options),
      hold: holdOf(work),
      unheld: () => this.#lane.options.holds.unheld(sentBy(work)),
      sample: (measure) => values.sample(target, measure),
      upToDate: () => values.upToDate(target),
      giveGateway: (definition) => givenGateway(definition, environment, passes, clock.now()),
      whyNotServed: (definition) => whyNotServed(definition, environment, passes, clock.now()),
      gateway: (definition, given) => {
        const gateway = gatewayGiven(definition, environment, given);
        if (gateway?.echo) this.echoes.hear(gateway.name);
        return gateway;
      },
      position: () => this.#position(work),
      verify: (effect, signal) => this.#verify(open, effect, signal),
      expiresAt: work.submittedAt + maxAgeMs(work),
      get turn() {
        return open.place.turn;
      },
      get turnToEncode() {
        return open.place.turnToEncode;
      },
      encoded: () => open.place.encoded(),
      release: () => this.#places.left(open),
      unsure: () => {
        open.isUnsure = true;
      },
    };
  }

  /** Where the bus stands for what verifies a telecommand. */
  async #position({ definition }: Work): Promise<BusPosition | undefined> {
    if (definition?.telecommand.verify === undefined) return undefined;
    const { bus, clock, passes, target } = this.#lane.options;
    const gateways = gatewaysReceiving(definition.mission, definition.target, passes, clock.now());
    return busPosition(bus, target, gateways);
  }

  async #verify(
    open: Open,
    effect: Extract<TelecommandEffect, { type: 'effect.verify' }>,
    signal: AbortSignal,
  ): Promise<TelecommandEvent | undefined> {
    const { submission, definition } = open.work;
    const at = this.#lane.options.clock.now();
    if (definition === undefined) return { type: 'verification.failed', at, detail: UNVERIFIED };
    const { verify } = definition.telecommand;
    if (verify === undefined) return { type: 'verification.none', at };
    return this.#verifier.verify(
      {
        verify,
        platform: definition.platform,
        instance: submission.instance,
        args: submission.args,
        sentAt: effect.sentAt,
        handed: effect.handed,
        reference: effect.reference,
        answered: () => this.#places.leave(open),
      },
      signal,
    );
  }

  #echoed(cell: string, { at, conforming }: EchoMessage): boolean {
    const { cells } = this.#lane.options;
    // An event would begin one again that is being given up.
    if (cells.status(cell) === undefined) return false;
    return cells.tell(cell, { type: 'gateway.echoed', at, conforming }) !== 'quarantined';
  }
}
