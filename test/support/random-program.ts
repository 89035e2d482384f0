/**
 * Programs by chance, valid for targets of the demo platform: what a run can be made of, in any order and depth. Paths
 * are those that the compiler of procedures gives (procedure.P1). Mission Control Service, section 4.2.
 *
 * R1. Every telecommand resolves and every condition compiles; answers are named after they were asked for, in the same
 *     leaf.
 * R2. Every statement ends: what waits for a person or for telemetry has a bound. A decision waits for whoever plays
 *     people.
 */

import fc from 'fast-check';
import type {
  AnswerType,
  ConditionStatement,
  Program,
  ProgramFault,
  ProgramNode,
  ProgramStatement,
  SendStatement,
} from '../../contract/program.ts';

export interface ProgramWorld {
  /** Revision of the configuration. */
  readonly config: string;
  /** Of platform cubesat-6u, with a default link `uhf`. */
  readonly targets: readonly [string, ...string[]];
  /** Modes that every target declares; none: no mode is ever set. */
  readonly modes?: readonly string[];
  /** Faults that may be switched. */
  readonly faults?: readonly Pick<ProgramFault, 'target' | 'gateway' | 'fault'>[];
}

/** What a statement is made for. */
interface Site {
  readonly roles: Readonly<Record<string, string>>;
  readonly role: string;
  readonly target: string;
  /** Makes a name that is free in the leaf. */
  readonly name: (base: string) => string;
}

type Draft = (site: Site) => readonly ProgramStatement[];

interface Pacing {
  readonly attempts: number;
  readonly delayMs: number;
}

type Shape =
  | (Pacing & { readonly kind: 'leaf'; readonly isNamed: boolean; readonly drafts: readonly Draft[] })
  | (Pacing & { readonly kind: 'group'; readonly of: readonly Shape[] })
  | { readonly kind: 'call'; readonly of: readonly Shape[] }
  | { readonly kind: 'if_failed'; readonly of: readonly Shape[] };

const VOLT: AnswerType = { type: 'f64', unit: 'V', range: [0, 12] };
const PERIOD: AnswerType = { type: 'u16', unit: 's', range: [10, 600] };
/** Long enough for a cadence of telemetry, short enough for a simulation. */
const WITHIN = { min: 2_000, max: 12_000 };

/** Any program of that world. */
export function randomProgram(world: ProgramWorld): fc.Arbitrary<Program> {
  const shapes = fc.letrec<{ shapes: Shape[] }>((tie) => ({
    shapes: fc.array(shapeOf(draftOf(world), tie('shapes')), {
      minLength: 1,
      maxLength: 4,
      depthIdentifier: 'steps',
    }),
  })).shapes;
  const roles = fc.constantFrom(...world.targets).map((target) => ({
    sat: target,
    ...(world.targets.length > 1 && { other: world.targets.find((each) => each !== target)! }),
  }));
  return fc
    .record({ shapes, roles, humans: fc.boolean(), faults: fc.array(faultOf(world), { maxLength: 2 }) })
    .map(({ shapes: tree, roles: targets, humans, faults }) => {
      const steps = nodesOf(tree, '', targets);
      return { ...programOf(world, targets, steps, humans), faults: placed(faults.flat(), steps) };
    });
}

/** The program of a seed: the same seed, the same program. */
export function programOfSeed(world: ProgramWorld, seed: number): Program {
  const [program] = fc.sample(randomProgram(world), { seed, numRuns: 1 });
  if (program === undefined) throw new Error('a sample of one has one');
  return program;
}

/** Every statement of the nodes, in order. */
export function statementsOf(nodes: readonly ProgramNode[]): ProgramStatement[] {
  return nodes.flatMap((node) =>
    node.kind === 'step' && node.statements !== undefined ? node.statements : statementsOf(node.steps ?? []),
  );
}

/** Every path of the nodes, in order. */
export function pathsOf(nodes: readonly ProgramNode[]): string[] {
  return nodes.flatMap((node) => [
    ...(node.kind === 'if_failed' ? [] : [node.path]),
    ...pathsOf(node.steps ?? []),
  ]);
}

// Shapes
// ----------------------------------------------------------------------------------------------------------------

const pacing = fc.record({ attempts: fc.constantFrom(1, 1, 2, 3), delayMs: fc.constantFrom(0, 100, 1_500) });

function shapeOf(draft: fc.Arbitrary<Draft>, nested: fc.Arbitrary<Shape[]>): fc.Arbitrary<Shape> {
  const drafts = fc.array(draft, { minLength: 1, maxLength: 4 });
  const leaf = fc.record({ kind: fc.constant('leaf' as const), isNamed: fc.boolean(), drafts, pacing });
  const group = fc.record({ kind: fc.constant('group' as const), of: nested, pacing });
  return fc.oneof(
    { maxDepth: 3, depthIdentifier: 'steps', withCrossShrink: true },
    { weight: 5, arbitrary: leaf.map(({ pacing: pace, ...rest }): Shape => ({ ...rest, ...pace })) },
    { weight: 2, arbitrary: group.map(({ pacing: pace, ...rest }): Shape => ({ ...rest, ...pace })) },
    { weight: 1, arbitrary: nested.map((of): Shape => ({ kind: 'call', of })) },
    { weight: 1, arbitrary: nested.map((of): Shape => ({ kind: 'if_failed', of })) },
  );
}

/** Names are counted through a parent and the `if failed` blocks in it. */
interface Counting {
  named: number;
  inline: number;
  /** Bare statements stand right before: a leaf without name would be one with them. */
  isBare: boolean;
}

function nodesOf(
  shapes: readonly Shape[],
  parent: string,
  roles: Readonly<Record<string, string>>,
  counting: Counting = { named: 0, inline: 0, isBare: false },
): ProgramNode[] {
  return shapes.map((shape) => nodeOf(shape, parent, roles, counting));
}

function nodeOf(
  shape: Shape,
  parent: string,
  roles: Readonly<Record<string, string>>,
  counting: Counting,
): ProgramNode {
  if (shape.kind === 'if_failed') {
    counting.isBare = false;
    const steps = nodesOf(shape.of, parent, roles, counting);
    counting.isBare = false;
    return { kind: 'if_failed', steps };
  }
  if (shape.kind === 'leaf' && !shape.isNamed && !counting.isBare) {
    counting.isBare = true;
    counting.inline += 1;
    const statements = leafOf(shape.drafts, roles);
    // Only a step that is declared says how often it is begun.
    return { kind: 'step', path: `${parent}#${counting.inline}`, attempts: 1, delayMs: 0, statements };
  }
  counting.isBare = false;
  counting.named += 1;
  return namedNode(shape, `${parent}${shape.kind}_${counting.named}`, roles);
}

function namedNode(
  shape: Exclude<Shape, { kind: 'if_failed' }>,
  path: string,
  roles: Readonly<Record<string, string>>,
): ProgramNode {
  if (shape.kind === 'call') {
    const procedure = path.slice(path.lastIndexOf('/') + 1);
    const steps = nodesOf(shape.of, `${path}/`, roles);
    return {
      kind: 'call',
      path,
      procedure,
      library: 'ops@1.0.0',
      targets: roles,
      inputs: { cell: '1' },
      steps,
    };
  }
  const { attempts, delayMs } = shape;
  const step = { kind: 'step' as const, path, attempts, delayMs };
  if (shape.kind === 'leaf') return { ...step, statements: leafOf(shape.drafts, roles) };
  return { ...step, steps: nodesOf(shape.of, `${path}/`, roles) };
}

function leafOf(drafts: readonly Draft[], roles: Readonly<Record<string, string>>): ProgramStatement[] {
  let names = 0;
  const name = (base: string): string => {
    names += 1;
    return `${base}_${names}`;
  };
  return drafts.flatMap((draft, place) => {
    // The second spacecraft now and then, so that runs hold both.
    const role = place % 3 === 2 && roles['other'] !== undefined ? 'other' : 'sat';
    return draft({ roles, role, target: roles[role]!, name });
  });
}

// Statements
// ------------------------------------------------------------------------------------------------------------

function draftOf({ modes = [] }: ProgramWorld): fc.Arbitrary<Draft> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.oneof(ping, setWatchdog, setMode, switchHeater, setHeater) },
    { weight: 4, arbitrary: fc.oneof(expecting, checking, waitingUntil) },
    { weight: 2, arbitrary: fc.oneof(waiting, logging) },
    { weight: 2, arbitrary: fc.oneof(asking, askingPeriod, askingLimit) },
    ...(modes.length === 0 ? [] : [{ weight: 1, arbitrary: modeOf(modes) }]),
  );
}

function send({ target }: Site, telecommand: string, more: Partial<SendStatement> = {}): SendStatement {
  const [component, name] = telecommand.split('.');
  return {
    kind: 'send',
    target,
    link: 'uhf',
    component: component!,
    telecommand: name!,
    args: {},
    changesState: true,
    hazardous: false,
    retry: 0,
    ...more,
  };
}

const ping: fc.Arbitrary<Draft> = fc
  .record({ component: fc.constantFrom('obc', 'camera'), retry: fc.nat({ max: 2 }) })
  .map(({ component, retry }) => (site) => [send(site, `${component}.ping`, { changesState: false, retry })]);

const setWatchdog: fc.Arbitrary<Draft> = fc
  .integer({ min: 10, max: 600 })
  .map((value) => (site) => [send(site, 'obc.set_watchdog', { args: { period: { value } } })]);

const setMode: fc.Arbitrary<Draft> = fc
  .constantFrom('SAFE', 'NOMINAL')
  .map((value) => (site) => [send(site, 'obc.set_mode', { args: { mode: { value } } })]);

const switchHeater: fc.Arbitrary<Draft> = fc.boolean().map((value) => (site) => {
  const args = { channel: { value: 'heater' }, on: { value } };
  return [send(site, 'power.switch', { args })];
});

const setHeater: fc.Arbitrary<Draft> = fc
  .record({ cell: fc.constantFrom('1', '2'), value: fc.integer({ min: -20, max: 20 }) })
  .map(({ cell, value }) => (site) => [
    send(site, 'battery.set_heater', { instance: { value: cell }, args: { on_below: { value } } }),
  ]);

function condition(
  kind: ConditionStatement['kind'],
  text: string,
  { roles, role }: Site,
  more: Partial<ConditionStatement> = {},
): ConditionStatement {
  return {
    kind,
    condition: text.replaceAll('sat.', `${role}.`),
    targets: roles,
    inputs: { cell: '1', floor: 5 },
    answers: {},
    inputTypes: { cell: { type: 'instance', of: 'battery' }, floor: { type: 'f64', unit: 'V' } },
    ...more,
  };
}

/** True as long as telemetry comes. */
const TRUE_SOON = [
  'sat.obc.uptime >= 0 s',
  'sat.battery[$cell].voltage > $floor and sat.battery[2].voltage > $floor',
  'sat.obc.uptime changes',
  'sat.obc.uptime >= 0 s stable for 1 s',
];
const NEVER_TRUE = ['sat.obc.temperature > 200 degC', 'sat.obc.uptime < 0 s and sat.power.heater == true'];

const expecting: fc.Arbitrary<Draft> = fc
  .record({ text: fc.constantFrom(...TRUE_SOON, ...TRUE_SOON, ...NEVER_TRUE), withinMs: fc.integer(WITHIN) })
  .map(({ text, withinMs }) => (site) => [condition('expect', text, site, { withinMs })]);

const checking: fc.Arbitrary<Draft> = fc
  .constantFrom('sat.obc.uptime >= 0 s', 'sat.battery[$cell].voltage > $floor', ...NEVER_TRUE)
  .map((text) => (site) => [condition('check', text, site, { maxAgeMs: 60_000 })]);

const waitingUntil: fc.Arbitrary<Draft> = fc
  .record({ text: fc.constantFrom(...TRUE_SOON, 'sat.obc.counter > 1'), withinMs: fc.integer(WITHIN) })
  .map(({ text, withinMs }) => (site) => [condition('wait_until', text, site, { withinMs })]);

const waiting: fc.Arbitrary<Draft> = fc
  .integer({ min: 0, max: 3_000 })
  .map((ms) => () => [{ kind: 'wait', ms }]);

const logging: fc.Arbitrary<Draft> = fc.constantFrom('1', '2').map((cell) => ({ target }) => {
  const voltage = { target, component: 'battery', instance: { value: cell }, measure: 'voltage' };
  return [{ kind: 'log', message: [`cell ${cell} at `, voltage] }];
});

const timeoutMs = fc.integer({ min: 1_000, max: 20_000 });

const asking: fc.Arbitrary<Draft> = timeoutMs.map((ms) => () => [
  { kind: 'ask', prompt: ['Go on?'], timeoutMs: ms },
]);

/** An answer, then the telecommand that takes it. */
const askingPeriod: fc.Arbitrary<Draft> = timeoutMs.map((ms) => (site) => {
  const as = site.name('period');
  const period = { name: as, unit: 's' };
  return [
    { kind: 'ask', prompt: ['Period of the watchdog?'], as, type: PERIOD, timeoutMs: ms },
    send(site, 'obc.set_watchdog', { args: { period } }),
    { kind: 'log', message: ['watchdog at ', period] },
  ];
});

/** An answer, then the condition that names it. */
const askingLimit: fc.Arbitrary<Draft> = timeoutMs.map((ms) => (site) => {
  const as = site.name('limit');
  const answers = { [as]: VOLT };
  return [
    { kind: 'ask', prompt: ['Lowest voltage?'], as, type: VOLT, timeoutMs: ms },
    condition('expect', `sat.battery[1].voltage > $${as}`, site, { answers, withinMs: WITHIN.max }),
  ];
});

function modeOf(modes: readonly string[]): fc.Arbitrary<Draft> {
  const parts = { mode: fc.constantFrom(...modes), period: fc.integer({ min: 10, max: 600 }) };
  return fc
    .record({ ...parts, isConfigured: fc.boolean() })
    .map(({ mode, period, isConfigured }) => (site) => {
      const { target } = site;
      if (!isConfigured) return [{ kind: 'set_mode', target, mode }];
      const setters = [send(site, 'obc.set_watchdog', { args: { period: { value: period } } })];
      const readback = { parameter: 'obc.watchdog', component: 'obc', measure: 'watchdog', value: period };
      return [{ kind: 'configure', target, mode, setters, readbacks: [readback], withinMs: WITHIN.max }];
    });
}

// The whole
// -------------------------------------------------------------------------------------------------------------

function programOf(
  { config }: ProgramWorld,
  targets: Readonly<Record<string, string>>,
  steps: readonly ProgramNode[],
  humanOrchestration: boolean,
): Program {
  const statements = statementsOf(steps);
  const changed = new Set(
    statements.flatMap((statement) => (changesState(statement) ? [statement.target] : [])),
  );
  return {
    format: 1,
    config,
    procedure: 'by_chance',
    library: 'ops@1.0.0',
    environment: 'bench',
    targets,
    inputs: {},
    policy: { identity: 'declared', humanOrchestration, hazardousConfirmation: [] },
    leases: [...new Set(Object.values(targets))].sort().map((target) => {
      return { target, mode: changed.has(target) ? 'exclusive' : 'shared' };
    }),
    faults: [],
    sends: statements.some(({ kind }) => kind === 'send' || kind === 'configure'),
    hazardous: false,
    maxDurationMs: null,
    steps,
  };
}

function changesState(
  statement: ProgramStatement,
): statement is Extract<ProgramStatement, { kind: 'send' | 'configure' | 'set_mode' }> {
  if (statement.kind === 'send') return statement.changesState;
  return statement.kind === 'configure' || statement.kind === 'set_mode';
}

interface FaultDraft {
  readonly fault: Pick<ProgramFault, 'target' | 'gateway' | 'fault'>;
  readonly afterMs: number;
  readonly offAfterMs: number | null;
  /** Which of the paths; the start of the run where there are fewer. */
  readonly place: number;
}

function faultOf({ faults = [] }: ProgramWorld): fc.Arbitrary<FaultDraft[]> {
  if (faults.length === 0) return fc.constant([]);
  const draft = fc.record({
    fault: fc.constantFrom(...faults),
    afterMs: fc.integer({ min: 0, max: 5_000 }),
    offAfterMs: fc.option(fc.integer({ min: 0, max: 10_000 })),
    place: fc.nat({ max: 6 }),
  });
  return draft.map((one) => [one]);
}

/** Each fault once: a fault that two triggers switch has no one state. */
function placed(drafts: readonly FaultDraft[], steps: readonly ProgramNode[]): ProgramFault[] {
  const paths = pathsOf(steps);
  const seen = new Set<string>();
  return drafts.flatMap(({ fault, afterMs, offAfterMs, place }) => {
    const key = `${fault.gateway} ${fault.fault}`;
    if (seen.has(key)) return [];
    seen.add(key);
    const step = paths[place];
    const on = { ...(step !== undefined && { step }), afterMs };
    const off = offAfterMs === null ? null : { ...on, afterMs: afterMs + offAfterMs };
    return [{ ...fault, at: on, off }];
  });
}
