/**
 * The files by CFDP of one group of gateways (`links/cfdp/cfdp-links.ts`), owned like the decoding of frames (decisions
 * 41 and 76). It reads frames from now on: a PDU of an entity that is gone is of no use to this one.
 *
 * D1. Nothing is kept across its end (MC-CFDP-009): the manager asks whoever has the group next, which begins again.
 * D2. A process that slept until another one may have the group answers nothing, has no PDU sent and
 *     stores no byte.
 * D3. It follows the frames of the gateways that the group has in the mission that holds now.
 */

import type { Links } from '../../actors/transfer/links.ts';
import { UploadWindow } from '../../actors/transfer/upload-window.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import { type CfdpAnswer, cfdpFailed, readCfdpCall } from '../../contract/cfdp.ts';
import { CFDP_SEND_MS } from '../../contract/limits/cfdp.ts';
import { cfdpGroups } from '../../links/cfdp/cfdp-links.ts';
import { ChunkStore } from '../../links/cfdp/chunk-store.ts';
import { GroupFiles } from '../../links/cfdp/group-files.ts';
import type { PdusSent } from '../../links/cfdp/pdu-pump.ts';
import { callOf } from '../../links/json-call.ts';
import type { CoreMessage, Stoppable, StreamMessage } from '../../ports/bus.ts';
import type { CfdpMetrics } from '../metrics/cfdp.ts';
import type { Worker, WorkerContext } from '../ownership/owned-worker.ts';
import type { RoleContext } from '../role.ts';
import { sendPdus } from './send-pdus.ts';
import { uplinkOf } from './uplink.ts';

interface CfdpWorkerOptions {
  /** Name of the group. */
  readonly group: string;
  readonly term: WorkerContext;
  readonly context: RoleContext;
  readonly links: Pick<Links, 'of'>;
  readonly metrics: CfdpMetrics;
}

export class CfdpWorker implements Worker {
  readonly #options: CfdpWorkerOptions;
  readonly #files: GroupFiles;
  #keys = 0;
  readonly #begun: Stoppable[] = [];
  /** Followers of frames, by gateway (D3). */
  readonly #followed = new Map<string, Stoppable>();
  #following: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: CfdpWorkerOptions) {
    this.#options = options;
    const { group, term, context, links } = options;
    const { bus, clock, random, passes } = context;
    const log = context.log.child({ cfdp: group });
    const life = `cfdp-${group}-${term.epoch}-${clock.now()}-${Math.floor(random.next() * 2 ** 32).toString(16)}`;
    this.#files = new GroupFiles({
      name: group,
      clock,
      log,
      store: new ChunkStore({ bus, clock, log, life, holds: () => term.holds() }),
      contents: new UploadWindow(bus),
      uplink: (mission, target, link) => uplinkOf({ links, passes, clock }, mission, { target, link }),
      send: (gateway, target, frames) => this.#send(gateway, target, frames),
      failed: term.failed,
    });
  }

  async start(): Promise<void> {
    const { group, term, context, metrics } = this.#options;
    const { bus, missions, passes } = context;
    // Without the passes its links would seem to be served by other gateways.
    await passes.ready;
    const counted = metrics.count(this.#files);
    this.#begun.push({ stop: async () => counted() });
    this.#begun.push({ stop: () => this.#followEach([]) });
    const forget = missions.onChange((mission) => {
      this.#files.takeUp(mission);
      void this.#followEach(cfdpGroups(mission).get(group)?.gateways ?? []).catch(term.failed);
    });
    this.#begun.push({ stop: async () => forget() });
    await this.#following;
    this.#begun.push(bus.serve(subject.cfdp(group), (message) => this.#serve(message)));
  }

  /** In the reverse order: nobody asks, no frame comes, then nothing is stored any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    const stored = this.#files.stop();
    for (const each of this.#begun.splice(0).reverse()) await each.stop();
    await stored;
  }

  /** D3 */
  #followEach(gateways: readonly string[]): Promise<void> {
    const following = this.#following.then(async () => {
      const { bus } = this.#options.context;
      for (const [gateway, follower] of this.#followed) {
        if (gateways.includes(gateway)) continue;
        this.#followed.delete(gateway);
        await follower.stop();
      }
      for (const gateway of gateways) {
        if (this.#stopped || this.#followed.has(gateway)) continue;
        const take = (message: StreamMessage): Promise<void> => this.#files.take(gateway, message);
        const follower = await bus.follow(streams.frames, subject.frames(gateway), { from: 'now' }, take);
        this.#followed.set(gateway, follower);
      }
    });
    this.#following = following.catch(() => undefined);
    return following;
  }

  async #serve(message: CoreMessage): Promise<Uint8Array> {
    const { group, term } = this.#options;
    if (!term.holds()) throw new Error(`another process may have the files of group ${group} (D2)`);
    return Buffer.from(JSON.stringify(this.#answer(callOf(message))));
  }

  #answer(call: object | undefined): CfdpAnswer {
    const read = readCfdpCall(call);
    if (!read.ok) return cfdpFailed(read.faults[0]);
    const { link } = call as { readonly link?: unknown };
    if (typeof link !== 'string') return cfdpFailed('the call lacks `link`');
    return this.#files.answer({ ...read.value, link });
  }

  async #send(gateway: string, target: string, frames: readonly Buffer[]): Promise<PdusSent> {
    const { group, term, context } = this.#options;
    if (!term.holds()) return { frames: 0, refused: 'another process may have the files of the gateway' };
    this.#keys += 1;
    return sendPdus(context.bus, gateway, {
      target,
      group,
      epoch: term.epoch,
      key: `cfdp:${group}:${term.epoch}:${this.#keys}`,
      frames: frames.map((frame) => frame.toString('hex')),
      notAfter: context.clock.now() + CFDP_SEND_MS,
    });
  }
}
