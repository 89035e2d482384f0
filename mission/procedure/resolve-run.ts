/**
 * A run request resolved against a mission to a program: which procedure, in which environment, with which targets,
 * inputs and faults, everything a run does as data. Mission Control Service, section 2.3, section 4.2 rules 1, 4 and 5,
 * section 7.4. Who may launch, what a pass allows and whether targets are held is not asked here.
 *
 * R1. Every fault of a request is said at once, in the order procedure, environment, targets, inputs, plan, steps,
 *     faults of simulated targets. What depends on something unknown is not reported.
 * R2. A program is complete: every name of an input is replaced by its value, every setter of a configuration is there.
 * R3. The same request under the same mission gives the same bytes, whatever the order of its keys (contract/program.G1
 *     of the program).
 */

import { assert } from '../../contract/assert.ts';
import type { Fault } from '../../contract/errors.ts';
import { PROGRAM_BYTES, PROGRAM_STATEMENTS } from '../../contract/limits/run.ts';
import type { Program, ProgramFault, ProgramNode } from '../../contract/program.ts';
import { accepted, type Result, refused, refusedAll } from '../../contract/result.ts';
import type { RunRequest } from '../../contract/run.ts';
import type { Environment, Mission } from '../mission.ts';
import type { OverStation } from '../pass/serving-gateway.ts';
import { fault } from '../resolve-link.ts';
import { programBytes, programDocument } from './program-document.ts';
import { demandOf } from './resolve/demand.ts';
import { type FoundProcedure, findProcedure } from './resolve/find-procedure.ts';
import { requestedInputs } from './resolve/input.ts';
import type { Invocation } from './resolve/invocation.ts';
import { statementCount, stepPaths } from './resolve/outline.ts';
import {
  hazardFaults,
  procedureFaults,
  sendsHazardous,
  unknownEnvironment,
  unknownPass,
} from './resolve/policy.ts';
import { resolveSimulatedFaults } from './resolve/simulated-fault.ts';
import { inputValues, targetNames } from './resolve/statement.ts';
import { resolveTargets, targetFaults } from './resolve/target.ts';
import { type Resolved, resolveNodes } from './resolve/tree.ts';
import { isUploadHash } from './resolve/typed-value.ts';

/** What resolution must know of the world beside the mission. */
export interface RunKnown {
  /** SHA-256 (hexadecimal) of stored uploads, at least those of `hashesIn`. */
  readonly uploads: ReadonlySet<string>;
  readonly passes: {
    find(plan: string): PassKnown | undefined;
    /** Those in progress of a target; default: none. A run that begins later does not depend on them. */
    inProgress?(target: string): readonly OverStation[];
  };
}

export interface PassKnown {
  /** The stored identifier, also when the pass was found by that of a contribution. */
  readonly id: string;
  /** Whose pass it is, and over which station: which gateway switches a simulated fault follows from it. */
  readonly target?: string;
  readonly station?: string;
}

/** Who launches: a hazardous run of an environment that requires a plan starts only from a schedule. */
export interface RunOrigin {
  readonly from: 'api' | 'schedule' | 'reaction';
}

export interface ResolvedRun {
  readonly program: Program;
  /** SHA-256 (hexadecimal) of `canonical`: the key it is stored under. */
  readonly ir: string;
  readonly canonical: string;
  readonly warnings: readonly string[];
}

/** A request with what was found of it so far. */
interface Asked {
  readonly mission: Mission;
  readonly request: RunRequest;
  readonly environment: Environment | undefined;
  readonly pass: PassKnown | undefined;
  /** During which passes of a target it begins (resolve/simulated-fault.F4). */
  readonly passesOf: (target: string) => readonly OverStation[];
  readonly origin: RunOrigin;
}

/** The program of a request; refuses with every fault of it, each with a code of section 7.4. */
export function resolveRun(
  mission: Mission,
  request: RunRequest,
  known: RunKnown,
  origin: RunOrigin = { from: 'api' },
): Result<ResolvedRun, Fault> {
  const environment = mission.environments.get(request.environment);
  const pass = request.plan === undefined ? undefined : known.passes.find(request.plan);
  const passesOf = passesOfRun(request, pass, known);
  const asked: Asked = { mission, request, environment, pass, passesOf, origin };
  const found = findProcedure(mission, request);
  if (!found.ok) return refusedAll([...found.faults, ...faultsWithoutProcedure(asked)]);
  return resolveProcedure(found.value, asked, known.uploads);
}

/** A run with a plan begins during its pass, whenever it is resolved; another one now. */
function passesOfRun(
  { plan }: RunRequest,
  pass: PassKnown | undefined,
  { passes }: RunKnown,
): Asked['passesOf'] {
  if (plan === undefined) return (target) => passes.inProgress?.(target) ?? [];
  const { id, target: whose, station } = pass ?? {};
  const own = id === undefined || station === undefined ? [] : [{ id, station }];
  return (target) => (target === whose ? own : []);
}

/** Names of uploads in the inputs of a request that want one: what `RunKnown.uploads` must know of. */
export function hashesIn(
  { run, inputs = {} }: Pick<RunRequest, 'run' | 'inputs'>,
  mission: Mission,
): string[] {
  const procedures = [...mission.libraries.values()].flatMap(({ procedures }) => procedures.get(run) ?? []);
  const wanted = procedures.flatMap((each) =>
    [...each.inputs.values()].filter(({ type }) => type.type === 'file'),
  );
  const given = wanted.map(({ name }) => (Object.hasOwn(inputs, name) ? inputs[name] : undefined));
  return [...new Set(given.filter(isUploadHash).map((hash) => hash.toLowerCase()))];
}

function faultsWithoutProcedure(asked: Asked): Fault[] {
  const { mission, request, environment, passesOf } = asked;
  const given = Object.keys(request.targets);
  const unknown = { roles: undefined, targets: new Map(), steps: undefined };
  const site = { mission, environment, passesOf, given, ...unknown };
  return [
    ...environmentFaults(asked),
    ...targetFaults(request.targets, { mission, environment }),
    ...planFaults(asked),
    ...resolveSimulatedFaults(request.faults ?? [], site).faults,
  ];
}

function resolveProcedure(
  found: FoundProcedure,
  asked: Asked,
  uploads: ReadonlySet<string>,
): Result<ResolvedRun, Fault> {
  const { mission, request, environment, passesOf } = asked;
  const { procedure } = found;
  assert(statementCount(procedure) <= PROGRAM_STATEMENTS, `procedure ${procedure.name} is of bounded size`);
  const { targets, faults: ofTargets } = resolveTargets(request.targets, found, { mission, environment });
  const { inputs, faults: ofInputs } = requestedInputs(request.inputs ?? {}, procedure, uploads);
  const frame: Invocation = {
    mission,
    environment,
    uploads,
    procedure,
    prefix: '',
    targets,
    inputs,
    faults: [],
    warnings: [],
  };
  const tree = resolveNodes(procedure.steps, frame);
  const hazardous = sendsHazardous(procedure) || demandOf(tree.items, []).hazardous;
  const simulated = resolveSimulatedFaults(request.faults ?? [], {
    mission,
    environment,
    passesOf,
    targets,
    given: Object.keys(request.targets),
    roles: [...procedure.roles.keys()],
    steps: stepPaths(procedure),
  });
  const faults = unique([
    ...environmentFaults(asked),
    ...(environment === undefined ? [] : procedureFaults(procedure, environment)),
    ...ofTargets,
    ...ofInputs,
    ...planFaults(asked),
    ...(hazardous && environment !== undefined ? hazardFaults(request, environment, asked.origin.from) : []),
    ...frame.faults,
    ...simulated.faults,
  ]);
  if (faults.length > 0) return refusedAll(faults);
  const program = programOf(found, frame, tree, simulated.resolved, asked);
  if (programBytes(program, PROGRAM_BYTES) > PROGRAM_BYTES) return refused(tooLarge());
  return accepted({ program, ...programDocument(program), warnings: frame.warnings });
}

/**
 * The statements of a procedure are bounded, so it is an input, repeated in each of them, that makes a program large.
 */
function tooLarge(): Fault {
  const message = `with these inputs the resolved run has more than ${PROGRAM_BYTES} bytes`;
  return fault(
    'run::invalid-input',
    message,
    'give shorter inputs, or upload long data as a file',
    '/inputs',
  );
}

function environmentFaults({ mission, request, environment }: Asked): Fault[] {
  return environment === undefined ? [unknownEnvironment(mission, request.environment)] : [];
}

function planFaults({ request: { plan }, pass }: Asked): Fault[] {
  return plan === undefined || pass !== undefined ? [] : [unknownPass(plan)];
}

function programOf(
  { procedure, library }: FoundProcedure,
  frame: Invocation,
  tree: Resolved<ProgramNode>,
  faults: readonly ProgramFault[],
  { mission, environment, pass }: Asked,
): Program {
  assert(environment !== undefined, 'R1: a request without faults has an environment');
  const { identity, humanOrchestration, hazardousConfirmation } = environment;
  const targets = targetNames(frame);
  return {
    format: 1,
    config: mission.revision,
    procedure: procedure.name,
    library: library.id,
    environment: environment.name,
    targets,
    inputs: inputValues(frame),
    ...(pass !== undefined && { plan: pass.id }),
    policy: { identity, humanOrchestration, hazardousConfirmation },
    ...demandOf(tree.items, Object.values(targets)),
    faults,
    maxDurationMs: tree.longestMs,
    steps: tree.items,
  };
}

/** A target with two roles, or a procedure called twice, is reported for one thing once. */
function unique(faults: readonly Fault[]): Fault[] {
  return [...new Map(faults.map((each) => [JSON.stringify(each), each])).values()];
}
