/**
 * `mcs run follow`: the log of one run from its beginning to its end. A lost connection is reported and tried again;
 * every event is shown once.
 */

import type { RunSteps } from '../contract/run.ts';
import type { RunEvent } from '../contract/run-event.ts';
import { followOnce, INTERRUPTED, type Outcome, pause, whenEnded } from './followed.ts';
import { printJsonLine } from './print-json.ts';
import { ask } from './request.ts';
import { runLines } from './run-line.ts';
import { RunProgress } from './run-progress.ts';
import type { Service } from './service.ts';

/** A service that restarts is back within seconds. */
const AGAIN_MS = 1_000;

/**
 * Shows the log to its end, reporting `heard` each event once; 0 when the run passed, 1 when it failed or cannot be
 * followed.
 */
export async function followRun(
  run: string,
  service: Service,
  received: (event: RunEvent) => void = () => undefined,
  json = false,
): Promise<number> {
  const ended = whenEnded();
  const shown = new ShownRun({ run, service, json }, received);
  let reported = '';
  for (let first = true; !ended.signal.aborted; first = false) {
    const outcome = await followOnce<RunEvent>(service, `/v1/runs/${run}/events`, ended.signal, (event) =>
      shown.add(event),
    );
    const passed = await shown.verdict();
    if (passed !== undefined) return passed ? 0 : 1;
    if (ended.signal.aborted) break;
    if (outcome.kind === 'refused' || (first && outcome.kind === 'lost' && !outcome.opened)) {
      process.stderr.write(`${saidOf(outcome)}\n`);
      return 1;
    }
    const said = saidOf(outcome);
    // Once for each reason, not once for each try.
    if (said !== reported) process.stderr.write(`-- ${said}; trying again\n`);
    reported = said;
    await pause(AGAIN_MS, ended.signal);
  }
  return INTERRUPTED;
}

/** What was shown of a run: nothing twice, in the order of the log. */
class ShownRun {
  readonly #run: string;
  readonly #service: Service;
  readonly #json: boolean;
  readonly #heard: (event: RunEvent) => void;
  #last = 0;
  #procedure = '';
  #progress: Promise<RunProgress> | undefined;
  #passed: boolean | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(
    { run, service, json }: { readonly run: string; readonly service: Service; readonly json: boolean },
    arrived: (event: RunEvent) => void,
  ) {
    this.#run = run;
    this.#service = service;
    this.#json = json;
    this.#heard = arrived;
  }

  add(event: RunEvent): void {
    if (event.seq <= this.#last) return;
    this.#last = event.seq;
    if (event.event === 'started') this.#procedure = event.procedure;
    if (!this.#json) this.#progress ??= this.#steps();
    this.#writing = this.#writing.then(() => this.#write(event));
    this.#heard(event);
  }

  /** Once everything received is written; undefined while the run is not over. */
  async verdict(): Promise<boolean | undefined> {
    await this.#writing;
    return this.#passed;
  }

  async #write(event: RunEvent): Promise<void> {
    if (event.event === 'finished') this.#passed = event.ok;
    if (this.#json) return printJsonLine(event);
    const progress = (await this.#progress)!.at(event);
    const look = { colour: hasColour(), progress, procedure: this.#procedure };
    const lines = runLines(event, look);
    if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`);
  }

  /** Without the steps the log is shown without its progress. */
  async #steps(): Promise<RunProgress> {
    try {
      const answer = await ask<RunSteps>(this.#service, 'GET', `/v1/runs/${this.#run}/steps`);
      return new RunProgress(answer.ok ? answer.reply.steps : []);
    } catch {
      return new RunProgress([]);
    }
  }
}

function saidOf(outcome: Outcome): string {
  return outcome.kind === 'over' ? 'the service closed before the end' : outcome.said;
}

export function hasColour(): boolean {
  const { stdout, env } = process;
  return stdout.isTTY && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb';
}
