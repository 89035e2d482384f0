/**
 * `mcs run start`: a launch as people write it. A pair `name=value` names a target of a role or the value of an input;
 * which one is asked of the service: what is a target there is meant as one.
 */

import { ulid } from 'ulid';
import type { FaultRequest, LaunchReply, RunRequest } from '../contract/run.ts';
import { isToken } from '../contract/token.ts';
import { WrongUsage } from './command-line.ts';
import { type Answered, ask, faultLine, Unanswered } from './request.ts';
import type { Service } from './service.ts';
import { readPairs, readValue, type WrittenValue } from './written-value.ts';

export interface StartWords {
  readonly procedure: string;
  readonly pairs: readonly string[];
  readonly environment: string;
  readonly library?: string | undefined;
  readonly plan?: string | undefined;
  /** Pairs that are inputs, whatever they look like. */
  readonly inputs: readonly string[];
  readonly faults: readonly string[];
  /** Of a launch that is repeated; a new one has its own. */
  readonly id?: string | undefined;
}

/** The run that was launched, or undefined after the refusal has been printed. */
export async function startRun(words: StartWords, service: Service): Promise<LaunchReply | undefined> {
  const request = await requestOf(words, service);
  const answer = await launch(request, service);
  if (answer.ok) return answer.reply;
  for (const fault of answer.faults) process.stderr.write(`${faultLine(fault)}\n`);
  if (answer.status === 422) process.stderr.write(`${readAs(request)}\n`);
  if (answer.status >= 500) sayUnknown(request);
  return undefined;
}

/** Where nobody knows whether it was taken, that is printed too, with what repeats it. */
async function launch(request: RunRequest, service: Service): Promise<Answered<LaunchReply>> {
  try {
    return await ask<LaunchReply>(service, 'POST', '/v1/runs', request);
  } catch (error) {
    if (error instanceof Unanswered && error.mayBeTaken) sayUnknown(request);
    throw error;
  }
}

function sayUnknown({ id }: RunRequest): void {
  process.stderr.write(
    `whether it was taken is not known: with --id ${id} the same command starts it once\n`,
  );
}

/** `role:fault`, then when: `@step`, `+delay`; throws at anything else. */
export function readFault(text: string): FaultRequest {
  const parts = /^([^:@+]+):([^:@+]+)(?:@([^+]+))?(?:\+(.+))?$/.exec(text);
  if (parts === null) {
    throw new WrongUsage(`a fault is written role:fault[@step][+delay], not ${JSON.stringify(text)}`);
  }
  const [, target, fault, step, after] = parts;
  const at = { ...(step !== undefined && { step }), ...(after !== undefined && { after }) };
  return { target: target!, fault: fault!, ...(Object.keys(at).length > 0 && { at }) };
}

async function requestOf(words: StartWords, service: Service): Promise<RunRequest> {
  const { procedure, environment, library, plan, faults } = words;
  return {
    run: procedure,
    environment,
    ...(await givenBy(words, service)),
    ...(library !== undefined && { library }),
    ...(plan !== undefined && { plan }),
    ...(faults.length > 0 && { faults: faults.map(readFault) }),
    id: words.id ?? ulid(),
  };
}

/** What a run is given: a target for each of its roles, and inputs where there are any. */
export interface Given {
  readonly targets: Record<string, string>;
  readonly inputs?: Record<string, WrittenValue>;
}

/** How the pairs are meant. */
export async function givenBy(words: Pick<StartWords, 'pairs' | 'inputs'>, service: Service): Promise<Given> {
  const targets: Record<string, string> = {};
  const inputs: Record<string, WrittenValue> = {};
  for (const [name, text] of readPairs(words.pairs, 'a target or an input')) {
    if (await isTarget(text, service)) targets[name] = text;
    else inputs[name] = readValue(text);
  }
  for (const [name, text] of readPairs(words.inputs, 'an input')) inputs[name] = readValue(text);
  return { targets, ...(Object.keys(inputs).length > 0 && { inputs }) };
}

async function isTarget(text: string, service: Service): Promise<boolean> {
  if (!isToken(text)) return false;
  const answer = await ask(service, 'GET', `/v1/targets/${text}/catalogue`);
  // A target whose catalogue is missing is one all the same.
  return answer.ok || answer.faults.every(({ code }) => code !== 'api::unknown-target');
}

/** A misspelt target is read as an input: say how each pair was read. */
export function readAs({ targets, inputs = {} }: Given): string {
  const names = (values: object): string => Object.keys(values).join(', ') || 'none';
  return `mcs: read as targets: ${names(targets)}; as inputs: ${names(inputs)}`;
}
