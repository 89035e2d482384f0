/**
 * A run as its log has reported it so far: where each step stands, what is asked, whether it is suspended or over. The
 * log is the only source, so the picture of any moment is that of the log's beginning up to it. Mission Control
 * Service, sections 2.3 and 3.2. Pure.
 *
 * R1. `pending` and `suspended` agree with the status the service computes from the same events.
 * R2. A step that is begun again begins with everything in it.
 */

import type { RunEvent } from '../../contract/run-event.ts';
import type { AskedAnswer } from '../../contract/run-fields.ts';

export type StepState =
  | 'not begun'
  | 'running'
  | 'asking'
  | 'suspended'
  | 'passed'
  | 'failed'
  | 'skipped'
  /** The run ended in it. */
  | 'interrupted';

export interface StepPicture {
  readonly state: StepState;
  /** 0: not begun. */
  readonly attempt: number;
  /** Of this attempt, ms since 1970. */
  readonly begunAt?: number;
  readonly endedAt?: number;
  /** Why it failed, or what it asks. */
  readonly reason?: string;
}

export interface Pending {
  readonly kind: 'ask' | 'decision';
  readonly path: string;
  readonly prompt: string;
  readonly role?: string;
  /** The value asked for; absent: a yes or a no. */
  readonly answer?: AskedAnswer;
  /** Without an answer by then the step fails; ms since 1970. */
  readonly deadline?: number;
  /** Number of the event that asks. */
  readonly question: number;
  readonly at: number;
}

const NOT_BEGUN: StepPicture = { state: 'not begun', attempt: 0 };

export class RunPicture {
  /** Number of the last event. */
  seq = 0;
  /** Time of the last event; 0 before the first. */
  at = 0;
  started: (RunEvent & { event: 'started' }) | undefined;
  pending: Pending | undefined;
  suspended: { readonly path: string; readonly by: string; readonly at: number } | undefined;
  finished: { readonly ok: boolean; readonly reason?: string; readonly at: number } | undefined;
  /** Path of the step begun or asked about last. */
  current = '';
  readonly #steps = new Map<string, StepPicture>();
  /** The step that a person decided to skip. */
  #skipped: string | undefined;

  /** Paths that the log has named, in the order in which it did. */
  get paths(): string[] {
    return [...this.#steps.keys()];
  }

  /** The same picture, to go on from without changing this one. */
  copy(): RunPicture {
    const { seq, at, started, pending, suspended, finished, current } = this;
    const copied = Object.assign(new RunPicture(), {
      seq,
      at,
      started,
      pending,
      suspended,
      finished,
      current,
    });
    for (const [path, step] of this.#steps) copied.#steps.set(path, step);
    copied.#skipped = this.#skipped;
    return copied;
  }

  step(path: string): StepPicture {
    const step = this.#steps.get(path) ?? NOT_BEGUN;
    if (this.suspended?.path === path && step.state !== 'passed') return { ...step, state: 'suspended' };
    if (this.pending?.path === path) return { ...step, state: 'asking', reason: this.pending.prompt };
    return step;
  }

  take(event: RunEvent): void {
    this.seq = event.seq;
    this.at = Date.parse(event.at);
    switch (event.event) {
      case 'started':
        this.started = event;
        break;
      case 'procedure_started':
        this.#begin(event.path, 1);
        break;
      case 'step_started':
        this.#settle();
        this.#begin(event.path, event.attempt);
        this.current = event.path;
        break;
      case 'step_finished':
      case 'procedure_finished':
        this.#settle();
        this.#end(event);
        break;
      case 'finished':
        this.#settle();
        this.#close(event);
        break;
      default:
        this.#converse(event);
    }
  }

  /** What the run and people say to each other. */
  #converse(event: RunEvent): void {
    switch (event.event) {
      case 'asked': {
        const { path, prompt, role, answer, deadline, seq: question, at } = event;
        const typed = {
          ...(role !== undefined && { role }),
          ...(answer !== undefined && { answer }),
          ...(deadline !== undefined && { deadline: Date.parse(deadline) }),
        };
        this.#ask({ kind: 'ask', path, prompt, ...typed, question, at: Date.parse(at) });
        break;
      }
      case 'decision_required': {
        const { path, reason: prompt, seq: question, at } = event;
        this.#ask({ kind: 'decision', path, prompt, question, at: Date.parse(at) });
        break;
      }
      case 'answered':
        if (this.pending?.path !== event.path) return;
        if (this.pending.kind === 'decision') this.#decided(event.path, event.value);
        this.#settle();
        break;
      case 'suspended':
        this.#settle();
        this.suspended = { path: event.path, by: event.by, at: Date.parse(event.at) };
        this.current = event.path;
        break;
      case 'continued':
        this.#settle();
        this.suspended = undefined;
        this.#decided(event.path, event.choice);
        break;
      default:
    }
  }

  #ask(pending: Pending): void {
    this.pending = pending;
    this.current = pending.path;
  }

  #settle(): void {
    this.pending = undefined;
  }

  #decided(path: string, choice: unknown): void {
    this.#skipped = choice === 'skip' ? path : undefined;
  }

  #begin(path: string, attempt: number): void {
    for (const inner of this.#steps.keys())
      if (inner.startsWith(`${path}/`)) this.#steps.set(inner, NOT_BEGUN);
    this.#steps.set(path, { state: 'running', attempt, begunAt: this.at });
  }

  #end(event: RunEvent & { event: 'step_finished' | 'procedure_finished' }): void {
    const { path, ok } = event;
    const { attempt, begunAt = this.at } = this.#steps.get(path) ?? NOT_BEGUN;
    const state = !ok ? 'failed' : this.#skipped === path ? 'skipped' : 'passed';
    if (this.#skipped === path) this.#skipped = undefined;
    const reason = event.event === 'step_finished' ? event.reason : undefined;
    this.#steps.set(path, {
      state,
      attempt,
      begunAt,
      endedAt: this.at,
      ...(reason !== undefined && { reason }),
    });
  }

  #close({ ok, reason }: RunEvent & { event: 'finished' }): void {
    this.suspended = undefined;
    this.finished = { ok, at: this.at, ...(reason !== undefined && { reason }) };
    for (const [path, step] of this.#steps)
      if (step.state === 'running')
        this.#steps.set(path, { ...step, state: 'interrupted', endedAt: this.at });
  }
}

/** The picture of these events. */
export function pictureOf(events: Iterable<RunEvent>): RunPicture {
  const picture = new RunPicture();
  for (const event of events) picture.take(event);
  return picture;
}
