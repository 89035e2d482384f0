/**
 * The runs of a scenario: what is launched, when and where, and what people do to it besides answering its questions.
 * Everything is data, so that a failing run is made small by leaving launches and commands out.
 *
 * Every program is another one: what a process remembers of programs would else decide how long a take-up takes.
 */

import type { Program } from '../../contract/program.ts';
import type { RunRequest } from '../../contract/run.ts';
import { SPACECRAFT_FAULTS } from '../../links/simulated/spacecraft.ts';
import { programOfSeed } from '../support/random-program.ts';
import type { Chance } from './chance.ts';
import { GATEWAYS, MODES, PROCEDURES, published, TARGETS, targetBehind } from './mission.ts';

export interface Launch {
  readonly at: number;
  /** The process asked first; after a silence or an outage the next ones in turn. */
  readonly slot: number;
  readonly what:
    | { readonly kind: 'procedure'; readonly request: RunRequest }
    /** Stored and submitted as the front end does it. */
    | { readonly kind: 'program'; readonly program: Program };
  readonly commands: readonly Command[];
}

/** Something a person asks of a run, so long after its submission is stored. */
export interface Command {
  readonly afterMs: number;
  readonly slot: number;
  /** `preempt`: the suspension of an alarm reaction. */
  readonly action: 'suspend' | 'resume' | 'abort' | 'preempt';
  readonly choice?: string;
}

interface Bounds {
  readonly slots: number;
  readonly from: number;
  readonly to: number;
}

/** Launches under a revision of the mission. */
export function launchesOf(chance: Chance, bounds: Bounds, revision = published.revision): Launch[] {
  return Array.from({ length: chance.whole(1, 5) }, (_, n) => launchOf(chance, bounds, n, revision));
}

/**
 * Runs that send one telecommand behind the other, each ended or interrupted in the middle of it, with the next one
 * close behind.
 */
export function heldLaunchesOf(chance: Chance, { slots, from, to }: Bounds): Launch[] {
  const count = chance.whole(4, 9);
  return Array.from({ length: count }, (_, serial) => ({
    at: from + Math.floor(((to - from) * serial) / count) + chance.whole(0, 800),
    slot: chance.whole(0, slots - 1),
    what: {
      kind: 'procedure' as const,
      request: {
        run: 'tune',
        environment: 'bench',
        targets: { sat: chance.happens(0.8) ? TARGETS[0] : chance.one(TARGETS) },
        inputs: { serial, period: `${chance.whole(30, 120)} s` },
      },
    },
    commands: Array.from({ length: chance.whole(1, 3) }, (_none, n) => ({
      ...commandOf(chance, slots),
      afterMs: chance.happens(0.6) ? chance.whole(5, 400) : chance.whole(5, 4_000),
      ...(n === 0 && { action: chance.one(['abort', 'abort', 'suspend', 'preempt'] as const) }),
    })),
  }));
}

function launchOf(chance: Chance, { slots, from, to }: Bounds, serial: number, revision: string): Launch {
  const at = chance.whole(from, to);
  const slot = chance.whole(0, slots - 1);
  const isProgram = chance.happens(0.65);
  const seed = Math.floor(chance.next() * 2 ** 31);
  const procedure = requestOf(chance, serial);
  const commands = Array.from({ length: chance.happens(0.5) ? chance.whole(1, 4) : 0 }, () =>
    commandOf(chance, slots),
  );
  const what = isProgram
    ? ({ kind: 'program', program: programOf(seed, serial, revision) } as const)
    : ({ kind: 'procedure', request: procedure } as const);
  return { at, slot, what, commands };
}

function programOf(seed: number, serial: number, revision: string): Program {
  // Half of them hold one target alone, so that more of them run beside each other.
  const gateways = seed % 2 === 0 ? GATEWAYS : ([GATEWAYS[(seed >> 1) % 2] ?? GATEWAYS[0]] as const);
  const targets = gateways.map(targetBehind) as [string, ...string[]];
  const world = {
    config: revision,
    targets,
    modes: MODES,
    faults: gateways.flatMap((gateway) =>
      SPACECRAFT_FAULTS.map((fault) => ({ target: targetBehind(gateway), gateway, fault })),
    ),
  };
  return { ...programOfSeed(world, seed), inputs: { serial } };
}

function requestOf(chance: Chance, serial: number): RunRequest {
  const { run, inputs } = chance.one(PROCEDURES);
  return {
    run,
    environment: chance.happens(0.7) ? 'manned' : 'bench',
    targets: { sat: chance.one(TARGETS) },
    inputs: { serial, ...inputs(chance) },
  };
}

function commandOf(chance: Chance, slots: number): Command {
  const action = chance.one(['suspend', 'suspend', 'suspend', 'preempt', 'resume', 'abort'] as const);
  return {
    afterMs: chance.happens(0.5) ? chance.whole(50, 4_000) : chance.whole(500, 20_000),
    slot: chance.whole(0, slots - 1),
    action,
    ...(action === 'resume' && { choice: chance.one(['replay', 'skip', 'fail', 'abort']) }),
  };
}
