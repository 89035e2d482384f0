/**
 * The run of a schedule or of a rule as people write it: a procedure, pairs as of `mcs run start`, a start. What the
 * service refuses of it is printed with how the pairs were read.
 */

import type { RuleFilter } from '../contract/schedule-rule.ts';
import { WrongUsage } from './command-line.ts';
import { ask, faultLine } from './request.ts';
import { type Given, givenBy, readAs } from './run-start.ts';
import type { Service } from './service.ts';

/** For `parseArgs`. */
export const PLANNED_OPTIONS = {
  start: { type: 'string' },
  run: { type: 'string' },
  input: { type: 'string', multiple: true },
  library: { type: 'string' },
  environment: { type: 'string' },
} as const;

interface PlannedValues {
  readonly start?: string | undefined;
  readonly run?: string | undefined;
  readonly input?: readonly string[] | undefined;
  readonly library?: string | undefined;
  readonly environment?: string | undefined;
}

export interface PlannedRun extends Given {
  readonly start: string;
  readonly run: string;
  readonly library?: string;
  readonly environment?: string;
}

/** With its identifier, and what it is about: a pass, or a target and a filter. */
interface Identified extends PlannedRun {
  readonly id: string;
  readonly pass?: string;
  readonly target?: string;
  readonly filter?: RuleFilter;
}

export async function plannedRun(
  pairs: readonly string[],
  { start, run, input = [], library, environment }: PlannedValues,
  service: Service,
): Promise<PlannedRun> {
  if (start === undefined) throw new WrongUsage('--start is missing');
  if (run === undefined) throw new WrongUsage('--run is missing');
  return {
    start,
    run,
    ...(await givenBy({ pairs, inputs: input }, service)),
    ...(library !== undefined && { library }),
    ...(environment !== undefined && { environment }),
  };
}

/** Posts it; undefined after the refusal has been printed. */
export async function postPlanned<Reply>(
  service: Service,
  path: string,
  body: Identified,
): Promise<Reply | undefined> {
  const answer = await ask<Reply>(service, 'POST', path, body);
  if (answer.ok) return answer.reply;
  for (const fault of answer.faults) process.stderr.write(`${faultLine(fault)}\n`);
  // A misspelt target is read as an input.
  if (answer.status === 422) process.stderr.write(`${readAs(body)}\n`);
  return undefined;
}

/** What a file says of each of its entries cannot be said for all of them beside it. */
export function noneBesideFile(options: readonly string[], values: object): void {
  const odd = options.find((option) => Object.hasOwn(values, option));
  if (odd !== undefined) throw new WrongUsage(`--${odd} and --file exclude each other`);
}
