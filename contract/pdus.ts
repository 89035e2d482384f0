/**
 * Verb `pdus` of a gateway: frames that carry PDUs of files (JSON, request and reply; ours). They are no telecommands:
 * each may be lost, and the protocol above sends it again.
 *
 * U1. They leave one at a time, and never more than one of them stands before a telecommand.
 * U2. None is remembered: what a gateway knows of telecommands is not pushed out by a thousand PDUs a second.
 * U3. Their epochs are those of the worker that has the files of the gateway's group, and say nothing about
 *     telecommands. A group of another name has epochs of its own: another mission may group gateways otherwise.
 */

import { oneOf, readReply, textIn } from './reply.ts';

export interface PdusCall {
  readonly target: string;
  /** Of gateways, whose files the worker has (U3). */
  readonly group: string;
  /** Of the worker: a gateway refuses one below the highest that it has seen of that group. */
  readonly epoch: number;
  /** Tells these frames from others in `mcs.gw.sent.<gateway>`. */
  readonly key: string;
  /** Hexadecimal, in the order in which they leave. */
  readonly frames: readonly string[];
  /** What has not left by then (ms since 1970) does not leave any more. */
  readonly notAfter: number;
}

export type PdusReply =
  | { readonly outcome: 'sent'; readonly frames: number }
  /** Those before the first that was refused have left. */
  | { readonly outcome: 'refused'; readonly frames: number; readonly detail: string };

/** What a gateway answered to `pdus`; undefined for a malformed reply. */
export function readPdusReply(bytes: Uint8Array): PdusReply | undefined {
  const reply = readReply(bytes);
  const outcome = reply && oneOf(reply, 'outcome', ['sent', 'refused']);
  const frames = reply?.frames;
  if (reply === undefined || outcome === undefined || !Number.isSafeInteger(frames)) return undefined;
  if (outcome === 'sent') return { outcome, frames: frames as number };
  const detail = textIn(reply, 'detail');
  return detail === undefined ? undefined : { outcome, frames: frames as number, detail };
}
