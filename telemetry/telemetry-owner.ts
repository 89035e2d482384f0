/**
 * The owner of one target's telemetry: takes decoded batches, calibrates them, computes what is derived from them and
 * publishes value batches, in order and many under way. Architecture, "Life of a sample". Who owns which target, and
 * the following of the stream, is the affair of the supervision.
 *
 * O1. A decoded batch becomes one value batch, also across owners: the message id `<target>-<position>` catches two
 *     owners at once, and `Mcs-Source` of what stands behind the checkpoint says what need not be made
 *     (`published-tail.ts`).
 * O2. The checkpoint covers only what the value stream holds; a new owner starts behind it and loses nothing.
 * O3. A batch of another catalogue is mapped by keys. When no known mission has that catalogue its samples are left
 *     out, counted and logged once; its reports, which need no catalogue, go on.
 * O4. A message that is no batch is left out, counted and logged; it stays in the stream of decoded samples.
 * O5. What time alone changes of derived measures is a value batch of its own, behind everything made from what was
 *     decoded before: its id is `<target>-<position>-<moment>`, its source that position, so O1 and O2 hold of it as of
 *     the others. What came due before the samples of a message is published before them. At the head of the stream the
 *     clock says when, and the append holds only if nobody has published anything since: an owner that slept publishes
 *     nothing late, and ends. Before the samples of a message it asks whether the target is still its own: another one
 *     may have published that moment behind another message, under another id.
 * O6. What a new catalogue derives over windows is filled from the value stream, as by a new owner; until then no
 *     message is taken.
 * O7. Where a stream went back (a store that was put back, newest messages lost), nothing that is known of positions
 *     counts: decoded samples are read on from the time of the last one that values were made from, their ids name that
 *     time, and values that the value stream lost are made again.
 * O8. Whether a sample becomes the current value is judged here, once, before it is published (`sample-order.ts`): one
 *     that does not is published marked, and derives nothing. The judgement goes with what was handed over, ahead of
 *     what is stored.
 * O9. So it is with files on board (`files/known-files.ts`), whose samples are named and mean the same in every
 *     catalogue: one that does not become current is not published, and what a rewritten file makes unknown is said.
 */

import type { DecodedBatch, FileSample, ValueBatch } from '../contract/batch.ts';
import { header } from '../contract/bus/headers.ts';
import { streams } from '../contract/bus/streams.ts';
import { subject } from '../contract/bus/subjects.ts';
import { CATALOGUE_WAIT_MS } from '../contract/limits/value.ts';
import type { Mission } from '../mission/mission.ts';
import type { Platform } from '../mission/platform.ts';
import type { Bus, FollowFrom, StreamMessage } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { MissionSource } from '../ports/mission-source.ts';
import { calibrateBatch } from './calibration.ts';
import { CheckpointWriter } from './checkpoint-writer.ts';
import type { Compute, Turned } from './compute/compute.ts';
import { Derivation } from './compute/derivation.ts';
import { DueTimer } from './compute/due-timer.ts';
import { groundDated } from './compute/ground-time.ts';
import { rebuild } from './compute/rebuild.ts';
import { OrderedAppend } from './ordered-append.ts';
import { OwnedValues } from './owned-values.ts';
import { readBack } from './read-back.ts';
import { fitsPlatform, readBatch, withReadableFiles } from './reading/batch-shape.ts';
import { KnownPlatforms } from './reading/known-platforms.ts';
import { mapBatch } from './reading/measure-map.ts';
import { earliestGround } from './reading/row-order.ts';
import { ValuePublisher } from './value-publisher.ts';
import { decodedLostSince } from './went-back.ts';

export interface TelemetryOwnerOptions {
  readonly bus: Bus;
  readonly missions: MissionSource;
  readonly target: string;
  /** Fencing token of the lease under which the target is owned. */
  readonly epoch: number;
  readonly log: Log;
  readonly clock: Clock;
  /** Called when a later owner has written the checkpoint, or may have; nothing is published from then on. */
  readonly lost?: () => void;
  /** Whether the others still have to leave the target to this process; default: for ever. */
  readonly holds?: () => boolean;
}

export interface TelemetryOwner {
  /** Where to follow `mcs.tm.decoded.<target>` from. Rejects with `Outage`. */
  start(): Promise<FollowFrom>;
  /** Takes the next message; the promise, when there is one, resolves when there is room for another. */
  handle(message: StreamMessage): void | Promise<void>;
  /** Says that everything decoded before has been handed over: from now on the clock counts (O5). */
  caughtUp(): void;
  /** Lets what is under way settle and writes the last checkpoint. */
  stop(): Promise<void>;
  readonly counts: Readonly<TelemetryCounts>;
}

export interface TelemetryCounts {
  published: number;
  /** Messages that were no batch, and batches of an unknown catalogue. */
  skipped: number;
}

const OLDER =
  'samples older than the current values: kept in the history only (frames came late, or the clock on board was set back)';

const OLDER_FILES = 'listings or states of transfers older than what is known, left out';

/** The one rule for what was stored on board and came down later (MC-XFER-056). */
function isDeferred({ headers }: Pick<StreamMessage, 'headers'>): boolean {
  return headers[header.delivery] === 'deferred';
}

function withoutFiles({ files: _files, ...batch }: ValueBatch): ValueBatch {
  return batch;
}

/** The owner of a target, which does nothing before `start()`. */
export function createTelemetryOwner(options: TelemetryOwnerOptions): TelemetryOwner {
  return new Owner(options);
}

class Owner implements TelemetryOwner {
  readonly counts: TelemetryCounts = { published: 0, skipped: 0 };
  readonly #options: TelemetryOwnerOptions;
  readonly #log: Log;
  readonly #appends: OrderedAppend;
  readonly #publisher: ValuePublisher;
  readonly #checkpoints: CheckpointWriter;
  readonly #platforms: KnownPlatforms;
  readonly #timer: DueTimer;
  readonly #forget: () => void;
  readonly #values = new OwnedValues();
  readonly #derivation: Derivation;
  #atHead = false;
  /** Once the checkpoint is taken up: before, a catalogue needs no filling of its own. */
  #started = false;
  #lost = false;
  #stopped = false;
  readonly #reported = new Set<string>();

  constructor(options: TelemetryOwnerOptions) {
    const { bus, missions, target, epoch, clock } = options;
    this.#options = options;
    this.#log = options.log.child({ target });
    this.#appends = new OrderedAppend({
      bus,
      stream: streams.values,
      clock,
      log: this.#log,
      holds: options.holds,
    });
    this.#checkpoints = new CheckpointWriter({
      bus,
      target,
      epoch,
      clock,
      log: this.#log,
      files: () => this.#values.store?.files,
      state: () => {
        const columns = this.#values.store?.snapshot();
        return columns && { epoch, positions: this.#publisher.positions, columns };
      },
      lost: () => this.#lose(),
    });
    this.#publisher = new ValuePublisher({
      target,
      epoch,
      appends: this.#appends,
      revision: () => missions.current?.revision,
      stored: (values, platform) => {
        this.counts.published += 1;
        this.#values.apply(values, platform);
      },
      moved: () => this.#checkpoints.changed(),
      settled: () => this.#timer.arm(),
      refused: () => this.#lose(),
    });
    this.#platforms = new KnownPlatforms(missions, clock);
    this.#derivation = new Derivation({
      log: this.#log,
      values: () => this.#values.store,
      fill: (filled, isWanted) => this.#fill(filled, isWanted),
      changed: () => this.#timer.arm(),
    });
    this.#timer = new DueTimer({ clock, due: () => this.#due(), fire: () => this.#publishDue() });
    this.#forget = missions.onChange((mission) => this.#takeUp(mission));
  }

  async start(): Promise<FollowFrom> {
    const { bus, target, epoch } = this.#options;
    const [checkpoint, last] = await Promise.all([
      this.#checkpoints.load(),
      bus.last(streams.values, subject.values(target)),
    ]);
    this.#started = true;
    const lost = await decodedLostSince(bus, this.#log, checkpoint, last);
    if (checkpoint !== undefined) {
      // A later epoch while the target is left to this one is of a past that is gone, as its owner is.
      if (checkpoint.epoch > epoch && this.#options.holds?.() !== true) this.#lose();
      this.#values.restore(checkpoint.columns);
    }
    const mayHaveFiles = this.#values.store === undefined || this.#values.hasDirectory;
    const directory = mayHaveFiles ? await this.#checkpoints.loadFiles() : undefined;
    if (directory !== undefined) this.#values.restoreFiles(directory.parts);
    this.#publisher.begin(checkpoint?.positions, last);
    await this.#goOn(last);
    if (lost !== undefined) return this.#publisher.goOnFrom(lost);
    const decoded = this.#publisher.goOn(last);
    return checkpoint === undefined ? { from: 'start' } : { from: 'seq', seq: decoded + 1 };
  }

  handle(message: StreamMessage): void | Promise<void> {
    if (this.#derivation.filling !== undefined)
      return this.#derivation.filling.then(() => this.handle(message));
    if (this.#lost || this.#stopped) return;
    this.#atHead = message.pending === 0;
    if (this.#publisher.has(message.seq)) return this.#publisher.pass(message.seq, () => this.#stopped);
    const read = readBatch<DecodedBatch>(message.data, () => this.#warnReport(message.seq));
    if (read === undefined) return this.#skip('no-batch', { seq: message.seq }, 'malformed batch, left out');
    const decoded = withReadableFiles(read, (sample, why) => this.#warnFile(sample, why, message.seq));
    const batch = groundDated(decoded, message.at);
    if (batch !== decoded) {
      const fields = { link: decoded.link, seq: message.seq, stored: new Date(message.at).toISOString() };
      this.#warnOnce(`ahead ${decoded.link}`, fields, 'ground times far ahead: the time of storing is used');
    }
    const { platform } = this.#values;
    if (platform?.digest !== batch.platform) return this.#handleForeign(message, batch);
    return this.#handleOwn(message, batch, platform);
  }

  caughtUp(): void {
    this.#atHead = true;
    this.#timer.arm();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#forget();
    this.#timer.stop();
    this.#platforms.stop();
    await this.#appends.stop();
    if (!this.#lost) await this.#checkpoints.stop();
  }

  /** O3. */
  async #handleForeign(message: StreamMessage, batch: DecodedBatch): Promise<void> {
    const revision = message.headers[header.config];
    const known = this.#platforms.get(batch.platform);
    const made = known ?? (await this.#platforms.find(batch.platform, revision, CATALOGUE_WAIT_MS));
    await this.#derivation.filling;
    const { platform } = this.#values;
    if (made !== undefined && platform !== undefined && fitsPlatform(batch.blocks, made.measures.length)) {
      return this.#handleOwn(message, mapBatch(batch, made, platform), platform);
    }
    this.#skip(batch.platform, { platform: batch.platform }, 'samples of an unknown catalogue, left out');
    // Files mean the same in every catalogue.
    const deferred = isDeferred(message);
    if (platform !== undefined && batch.files !== undefined) {
      const files = this.#withFiles({ ...batch, platform: platform.digest, blocks: [], deferred });
      await this.#publisher.publish(message, files, platform);
    } else if (batch.reports.length > 0) {
      await this.#publisher.publish(message, withoutFiles({ ...batch, blocks: [], deferred }), made);
    }
  }

  #handleOwn(message: StreamMessage, batch: DecodedBatch, platform: Platform): void | Promise<void> {
    if (!fitsPlatform(batch.blocks, platform.measures.length)) {
      return this.#skip('no-batch', { seq: message.seq }, 'batch does not fit its catalogue, left out');
    }
    const deferred = isDeferred(message);
    const calibrated = calibrateBatch(batch, platform, deferred);
    if (!deferred && this.#derivation.compute !== undefined) this.#turn(earliestGround(calibrated.blocks));
    const samples = this.#withFiles(this.#marked(calibrated));
    const derived = this.#derivation.compute?.apply(samples) ?? samples;
    return this.#publisher.publish(
      message,
      this.#values.markedFrom(derived, samples.blocks.length),
      platform,
    );
  }

  /** O8 */
  #marked(batch: ValueBatch): ValueBatch {
    const marked = this.#values.marked(batch);
    if (marked === batch) return batch;
    const older = marked.blocks.some(({ superseded }) => superseded !== undefined);
    if (older) this.#warnOnce(`older ${batch.link}`, { link: batch.link }, OLDER);
    return marked;
  }

  /** O8, O9 */
  #withFiles(batch: ValueBatch): ValueBatch {
    if (batch.files === undefined) return batch;
    const { link, deferred } = batch;
    if (!this.#values.hasDirectory)
      this.#warnOnce('no-directory', { link }, 'files of a target without on-board directory, left out');
    const files = this.#values.currentFiles(batch.files, link, deferred);
    if (files.length < batch.files.length && this.#values.hasDirectory)
      this.#warnOnce(`older files ${link}`, { link }, OLDER_FILES);
    return files.length === 0 ? withoutFiles(batch) : { ...batch, files };
  }

  #warnReport(seq: number): void {
    this.#warnOnce('report', { seq }, 'report of a telecommand left out: it is malformed');
  }

  #warnFile({ file }: FileSample, why: string, seq: number): void {
    this.#warnOnce(`file ${why}`, { file: String(file), seq }, `sample of a file left out: ${why}`);
  }

  /** Publishes what time alone changed up to `limitMs`, one moment after the other (O5). */
  #turn(limitMs: number): void {
    const { holds = () => true } = this.#options;
    for (
      let turned = this.#derivation.compute?.turn(limitMs);
      turned;
      turned = this.#derivation.compute?.turn(limitMs)
    ) {
      if (!holds()) return this.#lose();
      this.#publishTurned(turned);
    }
  }

  /** When the clock has to be looked at: at the head of the stream, when everything has been stored. */
  #due(): number | undefined {
    const ends = this.#lost || this.#stopped;
    const waits = this.#atHead && this.#appends.idle && this.#derivation.filling === undefined && !ends;
    return waits ? this.#derivation.compute?.deadline() : undefined;
  }

  #publishDue(): void {
    const turned = this.#derivation.compute?.turn(this.#options.clock.now());
    if (turned !== undefined) this.#publishTurned(turned, this.#publisher.tail);
    this.#timer.arm();
  }

  #publishTurned({ at, batch: turned }: Turned, tail?: number): void {
    const batch = this.#values.markedFrom(turned, 0);
    this.#publisher.publishTurned(at, batch, this.#derivation.compute?.platform, tail);
  }

  /**
   * Makes everything what it was for the owner before: up to the checkpoint, then by what that one published behind it.
   */
  async #goOn(last: StreamMessage | undefined): Promise<void> {
    const { bus, target, clock } = this.#options;
    const { values: position } = this.#publisher.positions;
    const { store } = this.#values;
    if (store !== undefined && position > 0)
      await rebuild({
        bus,
        target,
        values: store,
        position,
        atMs: last?.at ?? clock.now(),
        compute: () => this.#derivation.compute,
        read: (message) => readBack(message, this.#platforms, () => this.#derivation.compute?.platform),
      });
    await this.#publisher.readTail(bus, (message) => this.#takeBack(message));
    const { store: filled } = this.#values;
    if (filled === undefined) return;
    this.#values.noteCurrent();
    this.#derivation.compute?.restore(filled);
    this.#derivation.compute?.resume();
  }

  /** published-tail.U1 */
  async #takeBack(message: StreamMessage): Promise<void> {
    const found = await readBack(message, this.#platforms, () => this.#values.platform);
    if (found === undefined) return;
    this.#values.store?.apply(found.batch);
    this.#derivation.compute?.learn(found.batch, found.turnedMs);
  }

  #takeUp(mission: Mission): void {
    const platform = mission.targets.get(this.#options.target)?.platform;
    if (platform === undefined || platform.digest === this.#values.platform?.digest) return;
    this.#derivation.begin(platform, this.#values.takeUp(platform), this.#started);
  }

  /** O6. Fills a computation from what is published, once what is under way is stored; false where it is not wanted. */
  async #fill(filled: Compute, isWanted: () => boolean): Promise<boolean> {
    const { bus, target, clock } = this.#options;
    const { platform } = filled;
    await this.#appends.drained();
    const last = await bus.last(streams.values, subject.values(target));
    const values = this.#values.store;
    if (values === undefined || !isWanted() || this.#stopped) return false;
    const read = (message: StreamMessage) => readBack(message, this.#platforms, () => platform);
    const atMs = last?.at ?? clock.now();
    await rebuild({ bus, target, values, position: this.#publisher.tail, atMs, read, compute: () => filled });
    return isWanted();
  }

  #skip(kind: string, fields: object, message: string): void {
    this.counts.skipped += 1;
    this.#warnOnce(kind, fields, message);
  }

  #warnOnce(kind: string, fields: object, message: string): void {
    if (this.#reported.has(kind)) return;
    this.#reported.add(kind);
    this.#log.warn(fields, message);
  }

  #lose(): void {
    this.#lost = true;
    this.#log.warn({ epoch: this.#options.epoch }, 'a later owner took over the target');
    void this.#appends.stop();
    this.#options.lost?.();
  }
}
