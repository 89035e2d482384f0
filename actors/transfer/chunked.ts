/**
 * Asks for files by the telecommands of their catalogue: `read` for what is missing of downloads, `write` for what is
 * not acknowledged of uploads. Mission Control Service, section 4.7 rule 3. Which bytes and when:
 * `mission/transfer/pipeline.ts`.
 *
 * Q1. A request goes the way of a direct telecommand: resolved as `POST /v1/tc` resolves one, with identity
 *     `transfers` (MC-XFER-044), refused on a target that a run holds (A-09, `lease-watch.ts`).
 * Q2. What becomes of it is read in its history. Where it is not known whether it was submitted, its range is asked
 *     again as after a failure: a chunk that comes twice is taken once.
 * Q3. Uploads are read from their store piece by piece; the pieces at hand are kept for as long as they are used. So
 *     many requests with bytes are on their way to the bus at once, however fast the link is.
 * Q4. A transfer that waits says why (`waits.ts`): no link, a run that holds the target, requests that are refused, or
 *     that nothing has come for `TRANSFER_NOTHING_CAME_MS` though it is asked for.
 * Q5. What was being read for a request when its transfer was forgotten, or the lead was lost, is not sent: another
 *     upload may have its place, another leader asks for it.
 * Q6. What was written counts once it is acknowledged, also when its request was forgotten meanwhile.
 */

import { header } from '../../contract/bus/headers.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { ByteRange } from '../../contract/byte-ranges.ts';
import { TRANSFER_NOTHING_CAME_MS, UPLOAD_REQUESTS_AT_ONCE } from '../../contract/limits/transfer.ts';
import { readTcEvent, type TcEvent } from '../../contract/telecommand.ts';
import { hasLeft, isFinalTcState, isGoodTcEnd } from '../../contract/telecommand-state.ts';
import type { Target } from '../../mission/mission.ts';
import type { Component, Telecommand } from '../../mission/platform.ts';
import { type ResolvedTelecommand, resolveTelecommand, submissionOf } from '../../mission/resolve.ts';
import { type Asked, Pipeline, type Waiting } from '../../mission/transfer/pipeline.ts';
import type { Follower, Stoppable, StreamMessage } from '../../ports/bus.ts';
import {
  type Delivery,
  type DeliveryPlace,
  type DeliveryTools,
  type Obstacle,
  obstacleOf,
  type Undelivered,
} from './delivery.ts';
import type { Leave } from './lease-watch.ts';
import type { AvailableLink, Links, Way } from './links.ts';
import { Turns } from './turns.ts';
import type { UploadWindow } from './upload-window.ts';

export const TRANSFERS_USER = 'transfers';

interface ChunkedOptions extends DeliveryTools {
  readonly uploads: UploadWindow;
  readonly newId: () => string;
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
  readonly #sendingUp = new Turns(UPLOAD_REQUESTS_AT_ONCE);
  /** Since when what is asked of a transfer has not come (Q4). */
  readonly #unanswered = new Map<string, number>();
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
      this.#serve(place, way, link, own);
    }
  }

  arrived(key: string, [start, end]: ByteRange): void {
    this.#cameOf(key);
    const target = key.split('.')[0] ?? '';
    this.#targets.get(target)?.downlink.received(key, start, end, this.#options.clock.now());
  }

  forget(key: string): void {
    const pipelines = this.#targets.get(key.split('.')[0] ?? '');
    pipelines?.downlink.forget(key);
    pipelines?.uplink.forget(key);
    this.#options.uploads.forget(key);
    this.#options.waits.forget(key);
    this.#unanswered.delete(key);
  }

  reread(key: string): void {
    this.#options.waits.forget(key);
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

  #serve(place: DeliveryPlace, way: Way, link: ReturnType<Links['of']>, own: readonly Undelivered[]): void {
    const { target, files } = place;
    const name = way === 'downlink' ? files.transfer.read : files.transfer.write;
    const component: Component | undefined = target.platform?.components.get(files.component);
    const telecommand = name === undefined ? undefined : component?.telecommands.get(name);
    if (telecommand === undefined) {
      const reason = `the catalogue of ${target.name} has no telecommand for it`;
      for (const each of own) this.#waits(each, { reason });
      return;
    }
    const leaves = new Map(own.map((each) => [each.key, this.#leaveOf(each, telecommand)]));
    const free = own.filter((each) => this.#isFree(each, leaves.get(each.key)!, link));
    if ('reason' in link) return;
    const pipeline = this.#pipelinesOf(target)[way];
    const byKey = new Map(free.map((each) => [each.key, each]));
    this.#ask({ ...place, way, pipeline, link, telecommand, byKey, leaves });
  }

  /** Whether it may be asked for now; says why not. */
  #isFree(each: Undelivered, leave: Leave, link: ReturnType<Links['of']>): boolean {
    const obstacle = obstacleOf(each, leave, link);
    if (obstacle !== undefined) this.#waits(each, obstacle);
    else this.#options.waits.turn(each, this.#nothingCame(each.key));
    return obstacle === undefined;
  }

  /** Nothing is asked for it: what was asked before is no more awaited either. */
  #waits(each: Undelivered, obstacle: Obstacle): void {
    this.#unanswered.delete(each.key);
    this.#options.waits.turn(each, obstacle);
  }

  #nothingCame(key: string): Obstacle | undefined {
    const since = this.#unanswered.get(key);
    if (since === undefined || this.#options.clock.now() - since < TRANSFER_NOTHING_CAME_MS) return undefined;
    return { reason: `asked for, and nothing has come since ${new Date(since).toISOString()}` };
  }

  /** Something that was asked of it has come. */
  #cameOf(key: string): void {
    this.#unanswered.delete(key);
    this.#options.waits.failed(key, undefined);
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
      if (!this.#unanswered.has(asked.key)) this.#unanswered.set(asked.key, now);
      const send = (): Promise<void> => this.#send(id, asked, turn);
      void (way === 'uplink' ? this.#sendingUp.take(send) : send()).catch((error: unknown) => {
        this.#options.log.warn({ err: error, transfer: asked.key }, 'request of a transfer not submitted');
        this.#failed(id);
      });
    }
  }

  async #send(id: string, asked: Asked, turn: Turn): Promise<void> {
    const { bus, events } = this.#options;
    // Q5
    if (!this.#requests.has(id) || !this.#options.holds()) return;
    const { record } = turn.byKey.get(asked.key)!;
    const resolved = await this.#resolve(id, asked, turn);
    if (resolved === undefined) return this.#failed(id);
    // Q5
    if (!this.#requests.has(id) || !this.#options.holds()) return;
    const leave = turn.leaves.get(asked.key)!;
    const run = 'reason' in leave ? undefined : leave.run;
    const data = Buffer.from(JSON.stringify(submissionOf(id, resolved, run)));
    const headers = { [header.config]: turn.mission.revision, [header.user]: TRANSFERS_USER };
    await bus.append(streams.telecommands, subject.tcSubmit(record.target), data, { id, headers });
    events.asked(record.target, asked.end - asked.start);
  }

  /** Q1; undefined where its catalogue refuses it, which is said once and asked again. */
  async #resolve(
    id: string,
    { key, start, end }: Asked,
    { mission, target, link, telecommand, byKey, way }: Turn,
  ): Promise<ResolvedTelecommand | undefined> {
    const { record } = byKey.get(key)!;
    const args: Record<string, unknown> = { offset: start };
    if (way === 'downlink') args['length'] = end - start;
    else {
      const bytes = await this.#options.uploads.read(key, record.source ?? '', start, end);
      if (bytes === undefined) {
        const reason = `content ${record.source} is not stored any more: POST /v1/uploads stores it again`;
        if (this.#requests.has(id)) this.#options.waits.failed(key, reason);
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
    this.#options.waits.failed(key, `${telecommand.path} cannot be sent: ${reason}`);
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
    else if (isFinalTcState(event.state)) this.#refused(id, event);
    else if (hasLeft(event.state) === 'yes') pipeline.sent(id, now);
  }

  #ended(id: string, now: number): void {
    const { pipeline, key } = this.#requests.get(id)!;
    const asked = pipeline.request(id);
    pipeline.ended(id, now);
    this.#requests.delete(id);
    if (asked === undefined || !key.endsWith('.up')) return;
    this.#cameOf(key);
    // Q6: its bytes may have been asked for again.
    pipeline.received(key, asked.start, asked.end, now);
    this.#options.events.acknowledged(key, [asked.start, asked.end]);
  }

  /** One among many may be lost: it is said where that lasts (waits.G1). */
  #refused(id: string, { state, detail }: TcEvent): void {
    const key = this.#requests.get(id)?.key;
    this.#failed(id);
    if (key === undefined) return;
    this.#unanswered.delete(key);
    const words = detail === undefined ? state : `${state}: ${detail}`;
    this.#options.waits.failed(key, `its requests end ${words}`, true);
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
