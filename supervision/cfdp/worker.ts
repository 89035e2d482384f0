/**
 * The files by CFDP of one gateway, owned like the decoding of its frames (decision 41). It reads frames from now on: a
 * PDU of an entity that is gone is of no use to this one.
 *
 * D1. Nothing is kept across its end (MC-CFDP-009): the manager asks whoever has the gateway next, which begins again.
 * D2. A process that slept until another one may have the gateway answers nothing and has no PDU sent.
 */

import type { Links } from '../../actors/transfer/links.ts';
import { UploadWindow } from '../../actors/transfer/upload-window.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { type CfdpAnswer, cfdpFailed, readCfdpCall } from '../../contract/cfdp.ts';
import { CFDP_SEND_MS } from '../../contract/limits/cfdp.ts';
import { ChunkStore } from '../../links/cfdp/chunk-store.ts';
import { GatewayFiles } from '../../links/cfdp/gateway-files.ts';
import type { PdusSent } from '../../links/cfdp/pdu-pump.ts';
import { callOf } from '../../links/json-call.ts';
import type { CoreMessage, Stoppable } from '../../ports/bus.ts';
import type { CfdpMetrics } from '../metrics/cfdp.ts';
import type { Worker, WorkerContext } from '../ownership/owned-worker.ts';
import type { RoleContext } from '../role.ts';
import { sendPdus } from './send-pdus.ts';
import { uplinkOf } from './uplink.ts';

interface CfdpWorkerOptions {
  readonly gateway: string;
  readonly term: WorkerContext;
  readonly context: RoleContext;
  readonly links: Pick<Links, 'of'>;
  readonly metrics: CfdpMetrics;
}

export class CfdpWorker implements Worker {
  readonly #options: CfdpWorkerOptions;
  readonly #files: GatewayFiles;
  #keys = 0;
  readonly #begun: Stoppable[] = [];

  constructor(options: CfdpWorkerOptions) {
    this.#options = options;
    const { gateway, term, context, links } = options;
    const { bus, clock, random, passes } = context;
    const log = context.log.child({ cfdp: gateway });
    const life = `cfdp-${gateway}-${term.epoch}-${clock.now()}-${Math.floor(random.next() * 2 ** 32).toString(16)}`;
    this.#files = new GatewayFiles({
      gateway,
      clock,
      log,
      store: new ChunkStore({ bus, clock, log, life }),
      contents: new UploadWindow(bus),
      uplink: (mission, target, link) =>
        uplinkOf(gateway, { links, passes, clock }, mission, { target, link }),
      send: (target, frames) => this.#send(target, frames),
      failed: term.failed,
    });
  }

  async start(): Promise<void> {
    const { gateway, context, metrics } = this.#options;
    const { bus, missions, passes } = context;
    // Without the passes its links would seem to be served by other gateways.
    await passes.ready;
    const counted = metrics.count(gateway, this.#files);
    this.#begun.push({ stop: async () => counted() });
    const forget = missions.onChange((mission) => this.#files.takeUp(mission));
    this.#begun.push({ stop: async () => forget() });
    const take = this.#files.take.bind(this.#files);
    this.#begun.push(await bus.follow(streams.frames, subject.frames(gateway), { from: 'now' }, take));
    this.#begun.push(bus.serve(subject.cfdp(gateway), (message) => this.#serve(message)));
  }

  /** In the reverse order: nobody asks, no frame comes, then nothing is stored any more. */
  async stop(): Promise<void> {
    const stored = this.#files.stop();
    for (const each of this.#begun.splice(0).reverse()) await each.stop();
    await stored;
  }

  async #serve(message: CoreMessage): Promise<Uint8Array> {
    const { gateway, term } = this.#options;
    if (!term.holds()) throw new Error(`another process may have the files of gateway ${gateway} (D2)`);
    return Buffer.from(JSON.stringify(this.#answer(callOf(message))));
  }

  #answer(call: object | undefined): CfdpAnswer {
    const read = readCfdpCall(call);
    if (!read.ok) return cfdpFailed(read.faults[0]);
    const { link } = call as { readonly link?: unknown };
    if (typeof link !== 'string') return cfdpFailed('the call lacks `link`');
    return this.#files.answer({ ...read.value, link });
  }

  async #send(target: string, frames: readonly Buffer[]): Promise<PdusSent> {
    const { gateway, term, context } = this.#options;
    if (!term.holds()) return { frames: 0, refused: 'another process may have the files of the gateway' };
    this.#keys += 1;
    return sendPdus(context.bus, gateway, {
      target,
      epoch: term.epoch,
      key: `cfdp:${term.epoch}:${this.#keys}`,
      frames: frames.map((frame) => frame.toString('hex')),
      notAfter: context.clock.now() + CFDP_SEND_MS,
    });
  }
}
