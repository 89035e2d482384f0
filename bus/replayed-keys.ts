/**
 * Which keys a replay of last values has still to tell, while they go on being written.
 *
 * L1. A key that is replaced before the replay has come to it is reported behind all others. nats-server 2.9 then
 *     counts what is pending wrongly, too high or too low for good: neither that count nor the place reached says that
 *     every key was reported.
 * L2. Keys that came as they stood before the replay began are counted, each once: while keys are replaced the server
 *     delivers some of them twice. Where all keys came so, which is nearly always, nothing else is asked; otherwise the
 *     names of the stream decide.
 */

import type { JetStream } from './jetstream.ts';
import type { Position } from './message.ts';

export class ReplayedKeys {
  readonly #expected: number;
  readonly #headSeq: number;
  /** Whether the names were asked for. */
  namesAsked = false;
  readonly #seen = new Set<string>();
  #unreplaced = 0;
  #owed: Set<string> | undefined;

  /** For so many keys, of a stream that ended at `headSeq` before they were counted. */
  constructor(expected: number, headSeq: number) {
    this.#expected = expected;
    this.#headSeq = headSeq;
  }

  /** A subject was delivered. */
  delivered(subject: string, { seq }: Position): void {
    if (seq <= this.#headSeq && !this.#seen.has(subject)) this.#unreplaced += 1;
    this.#seen.add(subject);
    this.#owed?.delete(subject);
  }

  /** Whether every key was reported. */
  get complete(): boolean {
    return this.#unreplaced === this.#expected || this.#owed?.size === 0;
  }

  /** Takes the names there are. A later call forgives those that are gone. */
  expectOnly(subjects: readonly string[]): void {
    this.#owed = new Set(subjects.filter((name) => !this.#seen.has(name)));
  }
}

interface Subjects {
  readonly total?: number;
  readonly state: { readonly subjects?: Readonly<Record<string, number>> };
}

/** The subjects of a stream that match; rejects with `ApiError` or an outage. */
export async function subjectsOf(
  jetstream: JetStream,
  { stream, filter }: { readonly stream: string; readonly filter: string },
  timeoutMs: number,
): Promise<string[]> {
  const subjects: string[] = [];
  for (;;) {
    const body = { subjects_filter: filter, offset: subjects.length };
    const { total = 0, state } = await jetstream.ask<Subjects>(`STREAM.INFO.${stream}`, body, timeoutMs);
    const page = Object.keys(state.subjects ?? {});
    subjects.push(...page);
    if (page.length === 0 || subjects.length >= total) return subjects;
  }
}
