/**
 * The way between bus and spacecraft, in the place of executor, driver, gateway and decoder: telecommands of transfers
 * are carried out in their order and reported as an executor reports them, what comes down becomes chunks and listings
 * as a decoder makes them. Mission Control Service, sections 3.1 and 4.7 rule 3.
 *
 * E1. What a run may not send any more, and what is sent to a target that another run holds, is REJECTED (A-09,
 *     decision 21).
 * E2. While the executor or the decoder is dead nothing of it happens; behind that it goes on where it was, and the
 *     decoder does its last work again.
 * E3. Where the gateway says that its link is down nothing leaves and nothing arrives.
 */

import type { DecodedBatch, FileSample } from '../../../contract/batch.ts';
import { encodeBatch } from '../../../contract/batch.ts';
import { header } from '../../../contract/bus/headers.ts';
import { streams } from '../../../contract/bus/streams.ts';
import { subject } from '../../../contract/bus/subjects.ts';
import { chunkHeaders, type FileChunk } from '../../../contract/file-chunk.ts';
import { blockingHolders, type Holder } from '../../../contract/target-holds.ts';
import type { TcSubmission } from '../../../contract/telecommand.ts';
import type { TcState } from '../../../contract/telecommand-state.ts';
import { load } from '../../../mission/load.ts';
import type { Mission } from '../../../mission/mission.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Chance } from '../chance.ts';
import type { Published } from '../mission.ts';
import { bodyOf } from '../run-history.ts';
import type { TwinServer } from '../twin/server.ts';
import type { StoredMessage } from '../twin/stored-stream.ts';
import type { Board } from './board.ts';
import type { FileTarget } from './mission.ts';
import type { Radio } from './moving.ts';
import type { Outbox } from './outbox.ts';

const EXECUTOR_MS = 8;
const LIGHT_MS = 20;
const REPORT_MS = 60;
/** A telecommand without a report. */
const VERIFY_MS = 20_000;
/** Bytes of a packet beside those of the file. */
const PACKET_BYTES = 30;

interface GroundOptions {
  readonly clock: Clock;
  readonly server: TwinServer;
  readonly outbox: Outbox;
  readonly mission: Published;
  readonly chance: Chance;
  /** As it is now: without any fault once it is calm. */
  readonly radio: () => Radio;
  readonly boardOf: (target: FileTarget) => Board;
  /** Whether frames leave and arrive. */
  readonly isLinked: (target: FileTarget) => boolean;
  readonly holdersOf: (target: FileTarget) => readonly Holder[];
}

export class Ground {
  readonly #options: GroundOptions;
  readonly #mission: Mission;
  readonly #dead = new Map<'executor' | 'decoder', number>();
  readonly #untaken: StoredMessage[] = [];
  readonly #undecoded: (() => void)[] = [];
  /** The last work of the decoder. */
  readonly #decoded: (() => void)[] = [];
  /** Bytes that came down from each target. */
  readonly received = new Map<FileTarget, number>();
  /** When the last packet of each target is down. */
  readonly #downAt = new Map<FileTarget, number>();
  #frames = 0;

  constructor(options: GroundOptions) {
    this.#options = options;
    this.#mission = load(options.mission.configuration, options.mission.revision);
    options.server.stream(streams.telecommands).onStored((message) => this.#submitted(message));
  }

  // E2 ---------------------------------------------------------------------------------------------------------------

  dies(which: 'executor' | 'decoder'): void {
    this.#dead.set(which, (this.#dead.get(which) ?? 0) + 1);
  }

  lives(which: 'executor' | 'decoder', again = 0): void {
    const left = (this.#dead.get(which) ?? 1) - 1;
    this.#dead.set(which, left);
    if (left > 0) return;
    if (which === 'executor') for (const message of this.#untaken.splice(0)) this.#take(message);
    else {
      for (const decode of this.#decoded.slice(this.#decoded.length - again)) decode();
      for (const decode of this.#undecoded.splice(0)) this.#decode(decode);
    }
  }

  #decode(decode: () => void): void {
    if ((this.#dead.get('decoder') ?? 0) > 0) return void this.#undecoded.push(decode);
    this.#decoded.push(decode);
    if (this.#decoded.length > 10) this.#decoded.shift();
    decode();
  }

  // Telecommands -----------------------------------------------------------------------------------------------------

  #submitted(message: StoredMessage): void {
    if ((this.#dead.get('executor') ?? 0) > 0) this.#untaken.push(message);
    else this.#after(EXECUTOR_MS, () => this.#take(message));
  }

  #take(message: StoredMessage): void {
    const submission = bodyOf<TcSubmission>(message);
    const target = submission.target as FileTarget;
    const { chance, radio, isLinked } = this.#options;
    // Drawn whatever happens: what fails does not move what comes behind.
    const [fails, how, isLost, isDoubled] = [chance.next(), chance.next(), chance.next(), chance.next()];
    this.#say(submission, 'PENDING');
    if (!this.#mayLeave(submission)) return this.#say(submission, 'REJECTED');
    if (fails < radio().failing) return this.#say(submission, how < 0.5 ? 'ENCODE_FAILED' : 'SEND_FAILED');
    if (!isLinked(target)) return this.#say(submission, 'SEND_FAILED');
    this.#after(EXECUTOR_MS, () => {
      this.#say(submission, 'SENT');
      if (isLost < radio().loss) return this.#after(VERIFY_MS, () => this.#say(submission, 'VERIFY_TIMEOUT'));
      this.#after(LIGHT_MS, () => this.#execute(submission, true));
      if (isDoubled < radio().doubling) this.#after(2 * LIGHT_MS, () => this.#execute(submission, false));
    });
  }

  /** E1 */
  #mayLeave({ target, telecommand, run }: TcSubmission): boolean {
    const holders = this.#options.holdersOf(target as FileTarget);
    const isHeld = holders.some((holder) => holder.run === run && holder.leaving !== true);
    if (run !== undefined && !isHeld) return false;
    return blockingHolders(holders, telecommand === 'write', run).length === 0;
  }

  #execute(submission: TcSubmission, isReported: boolean): void {
    const { target: name, telecommand, instance = '', args } = submission;
    const target = name as FileTarget;
    const board = this.#options.boardOf(target);
    const offset = Number(args['offset']);
    let isDone = true;
    if (telecommand === 'read') {
      const read = board.files.read(Number(instance), offset, Number(args['length']));
      isDone = read !== undefined;
      if (read !== undefined && !board.files.faults.has('no_chunks'))
        this.down(target, { file: instance, generation: read.generation, offset, data: read.bytes });
    } else {
      const bytes = Buffer.from(String(args['data']), 'hex');
      isDone = board.write(instance, Number(args['generation'] ?? 0), offset, bytes);
    }
    if (!isReported) return;
    const { chance, radio, isLinked } = this.#options;
    const isLost = chance.next() < radio().loss || !isLinked(target);
    if (isLost) this.#after(VERIFY_MS, () => this.#say(submission, 'VERIFY_TIMEOUT'));
    else this.#after(REPORT_MS, () => this.#say(submission, isDone ? 'VERIFIED' : 'VERIFY_FAILED'));
  }

  #say({ id, target }: TcSubmission, state: TcState): void {
    const { clock, outbox } = this.#options;
    const event = { tc: id, state, at: new Date(clock.now()).toISOString() };
    const data = Buffer.from(JSON.stringify(event));
    outbox.append(streams.telecommandEvents, {
      subject: subject.tcEvent(target, id),
      data,
      id: `${id}.${state}`,
    });
  }

  // What comes down --------------------------------------------------------------------------------------------------

  /** A part of a file, one behind the other as fast as the link is. */
  down(target: FileTarget, chunk: FileChunk): void {
    const { clock, chance, radio } = this.#options;
    const { loss, doubling, jitterMs, rate } = radio();
    const bytes = chunk.data.length + PACKET_BYTES;
    const at = Math.max(clock.now(), this.#downAt.get(target) ?? 0) + (bytes * 8_000) / rate;
    this.#downAt.set(target, at);
    const [isLost, isDoubled, late, later] = [chance.next(), chance.next(), chance.next(), chance.next()];
    const arrive = (): void => this.#arrived(target, chunk);
    if (isLost >= loss) this.#after(at - clock.now() + LIGHT_MS + jitterMs * late ** 3, arrive);
    if (isDoubled < doubling) this.#after(at - clock.now() + LIGHT_MS + jitterMs * later + 50, arrive);
  }

  /** When the link has carried what is on its way, ms since 1970. */
  freeAt(target: FileTarget): number {
    return this.#downAt.get(target) ?? 0;
  }

  #arrived(target: FileTarget, chunk: FileChunk): void {
    if (!this.#options.isLinked(target)) return;
    this.received.set(target, (this.received.get(target) ?? 0) + chunk.data.length + PACKET_BYTES);
    this.#frames += 1;
    const id = `frame-${this.#frames}`;
    this.#decode(() =>
      this.#options.outbox.append(streams.fileChunks, {
        subject: subject.fileChunk(target, chunk.file),
        data: chunk.data,
        headers: { ...chunkHeaders(chunk), [header.config]: this.#mission.revision },
        id,
      }),
    );
  }

  /** A listing, made now and received later. */
  list(target: FileTarget, lateMs: number): void {
    const { clock, boardOf, outbox } = this.#options;
    const listed = boardOf(target).listing();
    const onboard = clock.now();
    this.#frames += 1;
    const id = `listing-${this.#frames}`;
    this.#after(lateMs + LIGHT_MS, () => {
      const ground = clock.now();
      this.#decode(() => {
        const files = listed.map((each): FileSample => ({ ...each, ground, onboard }));
        const platform = this.#mission.targets.get(target)!.platform!.digest;
        const batch: DecodedBatch = { platform, link: 'uhf', blocks: [], reports: [], files };
        outbox.append(streams.decoded, {
          subject: subject.decoded(target),
          data: encodeBatch(batch),
          headers: { [header.config]: this.#mission.revision },
          id,
        });
      });
    });
  }

  #after(ms: number, act: () => void): void {
    this.#options.clock.setTimeout(act, ms);
  }
}
