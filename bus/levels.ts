/**
 * How full streams are, and how far their durable consumers came, asked of the API of JetStream.
 *
 * L1. Nothing is made or changed by asking: a stream that is missing is missing.
 */

import { type ConsumerInfo, DiscardPolicy, type StreamInfo } from 'nats';
import { BUS_ATTEMPT_MS } from '../contract/limits/bus.ts';
import type { ConsumerLevel, StreamLevel, StreamLevels } from '../ports/stream-levels.ts';
import { checkFilter, checkName } from './address.ts';
import { identityOf } from './asset.ts';
import { ApiError, apiError, toOutage } from './fault.ts';
import type { JetStream } from './jetstream.ts';
import type { AccountInfo } from './room.ts';

/** JetStream counts ages in nanoseconds. */
const NS_PER_MS = 1_000_000;

interface StoredMessage {
  readonly message: { readonly seq: number; readonly time: string };
}

/** Asks once each; rejects with an outage. */
export function streamLevels(jetstream: JetStream, names: () => readonly string[]): StreamLevels {
  async function ask<Reply>(verb: string, body?: object): Promise<Reply | undefined> {
    try {
      return await jetstream.ask<Reply>(verb, body, BUS_ATTEMPT_MS);
    } catch (error) {
      if (error instanceof ApiError && error.is(apiError.noStream, apiError.noConsumer, apiError.noMessage))
        return undefined;
      throw toOutage(error, 'the bus');
    }
  }
  return {
    async stream(name) {
      const info = await ask<StreamInfo>(`STREAM.INFO.${checkName(name)}`);
      return info && levelOf(info);
    },
    async consumer(stream, name) {
      const info = await ask<ConsumerInfo>(`CONSUMER.INFO.${checkName(stream)}.${checkName(name)}`);
      return info && consumerOf(info);
    },
    async next(stream, filter, seq) {
      const body = { seq, next_by_subj: checkFilter(filter) };
      const stored = await ask<StoredMessage>(`STREAM.MSG.GET.${checkName(stream)}`, body);
      return stored && { seq: stored.message.seq, at: Date.parse(stored.message.time) };
    },
    async account() {
      const info = (await ask<AccountInfo>('INFO')) ?? {};
      jetstream.room.known(info);
      const { storage = 0, limits } = info;
      const most = limits?.max_storage ?? -1;
      return { bytes: storage, maxBytes: most > 0 ? most : undefined, isFull: jetstream.room.isAccountFull };
    },
    disk: () => jetstream.room.disk,
    message: () => jetstream.connection.largest,
    names,
    async removeConsumer(stream, name) {
      return (await ask(`CONSUMER.DELETE.${checkName(stream)}.${checkName(name)}`)) !== undefined;
    },
  };
}

function levelOf(info: StreamInfo): StreamLevel {
  const { config, state } = info;
  const { messages, bytes, first_seq, last_seq, first_ts, last_ts } = state;
  const holds = messages > 0;
  return {
    identity: identityOf(info),
    firstSeq: holds ? first_seq : last_seq + 1,
    lastSeq: last_seq,
    messages,
    bytes,
    firstAt: holds ? Date.parse(String(first_ts)) : undefined,
    lastAt: holds ? Date.parse(String(last_ts)) : undefined,
    maxBytes: config.max_bytes > 0 ? config.max_bytes : undefined,
    maxAgeMs: config.max_age / NS_PER_MS,
    ...sharesOf(config, messages, bytes),
  };
}

/** One that discards what is new is full when the next message, as large as the others, has no room. */
function sharesOf(
  { max_bytes, max_msgs, discard }: StreamInfo['config'],
  messages: number,
  bytes: number,
): Pick<StreamLevel, 'share' | 'isFull'> {
  const mean = messages === 0 ? 0 : bytes / messages;
  const shares = [
    ...(max_bytes > 0 ? [{ share: bytes / max_bytes, isFull: bytes + mean > max_bytes }] : []),
    ...(max_msgs > 0 ? [{ share: messages / max_msgs, isFull: messages >= max_msgs }] : []),
  ];
  if (shares.length === 0) return {};
  return {
    share: Math.min(1, Math.max(...shares.map(({ share }) => share))),
    isFull: discard === DiscardPolicy.New && shares.some(({ isFull }) => isFull),
  };
}

function consumerOf(info: ConsumerInfo): ConsumerLevel {
  const { filter_subject: filter, deliver_subject: pushed } = info.config;
  return {
    ackFloor: info.ack_floor.stream_seq,
    acked: info.ack_floor.consumer_seq,
    filter: filter === undefined || filter === '' ? undefined : filter,
    pending: info.num_pending,
    unacked: info.num_ack_pending,
    awaited: pushed === undefined ? info.num_waiting > 0 : info.push_bound === true,
  };
}
