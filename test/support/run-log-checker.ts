/**
 * What every log of a run must be, whatever happened to it: crashes, takeovers, suspensions, two executors. Mission
 * Control Service, sections 2.3 and 3.2. It knows the log alone; simulations and random programs are held against it.
 *
 * K1. `seq` from 1 without a gap, `started` first and once, `finished` last (MC-LOG-002, 005, 024).
 * K2. Procedures and steps nest; attempts of a step count up (MC-LOG-006, 007).
 * K3. A telecommand ends after it was sent, once; identifiers are never used twice (MC-LOG-009, 011).
 * K4. One that changes the state is repeated only once a person chose `replay` behind it (MC-STM-028).
 * K5. Questions are answered where they were asked; nothing runs while the run is suspended or a decision is waited
 *     for.
 */

import type { RunEvent } from '../../contract/run-event.ts';

interface Open {
  readonly kind: 'procedure' | 'step';
  readonly path: string;
  readonly attempt: number;
}

interface Sent {
  readonly changesState: boolean;
  readonly seq: number;
  isOver: boolean;
}

type EventOf<Kind extends RunEvent['event']> = Extract<RunEvent, { event: Kind }>;

/** Allowed while the run is suspended, and while a decision is waited for. */
const SUSPENDED = new Set(['logged', 'answer_refused', 'taken_over', 'continued', 'finished']);
const DECIDING = new Set(['logged', 'answer_refused', 'taken_over', 'answered', 'suspended', 'finished']);

/** What is wrong with the log, a line each; nothing when it is sound. `ended`: it must be whole. */
export function runLogFaults(
  events: readonly RunEvent[],
  { ended = false }: { readonly ended?: boolean } = {},
): string[] {
  const checker = new Checker();
  for (const event of events) checker.take(event);
  if (ended && events.at(-1)?.event !== 'finished') checker.faults.push('the log does not end with finished');
  return checker.faults;
}

class Checker {
  readonly faults: string[] = [];
  #seq = 0;
  #run: string | undefined;
  #standing: 'running' | 'suspended' | 'deciding' | 'over' = 'running';
  #asked: string | undefined;
  #failed = false;
  readonly #open: Open[] = [];
  /** The step that ended last where a next attempt of it may follow. */
  #ended: { readonly depth: number; readonly path: string; readonly attempt: number } | undefined;
  readonly #sent = new Map<string, Sent>();
  #replayedAt = 0;

  take(event: RunEvent): void {
    this.#order(event);
    this.#standingAllows(event);
    switch (event.event) {
      case 'procedure_started':
        this.#open.push({ kind: 'procedure', path: event.path, attempt: 1 });
        break;
      case 'step_started':
        this.#stepStarted(event);
        break;
      case 'procedure_finished':
        this.#close(event, { kind: 'procedure', path: event.path, attempt: 1 });
        break;
      case 'step_finished':
        this.#close(event, { kind: 'step', path: event.path, attempt: event.attempt });
        break;
      case 'telecommand_sent':
        this.#telecommandSent(event);
        break;
      case 'telecommand_finished':
        this.#telecommandFinished(event);
        break;
      case 'finished':
        this.#finished(event);
        break;
      default:
        this.#people(event);
    }
  }

  #fault(event: RunEvent, text: string): void {
    this.faults.push(`event ${event.seq} (${event.event}): ${text}`);
  }

  #order(event: RunEvent): void {
    if (event.seq !== this.#seq + 1) this.#fault(event, `follows ${this.#seq}`);
    this.#seq = event.seq;
    this.#run ??= event.run;
    if (event.run !== this.#run) this.#fault(event, `is of run ${event.run}`);
    if ((event.seq === 1) !== (event.event === 'started'))
      this.#fault(event, 'started is the first, and once');
    if ('path' in event && event.path === '') this.#fault(event, 'has no path');
  }

  #standingAllows(event: RunEvent): void {
    const { event: kind } = event;
    if (this.#standing === 'over') this.#fault(event, 'behind finished');
    if (this.#standing === 'suspended' && !SUSPENDED.has(kind)) this.#fault(event, 'while suspended');
    if (this.#standing === 'deciding' && !DECIDING.has(kind)) this.#fault(event, 'while a decision is asked');
    if (this.#standing !== 'suspended' && kind === 'continued') this.#fault(event, 'was not suspended');
  }

  // Steps

  #stepStarted(event: EventOf<'step_started'>): void {
    const { path, attempt } = event;
    const parent = this.#open.at(-1);
    if (parent === undefined) this.#fault(event, 'outside of any procedure');
    if (this.#open.length > 1 && !path.startsWith(`${parent?.path}/`))
      this.#fault(event, `${path} is not in ${parent?.path}`);
    const before = this.#ended;
    const isNext = before?.depth === this.#open.length && before.path === path;
    if (attempt > 1 && !(isNext && before.attempt === attempt - 1))
      this.#fault(event, `attempt ${attempt} without attempt ${attempt - 1} before it`);
    this.#open.push({ kind: 'step', path, attempt });
    this.#ended = undefined;
  }

  #close(event: EventOf<'step_finished' | 'procedure_finished'>, closing: Open): void {
    const open = this.#open.pop();
    if (open?.kind !== closing.kind || open.path !== closing.path || open.attempt !== closing.attempt)
      this.#fault(event, `ends ${closing.path}, and ${open?.path ?? 'nothing'} is open`);
    this.#ended = event.ok
      ? undefined
      : { depth: this.#open.length, path: closing.path, attempt: closing.attempt };
    if (this.#open.length === 0 && !event.ok) this.#failed = true;
    this.#asked = undefined;
  }

  #finished(event: EventOf<'finished'>): void {
    if (event.ok && (this.#failed || this.#open.length > 0))
      this.#fault(event, 'passed with something failed or open');
    if (!event.ok && event.reason === undefined) this.#fault(event, 'failed without a reason');
    this.#standing = 'over';
  }

  // Telecommands

  #telecommandSent(event: EventOf<'telecommand_sent'>): void {
    const { path, tc, retry_of: retryOf, changes_state: changesState, seq } = event;
    if (this.#open.at(-1)?.path !== path) this.#fault(event, `${path} is not the open step`);
    if (this.#sent.has(tc)) this.#fault(event, `${tc} was sent before`);
    const before = retryOf === undefined ? undefined : this.#sent.get(retryOf);
    if (retryOf !== undefined && before === undefined) this.#fault(event, `${retryOf} was never sent`);
    if (before?.changesState && this.#replayedAt < before.seq)
      this.#fault(event, `${retryOf} changes the state, and nobody chose replay`);
    this.#sent.set(tc, { changesState, seq, isOver: false });
  }

  #telecommandFinished(event: EventOf<'telecommand_finished'>): void {
    const sent = this.#sent.get(event.tc);
    if (sent === undefined || sent.isOver) this.#fault(event, `${event.tc} is not under way`);
    else sent.isOver = true;
  }

  // People

  #people(event: RunEvent): void {
    switch (event.event) {
      case 'asked':
        if (this.#open.at(-1)?.path !== event.path) this.#fault(event, `${event.path} is not the open step`);
        if (this.#asked !== undefined) this.#fault(event, `${this.#asked} is still asked`);
        this.#asked = event.path;
        break;
      case 'decision_required':
        if (this.#open.at(-1)?.path !== event.path) this.#fault(event, `${event.path} is not the open step`);
        this.#standing = 'deciding';
        this.#asked = event.path;
        break;
      case 'answered':
        this.#answered(event);
        break;
      case 'suspended':
        this.#standing = 'suspended';
        this.#asked = undefined;
        break;
      case 'continued':
        this.#standing = 'running';
        if (event.choice === 'replay') this.#replayedAt = event.seq;
        break;
      case 'taken_over':
        // A question that was open is asked again by the next attempt of its step.
        if (this.#standing === 'running') this.#asked = undefined;
        break;
      default:
    }
  }

  #answered(event: EventOf<'answered'>): void {
    if (this.#asked !== event.path) this.#fault(event, `nothing is asked at ${event.path}`);
    this.#asked = undefined;
    if (this.#standing !== 'deciding') return;
    this.#standing = 'running';
    if (event.accepted && event.value === 'replay') this.#replayedAt = event.seq;
  }
}
