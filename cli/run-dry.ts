/**
 * `mcs run dry`: a procedure run to its end on this machine, on a service of its own with simulated spacecraft, nobody
 * asked. Mission Control Service, section 4.2 rule 9. Everything is the real thing but the far end of the links.
 */

import { nearHelp } from '../contract/near.ts';
import type { Choice, RunTold } from '../contract/run.ts';
import type { RunEvent } from '../contract/run-event.ts';
import type { Compiled } from '../mission/compile.ts';
import type { DryStandIn } from '../mission/dry-run.ts';
import { load } from '../mission/load.ts';
import { outlineOf } from '../mission/procedure/outline.ts';
import { findProcedure } from '../mission/procedure/resolve/find-procedure.ts';
import { dryRunOf } from '../supervision/dry-run.ts';
import { compileFolder, faultLine } from './mission-folder.ts';
import { openLog } from './open-log.ts';
import { printable } from './printable.ts';
import { request } from './request.ts';
import { followRun } from './run-follow.ts';
import { StandIn } from './run-stand-in.ts';
import { type StartWords, startRun } from './run-start.ts';
import { type Serving, startServing } from './serve.ts';
import { readServeOptions } from './serve-options.ts';
import type { Service } from './service.ts';
import type { WrittenValue } from './written-value.ts';

export interface DryRun {
  readonly folder: string;
  readonly words: StartWords;
  readonly decide: Choice;
  /** Typed answers by the path of the step that asks. */
  readonly answers: Readonly<Record<string, WrittenValue>>;
}

/** Runs it and shows its log; 0 when the run passed, 1 when it failed, was refused or the mission does not compile. */
export async function dryRun(asked: DryRun): Promise<number> {
  const { folder, words, decide, answers } = asked;
  const compiled = await compileFolder(folder);
  if (!compiled.ok) {
    for (const fault of compiled.faults) process.stderr.write(`${faultLine(fault)}\n`);
    return 1;
  }
  if (!takesAnswers(compiled.value, asked)) return 1;
  const dry = dryRunOf(compiled.value.configuration);
  warnOfStandIns(
    dry.standIns.filter(({ target }) => words.pairs.some((pair) => pair.endsWith(`=${target}`))),
  );
  process.env.MCS_LOG_LEVEL ??= 'error';
  const options = { ...readServeOptions([], { port: 0 }), mission: folder, nats: undefined };
  const serving = await startServing(options, openLog(), fail, dry);
  try {
    return await carryOut(serving, words, new StandIn(decide, answers));
  } finally {
    await serving.stop();
  }
}

async function carryOut(serving: Serving, words: StartWords, standIn: StandIn): Promise<number> {
  await serving.service.ready;
  const service: Service = { api: serving.api!, user: 'dry-run', roles: undefined, token: undefined };
  const launched = await startRun(words, service);
  if (launched === undefined) return 1;
  for (const warning of launched.warnings) process.stderr.write(`warning: ${printable(warning)}\n`);
  return followRun(launched.run, service, (event) => void answer(service, event, standIn));
}

async function answer(service: Service, event: RunEvent, standIn: StandIn): Promise<void> {
  const given = standIn.answerTo(event);
  if (given === undefined) return;
  const { user, roles } = given;
  await request<RunTold>({ ...service, user, roles }, 'POST', `/v1/runs/${event.run}/answers`, given.answer);
}

/**
 * Refuses an answer that no step of the procedure takes, and warns of a step that waits for one. The service reports a
 * procedure that it does not find.
 */
function takesAnswers({ configuration, revision }: Compiled, { words, answers }: DryRun): boolean {
  const { procedure: run, library } = words;
  const request = { run, ...(library !== undefined && { library }) };
  const found = findProcedure(load(configuration, revision), request);
  if (!found.ok) return true;
  const { questions } = outlineOf(found.value.procedure);
  const paths = questions.filter(({ as }) => as !== undefined).map(({ path }) => path);
  const unasked = Object.keys(answers).filter((path) => !paths.includes(path));
  for (const path of unasked) {
    const help = nearHelp(path, paths, 'steps that do', 'no step does');
    process.stderr.write(`mcs: no step ${JSON.stringify(path)} of ${run} asks for a value: ${help}\n`);
  }
  if (unasked.length > 0) return false;
  for (const path of paths.filter((each) => !Object.hasOwn(answers, each))) {
    process.stderr.write(`warning: step ${path} asks for a value and fails without --answer ${path}=VALUE\n`);
  }
  return true;
}

/** A dry run reaches nothing real: what answers instead, and what it does not know. */
function warnOfStandIns(standIns: readonly DryStandIn[]): void {
  for (const { target, link, model, isOfPlatform } of standIns) {
    const lacks = isOfPlatform ? '' : ': telecommands are acknowledged, and no value is known';
    process.stderr.write(`warning: link ${link} of ${target} is simulated (${model})${lacks}\n`);
  }
}

function fail(reason: unknown): void {
  process.stderr.write(`mcs: giving up: ${reason instanceof Error ? reason.message : String(reason)}\n`);
  process.exit(1);
}
