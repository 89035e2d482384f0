/**
 * What a cursor asks the server for: how much at once, for how long, and where it stands with it.
 *
 * K1. A pull is followed by a new one long before it expires. A message that meets an expired pull makes nats-server
 *     2.9 drop the pull without a word, and nothing is delivered until somebody pulls again.
 * K2. The replay of the last values is pulled without a limit in bytes: nats-server 2.9 leaves out the message that
 *     exceeds it, for good. Fewer messages at a time keep the bytes in bounds.
 * K3. Each pull has an inbox of its own, so that the end of an older one is not taken for the end of the newest.
 */

import type { Standing } from './asset.ts';

/** What a reader waits for in one pull; at 200,000 messages per second still a small gap between two pulls. */
const PREFETCH_MESSAGES = 512;
/** Holds two of the largest messages the bus takes, so that one always fits. */
const PREFETCH_BYTES = 16 * 1024 * 1024;
/** What a replay of last values asks for at once, by the mean of their sizes: an eighth of what the server buffers. */
const REPLAY_BYTES = 8 * 1024 * 1024;
const REPLAY_MESSAGES_LEAST = 8;

/** The times a pull lives by. */
export interface Pace {
  readonly expiresMs: number;
  /** Age at which a pull is followed by a new one; the rest until it expires is for a process that is late. */
  readonly renewMs: number;
  /** The server says that it is alive when it has nothing else to say. */
  readonly heartbeatMs: number;
  /** Two heartbeats missed: the consumer is gone, although the connection stands. */
  readonly silenceMs: number;
  /** How often `tend` is called. */
  readonly tendMs: number;
  /** The question for a consumer is asked again so much later, beside the one that is not answered. */
  readonly createAgainMs: number;
}

export const PACE: Pace = {
  expiresMs: 30_000,
  renewMs: 15_000,
  heartbeatMs: 2_000,
  silenceMs: 5_000,
  tendMs: 1_000,
  createAgainMs: Number.POSITIVE_INFINITY,
};

/**
 * In a cluster a consumer goes with its server, while the connection stands and the stream has its leader: with few
 * readers that is noticed sooner than the next election is over.
 */
const FEW_READERS = 200;
const WATCHFUL_HEARTBEAT_MS = 1_000;
/** A consumer is made within milliseconds, of few; those of many wait their turn. */
const CREATE_AGAIN_MS = 400;

/** A process of some hundred targets has so many readers. */
const MANY_READERS = 500;
/** What is silent is still noticed within ten seconds, and before the pull is renewed. */
const SLOWEST = 2;

/**
 * The times of each of so many readers. Two thousand targets have more than four thousand: what the server says of
 * itself to each of them every two seconds would be most of what both do while nothing happens (decision 55).
 */
export function paceOf(pace: Pace, readers: number): Pace {
  const slower = Math.min(SLOWEST, Math.max(1, readers / MANY_READERS));
  if (slower === 1) return pace;
  const heartbeatMs = pace.heartbeatMs * slower;
  return { ...pace, heartbeatMs, silenceMs: pace.silenceMs + 2 * (heartbeatMs - pace.heartbeatMs) };
}

/** The same for a stream with copies on several servers. */
export function watchfulPaceOf(pace: Pace, readers: number): Pace {
  const createAgainMs = CREATE_AGAIN_MS * Math.max(1, readers / FEW_READERS);
  if (readers > FEW_READERS || pace.heartbeatMs <= WATCHFUL_HEARTBEAT_MS)
    return { ...paceOf(pace, readers), createAgainMs };
  const heartbeatMs = WATCHFUL_HEARTBEAT_MS;
  const silenceMs = pace.silenceMs - 2 * (pace.heartbeatMs - heartbeatMs);
  return { ...pace, heartbeatMs, silenceMs, createAgainMs };
}

/** What one pull asks for. */
export interface PullRequest {
  readonly batch: number;
  readonly max_bytes?: number;
}

/** One consumer on the server and the newest pull from it. */
export interface PullConsumer {
  readonly name: string;
  readonly inbox: string;
  readonly request: PullRequest;
  delivery: number;
  /** Count of the pulls sent. */
  pulls: number;
  /** Messages still to come from the newest pull; 0: it is over. */
  awaited: number;
  pulledAt: number;
  lastReceivedAt: number;
}

/** A consumer that nothing was pulled from yet. */
export function newPullConsumer(name: string, inbox: string, request: PullRequest): PullConsumer {
  return { name, inbox, request, delivery: 0, pulls: 0, awaited: 0, pulledAt: 0, lastReceivedAt: 0 };
}

/** Where the newest pull is answered. */
export function inboxOf({ inbox, pulls }: PullConsumer): string {
  return `${inbox}.${pulls}`;
}

/** What to ask for at once of a stream as it stands, by the policy of its consumer. */
export function pullRequestFor(policy: string, { meanBytes }: Standing): PullRequest {
  if (policy !== 'last_per_subject') return { batch: PREFETCH_MESSAGES, max_bytes: PREFETCH_BYTES };
  const fitting = Math.floor(REPLAY_BYTES / Math.max(1, meanBytes));
  return { batch: Math.min(PREFETCH_MESSAGES, Math.max(REPLAY_MESSAGES_LEAST, fitting)) };
}
