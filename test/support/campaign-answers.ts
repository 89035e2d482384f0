/**
 * Whether answers to runs that were acknowledged stand in the logs of their runs, taken or refused. Mission Control
 * Service, section 4.2 rule 6. It compares positions of the stream of answers with those that the logs name.
 *
 * W1. An answer that is stored and in no log is lost, unless its run was over when it came: then nothing stored behind
 *     it is in the log either, and the run ended within the time that its owner may have been behind.
 */

/** An answer as its stream has it. */
export interface StoredAnswer {
  readonly position: number;
  /** When the bus stored it, in ms since 1970. */
  readonly at: number;
}

export interface AnsweredRun {
  readonly run: string;
  /** How many of its answers were acknowledged. */
  readonly acknowledged: number;
  /** In order of position. */
  readonly stored: readonly StoredAnswer[];
  /** Positions of answers that its log names. */
  readonly logged: ReadonlySet<number>;
  /** When its log ended, in ms since 1970; undefined while it has not. */
  readonly finishedAt: number | undefined;
}

/** A server away, an election and a takeover: for that long an owner may read no answers while its run goes on. */
const BEHIND_MS = 30_000;

/** Of each answer that is lost: which, and what is known of it. */
export function lostAnswers({ run, acknowledged, stored, logged, finishedAt }: AnsweredRun): string[] {
  const lost = stored
    .filter(({ position }) => !logged.has(position))
    .filter(({ position, at }) => {
      const isPassed = stored.some((other) => other.position > position && logged.has(other.position));
      return isPassed || finishedAt === undefined || at < finishedAt - BEHIND_MS;
    });
  const faults = lost.map(({ position, at }) => {
    const end = finishedAt === undefined ? 'which is open' : `which ended ${finishedAt - at} ms later`;
    return `${run}: the answer at position ${position} is not in the log, ${end}`;
  });
  if (stored.length >= acknowledged) return faults;
  return [...faults, `${run}: ${acknowledged} answers acknowledged, ${stored.length} stored`];
}
