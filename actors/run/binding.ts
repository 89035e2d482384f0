/**
 * Binds the chart of a run to the world: which effect is carried out by what, and for how long somebody waits for it.
 * Mission Control Service, section 3.2.
 *
 * W1. While the bus is away an effect waits for it: an outage is no failure of a step.
 * W2. What an instruction waits for ends with the instruction: after a suspension or a decision nothing of it is left
 *     running, and the run can sleep. A telecommand on its way goes on by itself, and leaves while the run holds its
 *     target (`stand-down.ts`).
 * W3. A run that is not held here any more asks nothing of the world.
 * W4. Nothing begins, or is tried again, that the chart has given up: no telecommand leaves behind a suspension or an
 *     abort, however long its record took to be stored.
 */

import type { RunContext } from '../../machines/run/context.ts';
import type { RunChartEvent, RunEffect } from '../../machines/run/protocol.ts';
import { runMachine } from '../../machines/run/run.ts';
import { defineBinding, type EffectTable } from '../../ports/define-binding.ts';
import type { Binding, EffectRun, EntityLog, Store } from '../../ports/entity.ts';
import { createFault } from './effects/fault.ts';
import { createJudge } from './effects/judge.ts';
import { createPrepare, createRelease } from './effects/prepare.ts';
import { createReadAnswer } from './effects/read-answer.ts';
import { createRecover } from './effects/recover.ts';
import { createSend } from './effects/send.ts';
import { createSetMode } from './effects/set-mode.ts';
import { createTransfer } from './effects/transfer.ts';
import { createUploadsSeen } from './effects/uploads.ts';
import { createAwait, createWake } from './effects/wake.ts';
import { createWrite } from './effects/write.ts';
import { RUN_VERSION } from './log-store.ts';
import type { Sendings } from './sendings.ts';
import type { Handler, RunAtHand, RunServices } from './services.ts';

/** What the holder of a run does for it. */
export interface RunHost {
  readonly atHand: RunAtHand;
  /** Ends when the instruction that is under way does (W2). */
  readonly instruction: AbortSignal;
  /** Ends when the question that is asked is answered. */
  readonly question: AbortSignal;
  /** Ends when the run does, before anybody can see it. */
  readonly whole: AbortSignal;
  /** Telecommands of it that may be under way. */
  readonly sendings: Sendings;
  /** What its log says of it, to be kept beside it. */
  readonly facts: unknown;
  /** The instruction is given up. */
  interrupted(): void;
  replied(effect: Extract<RunEffect, { type: 'effect.reply' }>): void;
}

interface BindingOptions {
  readonly services: RunServices;
  readonly store: Store;
  readonly hostOf: (run: string) => RunHost | undefined;
  /** Whether the chart of the run still waits for a reply under this ticket. */
  readonly isAwaited: (run: string, ticket: number) => boolean;
  /** Whether somebody has aborted the run, which has not ended yet. */
  readonly isAborted: (run: string) => boolean;
  readonly history: (run: string) => Promise<EntityLog | undefined>;
}

/** Suspended runs and such that wait for a decision are quiet: after this long they leave the memory. */
const IDLE_MS = 60_000;

export function createRunBinding(options: BindingOptions): Binding<typeof runMachine> {
  const { store, hostOf, history } = options;
  return defineBinding({
    kind: 'run',
    version: RUN_VERSION,
    chart: runMachine,
    store,
    durability: 'log',
    restart: 'transient',
    endsTooLarge: true,
    idleMs: IDLE_MS,
    migrations: {},
    targetsOf: (run) => hostOf(run)?.atHand.program.leases.map(({ target }) => target) ?? [],
    labelOf: (run) => hostOf(run)?.atHand.program.procedure,
    shownContext: shownOf,
    kept: {
      context: keptOf,
      facts: (run) => hostOf(run)?.facts,
      isOwned: (run) => hostOf(run)?.atHand.holds() === true,
    },
    history,
    effects: runEffects(options),
  });
}

function runEffects(options: BindingOptions): EffectTable<typeof runMachine> {
  const { services, hostOf, isAborted } = options;
  const bound = binder(options);
  const release = bound(
    always,
    createRelease(services, (run) => hostOf(run)?.sendings.open ?? []),
  );
  return {
    'effect.prepare': bound(always, createPrepare(services, isAborted)),
    'effect.release': (effect, run) => {
      hostOf(run.id)?.interrupted();
      return release(effect, run);
    },
    'effect.send': bound(instruction, createSend(services)),
    'effect.judge': bound(instruction, createJudge(services)),
    'effect.write': bound(instruction, createWrite(services)),
    'effect.read-answer': bound(instruction, createReadAnswer(services)),
    'effect.set-mode': bound(instruction, createSetMode(services)),
    'effect.transfer': bound(instruction, createTransfer(services)),
    'effect.uploads': bound(always, createUploadsSeen(services)),
    'effect.wake': bound(question, createWake(services)),
    'effect.await': bound(question, createAwait()),
    'effect.fault': bound(untilTheEnd, createFault(services)),
    'effect.reply': (effect, run) => {
      hostOf(run.id)?.replied(effect);
      return undefined;
    },
    // What an end leaves to do is done by the shard, which also does it for a run that it finds ended (`ending.ts`).
    'effect.archive': () => undefined,
    'effect.recover': bound(always, createRecover(services)),
  };
}

/** For how long an effect is of use (W2). */
type Scope = (host: RunHost, run: EffectRun) => AbortSignal;

/** Carried out whatever the run comes to meanwhile. */
const always: Scope = (_host, run) => run.signal;
/** Of no use once the instruction is over. */
const instruction: Scope = (host, run) => AbortSignal.any([run.signal, host.instruction]);
/** Of no use once the question is answered, either. */
const question: Scope = (host, run) => AbortSignal.any([run.signal, host.instruction, host.question]);
/** Of no use once the run ends: what is due later is called off. */
const untilTheEnd: Scope = (host, run) => AbortSignal.any([run.signal, host.whole]);

/** Carries an effect out for the run as it is held here (W3), within its scope. */
function binder({ hostOf, isAwaited }: BindingOptions) {
  return <Type extends RunEffect['type']>(scope: Scope, handler: Handler<Type>) =>
    async (
      effect: Extract<RunEffect, { type: Type }>,
      run: EffectRun,
    ): Promise<RunChartEvent | undefined> => {
      const host = hostOf(run.id);
      // It waited for its record to be stored, and the run was interrupted meanwhile (W4).
      if ('ticket' in effect && !isAwaited(run.id, effect.ticket)) return undefined;
      return host && handler(effect, host.atHand, scope(host, run));
    };
}

/** Without its program, which is shown as steps, and first the step in progress: a long context is cut at its end. */
function shownOf({ program: _, inStep, progress, ...rest }: RunContext): object {
  return { inStep, progress, ...rest };
}

/** Without its program, which its input names. */
function keptOf(context: unknown): object {
  const { program: _, ...kept } = context as RunContext;
  return kept;
}
