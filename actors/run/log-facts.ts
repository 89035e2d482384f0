/**
 * What the log of a run says beside the progress of its chart: what lists show of it, what may be under way, which
 * answers it has, and who wrote it. A fold of the log like the progress, and bounded. Mission Control Service, sections
 * 2.3 and 3.2.
 *
 * E1. Whoever holds the run carries it along with each event stored; what is kept of it beside the log stands for the
 *     events that are covered (`standing.ts`).
 */

import type { Program } from '../../contract/program.ts';
import type { RunSummary } from '../../contract/run.ts';
import { afterEvent, submittedRun } from '../../mission/procedure/run-status.ts';
import type { LoggedEvent } from './run-log.ts';
import { type OpenSending, Sendings } from './sendings.ts';

/** As it is kept. */
export interface RunFacts {
  readonly summary: RunSummary;
  readonly sendings: readonly OpenSending[];
  /** Position of the last answer in it; 0 for none. */
  readonly answered: number;
  /** Time of its first event. */
  readonly began: string | null;
  /** Fencing token of who wrote its last event, and the highest of all. */
  readonly epoch: number;
  readonly highestEpoch: number;
}

/** The run that a log is of, as its submission and its program say. */
export interface RunSubject {
  readonly run: string;
  readonly program: Program;
  readonly by: string | undefined;
}

export class LogFacts {
  readonly sendings: Sendings;
  #facts: Omit<RunFacts, 'sendings'>;

  constructor({ sendings, ...facts }: RunFacts) {
    this.#facts = facts;
    this.sendings = new Sendings([], sendings);
  }

  /** Of a log that has not begun. */
  static before({ run, program, by }: RunSubject): LogFacts {
    const summary = submittedRun(run, program, by);
    return new LogFacts({ summary, sendings: [], answered: 0, began: null, epoch: 0, highestEpoch: 0 });
  }

  note({ event, epoch, source = 0 }: Pick<LoggedEvent, 'event' | 'epoch' | 'source'>): void {
    const { summary, answered, began, highestEpoch } = this.#facts;
    this.#facts = {
      summary: afterEvent(summary, event),
      answered: Math.max(answered, source),
      began: began ?? event.at,
      epoch,
      highestEpoch: Math.max(highestEpoch, epoch),
    };
    this.sendings.note(event);
  }

  get summary(): RunSummary {
    return this.#facts.summary;
  }

  get now(): RunFacts {
    return { ...this.#facts, sendings: this.sendings.kept };
  }
}
