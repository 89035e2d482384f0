/**
 * Runs by chance, lived by real cells on a log in memory: restored from what was kept of them, and from the log alone.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRunBinding } from '../../../actors/run/binding.ts';
import { LogFacts } from '../../../actors/run/log-facts.ts';
import { createLogStore, RUN_VERSION } from '../../../actors/run/log-store.ts';
import { HeldRun } from '../../../actors/run/open-run.ts';
import { readRunStanding } from '../../../actors/run/standing.ts';
import { streams } from '../../../contract/bus/streams.ts';
import type { Program } from '../../../contract/program.ts';
import type { RunContext } from '../../../machines/run/context.ts';
import type { RunChartEvent, RunEffect, RunInput } from '../../../machines/run/protocol.ts';
import { type RunSnapshot, underWay } from '../../../machines/run/run.ts';
import { KeptEnvelopes, keptBytes, packr } from '../../../messaging/kept-envelopes.ts';
import type { Binding, Stored } from '../../../ports/entity.ts';
import { Cell, type Down } from '../../../supervision/cells/cell.ts';
import { busAt, bytesOf, CountingBus, Dice, envelopeIn, spoiled } from '../../support/kept-life.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';
import { randomProgram } from '../../support/random-program.ts';
import { keptLog } from '../../support/silent-log.ts';

const RUN = '01J5ZK3M8QW7V9XH2C4T6R8YAC';
const EPOCH = 3;
const START = 1_700_000_000_000;

const programs = randomProgram({
  config: 'c'.repeat(64),
  targets: ['sat1', 'sat2'],
  modes: ['SAFE'],
  faults: [{ target: 'sat1', gateway: 'sim-1', fault: 'mute' }],
});
const numbers = fc.array(fc.nat(1_000), { minLength: 5, maxLength: 60 });

/** What the world answers to an effect of the run. */
function reply(effect: RunEffect, dice: Dice, clock: ManualClock): RunChartEvent | undefined {
  const at = clock.now();
  if (effect.type === 'effect.fault') {
    const fault = { at, fault: effect.index, on: effect.on };
    return dice.hits(3)
      ? { type: 'fault.refused', ...fault, reason: 'no simulator', ...(dice.hits(2) && { mayBeDone: true }) }
      : { type: 'fault.switched', ...fault };
  }
  if (!('ticket' in effect)) return undefined;
  const { ticket } = effect;
  const bad = dice.hits(5);
  switch (effect.type) {
    case 'effect.prepare':
      return bad ? { type: 'not-prepared', at, ticket, reason: 'held' } : { type: 'prepared', at, ticket };
    case 'effect.release':
      return { type: 'released', at, ticket };
    case 'effect.send': {
      const state = bad ? dice.pick(['VERIFY_TIMEOUT', 'SEND_FAILED']) : 'VERIFIED';
      return { type: 'telecommand.ended', at, ticket, tc: effect.tc, state, acks: [] };
    }
    case 'effect.judge':
      return { type: 'judged', at, ticket, ok: !bad, samples: [] };
    case 'effect.write':
      return { type: 'written', at, ticket, text: 'text', samples: [] };
    case 'effect.read-answer':
      return { type: 'answer.read', at, ticket, value: 7 };
    case 'effect.set-mode':
    case 'effect.transfer':
      return { type: 'done', at, ticket };
    case 'effect.wake':
      clock.advance(Math.max(0, effect.at - at));
      return { type: 'woken', at: clock.now(), ticket };
    default:
      return undefined;
  }
}

/** What a person does with a run that waits. */
function person(snapshot: RunSnapshot, dice: Dice, at: number, source: number): RunChartEvent | undefined {
  const { context } = snapshot;
  const { progress } = context;
  const state = underWay(snapshot);
  const by = dice.pick(['ada', 'eve', 'bob', 'ana']);
  const request = `r${source}`;
  if (dice.hits(9)) return { type: 'command.suspend', at, by, request };
  if (state === 'suspended')
    return { type: 'command.resume', at, by, request, choice: dice.pick(['replay', 'skip', 'fail']) };
  const asked = { type: 'answer', at, by, source, seen: progress.seq, verified: true } as const;
  const roles = ['operator', 'supervisor'];
  if (state === 'waitingDecision' && progress.standing.kind === 'deciding') {
    const question = progress.standing.question;
    const value = dice.pick(['skip', 'replay', 'fail', 'abort']);
    return { ...asked, roles, question, path: pathOf(context), accepted: true, value };
  }
  if (state !== 'asking' && state !== 'confirming') return undefined;
  return { ...asked, roles, path: pathOf(context), accepted: !dice.hits(5), value: 7 };
}

function pathOf({ program, progress }: RunContext): string {
  const paths: string[] = [];
  let nodes = program.steps;
  for (const { index } of progress.frames) {
    const node = nodes[index];
    if (node !== undefined && node.kind !== 'if_failed') paths.push(node.path);
    nodes = node?.steps ?? [];
  }
  return paths.at(-1) ?? program.procedure;
}

interface Life {
  readonly bus: CountingBus;
  readonly input: RunInput;
  /** What could have been kept of it, in its order. */
  readonly kept: readonly Uint8Array[];
  readonly length: number;
}

function storeOf(
  bus: CountingBus,
  input: RunInput,
  kept: KeptEnvelopes | undefined,
  appended: Parameters<typeof createLogStore>[0]['appended'] = () => undefined,
) {
  const begun = { input, epoch: EPOCH };
  return createLogStore({ bus, ...(kept !== undefined && { kept }), begunOf: () => begun, appended });
}

async function lived(program: Program, drawn: readonly number[]): Promise<Life> {
  const clock = new ManualClock(START);
  const bus = new CountingBus();
  bus.now = () => clock.now();
  const dice = new Dice(drawn);
  const input: RunInput = { run: RUN, ir: 'e'.repeat(64), program, by: 'ada', at: START };
  const facts = LogFacts.before({ run: RUN, program, by: 'ada' }).now;
  const replied = (): void => undefined;
  const held = new HeldRun({
    input,
    epoch: EPOCH,
    facts,
    answered: 0,
    last: { seq: 0, number: 0, at: START },
    holds: () => true,
    replied,
    mission: undefined as never,
  });
  const bound = createRunBinding({
    services: { bus, clock, log: keptLog } as never,
    store: storeOf(bus, input, undefined, (_run, record, position) => {
      keep();
      held.appended(record, position, clock.now());
      keep();
    }),
    hostOf: () => held,
    isAwaited: () => true,
    isAborted: () => false,
    history: async () => undefined,
  });
  const answers = Object.keys(bound.effects).map((type) => [
    type,
    (effect: RunEffect) => reply(effect, dice, clock),
  ]);
  const binding = { ...bound, effects: Object.fromEntries(answers) } as unknown as Binding;
  const kept: Uint8Array[] = [];
  let down: Down | undefined;
  const cell = new Cell({
    binding,
    id: RUN,
    epoch: EPOCH,
    clock,
    down: (how: Down) => (down = how),
    rests: () => keep(),
  });
  /** Whenever somebody might ask for it. */
  function keep(): void {
    const envelope = cell.kept();
    if (envelope !== undefined) kept.push(keptBytes(envelope));
  }
  cell.start({ input });
  for (let turn = 1; turn < 200 && down === undefined; turn += 1) {
    await settled();
    clock.advance(1);
    const snapshot = cell.actor?.getSnapshot() as RunSnapshot;
    const said = turn > 150 ? abort(clock.now()) : person(snapshot, dice, clock.now(), turn);
    if (said !== undefined) cell.tell(said);
    keep();
  }
  await settled();
  expect(down, 'it comes to its end').toMatchObject({ reason: 'finished' });
  return { bus, input, kept, length: bus.messages(streams.runs).length };
}

function abort(at: number): RunChartEvent {
  return { type: 'command.abort', at, by: 'ada', request: 'end' };
}

/** What a new owner finds of the log up to a position, with that kept beside it. */
async function found(
  { bus: whole, input }: Life,
  position: number,
  value?: Uint8Array,
): Promise<{ bytes: string; delivered: number; stored: Stored | undefined }> {
  const entry = value && { key: `run.${RUN}`, value };
  const bus = busAt(whole, streams.runs, position, entry);
  const kept = new KeptEnvelopes(bus, { kind: 'run', version: RUN_VERSION });
  const stored = await storeOf(bus, input, kept).load(RUN);
  const { delivered } = bus;
  const { program, by } = input;
  const { isKept: _, ...standing } = await readRunStanding(bus, { run: RUN, program, by }, kept);
  const bytes = `${bytesOf(stored)} ${Buffer.from(packr.pack(standing)).toString('hex')}`;
  return { bytes, delivered, stored };
}

describe('a run restored from what is kept beside its log', () => {
  it('MC-LOG-002 is what the whole log makes of it, wherever it was kept and whatever is behind it', async () => {
    let restored = 0;
    await fc.assert(
      fc.asyncProperty(programs, numbers, fc.nat(), async (program, drawn, at) => {
        const life = await lived(program, drawn);
        for (const value of some(life.kept, 6)) {
          const { covers } = envelopeIn(value);
          for (const position of new Set([covers.position, covers.position + 1, life.length])) {
            if (position > life.length) continue;
            const whole = await found(life, position);
            const kept = await found(life, position, value);
            expect(kept.bytes).toBe(whole.bytes);
            expect(kept.stored?.isKept).toBe(position === covers.position);
            const behind = position - covers.position;
            expect(kept.delivered, 'what is covered is not read').toBe(behind === 0 ? 0 : behind + 1);
            restored += 1;
          }
        }
        const [value] = some(life.kept, 1);
        for (const [how, bytes] of Object.entries(value === undefined ? {} : spoiled(value, at))) {
          const whole = await found(life, life.length);
          expect((await found(life, life.length, bytes)).bytes, how).toBe(whole.bytes);
        }
      }),
      { numRuns: 60 },
    );
    expect(restored).toBeGreaterThan(100);
  }, 60_000);
});

/** So many of them, evenly. */
function some<Item>(items: readonly Item[], most: number): Item[] {
  const step = Math.max(1, Math.ceil(items.length / most));
  return items.filter((_, n) => n % step === 0);
}
