/**
 * Asks for files by the telecommands of their catalogue: `read` for what is missing of downloads, `write` for what is
 * not acknowledged of uploads. Mission Control Service, section 4.7 rule 3. Which bytes and when:
 * `mission/transfer/pipeline.ts`.
 *
 * Q1. A request goes the way of a direct telecommand: resolved as `POST /v1/tc` resolves one, with identity
 *     `transfers` (MC-XFER-044), refused on a target that a run holds (A-09, `lease-watch.ts`).
 * Q2. What becomes of it is read in its history. Where it is not known whether it was submitted, its range is asked
 *     again as after a failure: a chunk that comes twice is taken once.
 * Q3. Uploads are read from their store piece by piece; the piece at hand is kept for as long as it is used.
 */

import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { ByteRange } from '../../contract/byte-ranges.ts';
import { readTcEvent, type TcSubmission } from '../../contract/telecommand.ts';
import { hasLeft, isFinalTcState, isGoodTcEnd } from '../../contract/telecommand-state.ts';
import type { Target } from '../../mission/mission.ts';
import type { Component, Telecommand } from '../../mission/platform.ts';
import { type ResolvedTelecommand, resolveTelecommand } from '../../mission/resolve.ts';
import { type Asked, Pipeline, type Waiting } from '../../mission/transfer/pipeline.ts';
import type { Bus, Follower, Stoppable, StreamMessage } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Delivery, DeliveryEvents, DeliveryPlace, Undelivered } from './delivery.ts';
import type { LeaseWatch, Leave } from './lease-watch.ts';
import type { AvailableLink, Links, Way } from './links.ts';
import type { UploadWindow } from './upload-window.ts';

export const TRANSFERS_USER = 'transfers';

interface ChunkedOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  readonly links: Pick<Links, 'of'>;
  readonly leases: Pick<LeaseWatch, 'ask'>;
  readonly uploads: UploadWindow;
  readonly newId: () => string;
  /** Whether this process still leads, now. */
  readonly holds: () => boolean;
  readonly events: DeliveryEvents;
}

/** Of one target. */
type Pipelines = Readonly<Record<Way, Pipeline>>;

/** What one way of a target is served with in one turn. */
interface Turn extends DeliveryPlace {
  readonly way: Way;
  readonly pipeline: Pipeline;
  readonly link: AvailableLink;
  readonly telecommand: Telecommand;
  readonly byKey: ReadonlyMap<string, Undelivered>;
  readonly leaves: ReadonlyMap<string, Leave>;
}

export class Chunked implements Delivery, Stoppable {
  readonly #options: ChunkedOptions;
  readonly #targets = new Map<string, Pipelines>();
  /** Those that their pipelines know. */
  readonly #requests = new Map<string, { readonly pipeline: Pipeline; readonly key: string }>();
  #follower: Follower | undefined;

  constructor(options: ChunkedOptions) {
    this.#options = options;
  }

  /** Follows what becomes of requests. Rejects with `Outage`. */
  async start(): Promise<void> {
    const { bus } = this.#options;
    this.#follower = await bus.follow(
      streams.telecommandEvents,
      subject.tcEvents(),
      { from: 'now' },
      (message) => this.#hear(message),
    );
  }

  async stop(): Promise<void> {
    await this.#follower?.stop();
  }

  turn(place: DeliveryPlace, transfers: readonly Undelivered[]): void {
    const link = this.#options.links.of(place.mission, place.target);
    for (const way of ['downlink', 'uplink'] as const) {
      const direction = way === 'downlink' ? 'download' : 'upload';
      const own = transfers.filter(({ record }) => record.direction === direction);
      if (own.length === 0) continue;
      if ('reason' in link) continue;
      this.#serve(place, way, link, own);
    }
  }

  arrived(key: string, [start, end]: ByteRange): void {
    const target = key.split('.')[0] ?? '';
    this.#targets.get(target)?.downlink.received(key, start, end);
  }

  forget(key: string): void {
    const pipelines = this.#targets.get(key.split('.')[0] ?? '');
    pipelines?.downlink.forget(key);
    pipelines?.uplink.forget(key);
    this.#options.uploads.forget(key);
  }

  #pipelinesOf({ name }: Target): Pipelines {
    const gone = (id: string): void => void this.#requests.delete(id);
    const known = this.#targets.get(name) ?? {
      downlink: new Pipeline('chunk', gone),
      uplink: new Pipeline('end', gone),
    };
    this.#targets.set(name, known);
    return known;
  }

  #serve(place: DeliveryPlace, way: Way, link: AvailableLink, own: readonly Undelivered[]): void {
    const { target, files } = place;
    const name = way === 'downlink' ? files.transfer.read : files.transfer.write;
    const component: Component | undefined = target.platform?.components.get(files.component);
    const telecommand = name === undefined ? undefined : component?.telecommands.get(name);
    if (telecommand === undefined) return;
    const pipeline = this.#pipelinesOf(target)[way];
    const leaves = new Map(own.map((each) => [each.key, this.#leaveOf(each, telecommand)]));
    const free = own.filter(({ key }) => !('reason' in leaves.get(key)!));
    for (const { key, record } of own) {
      const leave = leaves.get(key)!;
      // A download that waits for the end of a run is as usual; an upload has nobody to go on for it.
      if (record.direction === 'upload')
        this.#options.events.hindered(key, 'reason' in leave ? leave.reason : undefined);
    }
    const byKey = new Map(free.map((each) => [each.key, each]));
    this.#ask({ ...place, way, pipeline, link, telecommand, byKey, leaves });
  }

  #leaveOf({ record }: Undelivered, { changesState }: Telecommand): Leave {
    const { target, direction, actor } = record;
    const onlyUnderLease = direction === 'upload';
    return this.#options.leases.ask({ target, run: actor.run, changesState, onlyUnderLease });
  }

  #ask(turn: Turn): void {
    const { clock, newId, holds } = this.#options;
    const { pipeline, link, way, files, byKey } = turn;
    const now = clock.now();
    const { rate } = link.rate(way);
    const maxChunk = files.transfer.maxChunk ?? Number.POSITIVE_INFINITY;
    for (const asked of pipeline.next([...byKey.values()].map(waitingOf), { rate, maxChunk }, now)) {
      if (!holds()) return;
      const id = newId();
      pipeline.asked(id, asked, now);
      this.#requests.set(id, { pipeline, key: asked.key });
      void this.#send(id, asked, turn).catch((error: unknown) => {
        this.#options.log.warn({ err: error, transfer: asked.key }, 'request of a transfer not submitted');
        this.#failed(id);
      });
    }
  }

  async #send(id: string, asked: Asked, turn: Turn): Promise<void> {
    const { bus, events } = this.#options;
    const { record } = turn.byKey.get(asked.key)!;
    const resolved = await this.#resolve(asked, turn);
    if (resolved === undefined) return this.#failed(id);
    const leave = turn.leaves.get(asked.key)!;
    const run = 'reason' in leave ? undefined : leave.run;
    const data = Buffer.from(JSON.stringify(submissionOf(id, resolved, run)));
    const headers = { [header.config]: turn.mission.revision, [header.user]: TRANSFERS_USER };
    await bus.append(streams.telecommands, subject.tcSubmit(record.target), data, { id, headers });
    events.asked(record.target, asked.end - asked.start);
  }

  /** Q1; undefined where its catalogue refuses it, which is said once and asked again. */
  async #resolve(
    { key, start, end }: Asked,
    { mission, target, link, telecommand, byKey, way }: Turn,
  ): Promise<ResolvedTelecommand | undefined> {
    const { record } = byKey.get(key)!;
    const args: Record<string, unknown> = { offset: start };
    if (way === 'downlink') args['length'] = end - start;
    else {
      const bytes = await this.#options.uploads.read(key, record.source ?? '', start, end);
      if (bytes === undefined) {
        this.#options.events.hindered(key, `content ${record.source} is not stored any more`);
        return undefined;
      }
      args['data'] = bytes.toString('hex');
      if (telecommand.args.some(({ name }) => name === 'generation')) args['generation'] = record.generation;
    }
    const resolved = resolveTelecommand(mission, {
      target: target.name,
      telecommand: telecommand.path,
      instance: record.file_id,
      args,
      link: link.link.name,
      environment: link.environment,
    });
    if (resolved.ok) return resolved.value;
    const reason = resolved.faults.map(({ message }) => message).join('; ');
    this.#options.events.hindered(key, `${telecommand.path} cannot be sent: ${reason}`);
    return undefined;
  }

  // What becomes of requests ----------------------------------------------------------------------------------------

  #hear({ subject: about, data }: StreamMessage): void {
    const id = about.split('.').at(-1) ?? '';
    const request = this.#requests.get(id);
    if (request === undefined) return;
    const event = readTcEvent(data);
    if (event === undefined || event.state === 'ECHO') return;
    const now = this.#options.clock.now();
    const { pipeline } = request;
    if (isGoodTcEnd(event.state)) this.#ended(id, now);
    else if (isFinalTcState(event.state)) this.#failed(id);
    else if (hasLeft(event.state) === 'yes') pipeline.sent(id, now);
  }

  #ended(id: string, now: number): void {
    const { pipeline, key } = this.#requests.get(id)!;
    const asked = pipeline.request(id);
    pipeline.ended(id, now);
    this.#requests.delete(id);
    if (asked === undefined || !key.endsWith('.up')) return;
    this.#options.events.acknowledged(key, [asked.start, asked.end]);
  }

  #failed(id: string): void {
    const request = this.#requests.get(id);
    this.#requests.delete(id);
    request?.pipeline.failed(id, this.#options.clock.now());
  }
}

function waitingOf({ key, record, received }: Undelivered): Waiting {
  const { priority, created_at, size } = record;
  return { key, priority, createdAt: Date.parse(created_at), size, received };
}

function submissionOf(
  id: string,
  { target, component, telecommand, instance, args, link, environment }: ResolvedTelecommand,
  run: string | undefined,
): TcSubmission {
  return {
    id,
    target: target.name,
    component: component.name,
    telecommand: telecommand.name,
    args,
    link: link.name,
    ...(instance !== undefined && { instance }),
    ...(environment !== undefined && { environment }),
    ...(run !== undefined && { run }),
  };
}
