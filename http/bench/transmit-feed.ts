/**
 * `/ws/transmit`: packets from a client, one a message, and an answer to each. RF Bench Service, section 6 and section
 * 4, rule 11; the messages are not shown there.
 *
 * X1. Answers come in the order of the messages, one for each, whatever becomes of it.
 * X2. At most `TRANSMIT_FEED_WAITING` packets wait for the board: further ones are refused in their turn. A client that
 *     goes on sending without waiting for answers is closed with 4429 (http/follow.F7).
 */

import { Compile } from 'typebox/compile';
import { BLOCK_BYTES, type Framing, TransmitPacket } from '../../contract/bench/datapath.ts';
import type { BenchFault } from '../../contract/bench/errors.ts';
import { TransmitFeedAnswer } from '../../contract/bench/transmit-feed.ts';
import {
  TRANSMIT_FEED_MESSAGE_BYTES,
  TRANSMIT_FEED_UNANSWERED,
  TRANSMIT_FEED_WAITING,
} from '../../contract/limits/bench.ts';
import { accepted } from '../../contract/result.ts';
import { closeCode, type FollowSource, type FollowWriter } from '../follow.ts';
import { readJsonBody } from '../json-body.ts';
import { type AnyFault, type Handled, type Refusal, refusal } from '../reply.ts';
import { benchDialect } from './dialect.ts';
import { integerInQuery, wordInQuery } from './parameters.ts';
import type { BenchPorts } from './ports.ts';
import { type BenchFollow, defineBenchFollow } from './route.ts';

const validator = Compile(TransmitPacket);

export const transmitFeed: BenchFollow = defineBenchFollow({
  path: '/ws/transmit',
  operationId: 'feedPackets',
  summary: 'Packets for the air, one a message',
  description:
    'A packet that the chain cannot carry is refused as `POST /api/v1/datapath/transmit` refuses it; nothing is conditioned. ' +
    `At most ${TRANSMIT_FEED_WAITING} packets wait for the board; wait for answers before sending more.`,
  tag: 'Datapath',
  query: {
    framing: wordInQuery(['stream', 'slot'], 'How packets are laid into blocks; default `stream`.'),
    slot_len: integerInQuery('Bytes of a slot; with `framing=slot`, and needed there.', 1, BLOCK_BYTES),
  },
  policy: 'log',
  message: TransmitFeedAnswer,
  takes: {
    maxBytes: TRANSMIT_FEED_MESSAGE_BYTES,
    message: {
      ...TransmitPacket,
      title: 'TransmitPacket',
      examples: [{ protocol: 'raw', payload_hex: 'deadbeef' }],
    },
    description: 'A text message is one TransmitPacket; a binary one is the bytes of a raw packet.',
  },
  errors: [],
  open({ query }, ports, writer) {
    const framing = framingOf(query);
    return framing.ok ? accepted(new PacketFeed(framing.value, ports, writer)) : framing;
  },
});

interface FramingQuery {
  readonly framing: 'stream' | 'slot' | undefined;
  readonly slot_len: number | undefined;
}

function framingOf({ framing = 'stream', slot_len }: FramingQuery): Handled<Framing, BenchFault> {
  if (framing === 'stream') {
    return slot_len === undefined
      ? accepted({ mode: 'stream' })
      : refusal('validation_failed', 'slot_len needs framing=slot', {
          help: 'Give framing=slot, or no slot_len.',
        });
  }
  if (slot_len !== undefined) return accepted({ mode: 'slot', slot_len });
  return refusal('validation_failed', 'framing=slot needs slot_len', { help: 'Give slot_len=<bytes>.' });
}

class PacketFeed implements FollowSource {
  readonly #framing: Framing;
  readonly #ports: BenchPorts;
  readonly #writer: FollowWriter;
  #waiting: Handled<TransmitPacket, AnyFault>[] = [];
  #answered = 0;
  #feeding = false;

  constructor(framing: Framing, ports: BenchPorts, writer: FollowWriter) {
    this.#framing = framing;
    this.#ports = ports;
    this.#writer = writer;
  }

  take(message: Buffer, isBinary: boolean): void {
    const waiting = this.#waiting.length;
    if (waiting >= TRANSMIT_FEED_UNANSWERED) {
      this.#waiting = [];
      this.#writer.finish(closeCode.tooManyWaiting, 'too many messages without an answer');
      return;
    }
    this.#waiting.push(waiting >= TRANSMIT_FEED_WAITING ? tooMany() : readPacket(message, isBinary));
    if (!this.#feeding) this.#feed().catch((error: unknown) => this.#failed(error));
  }

  async stop(): Promise<void> {
    this.#waiting = [];
  }

  /** One at a time, so that what waits is bounded here and not behind the board (X1, X2). */
  async #feed(): Promise<void> {
    this.#feeding = true;
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const outcome = next.ok ? await this.#ports.bench.datapath.feed(next.value, this.#framing) : next;
      this.#waiting.shift();
      this.#answered += 1;
      const answer: TransmitFeedAnswer = outcome.ok
        ? { seq: this.#answered, accepted: true, pending_bytes: outcome.value.pendingBytes }
        : { seq: this.#answered, accepted: false, error: errorOf(outcome) };
      this.#writer.push(JSON.stringify(answer));
    }
    this.#feeding = false;
  }

  #failed(error: unknown): void {
    this.#waiting = [];
    this.#ports.log.error({ err: error }, 'a packet of a feed failed on a defect');
    this.#writer.finish(closeCode.internal, 'a defect in the service');
  }
}

function readPacket(message: Buffer, isBinary: boolean): Handled<TransmitPacket, AnyFault> {
  if (isBinary) return accepted({ protocol: 'raw', payload_hex: message.toString('hex') });
  const read = readJsonBody(message, validator, benchDialect.codes.invalid);
  return read.ok ? accepted(read.value as TransmitPacket) : read;
}

function tooMany(): Refusal<AnyFault> {
  return refusal('conflict', `${TRANSMIT_FEED_WAITING} packets are already waiting for the board`, {
    help: 'Wait for answers before sending more.',
  });
}

/** The error as the routes answer it. */
function errorOf(refused: Refusal<AnyFault>): NonNullable<TransmitFeedAnswer['error']> {
  return benchDialect.reply(refused).body as NonNullable<TransmitFeedAnswer['error']>;
}
