import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openCondition, openReadbacks } from '../../actors/run/judgement.ts';
import { sendValues } from '../../actors/run/operands.ts';
import type { ProgramStatement } from '../../contract/program.ts';
import type { Answers } from '../../machines/run/protocol.ts';
import { programDocument, readProgram } from '../../mission/procedure/program-document.ts';
import { MISSION } from '../actors/run/effects/effect-world.ts';
import { Bench } from '../machines/run/bench.ts';
import { pathsOf, programOfSeed, randomProgram, statementsOf } from './random-program.ts';
import { runLogFaults } from './run-log-checker.ts';

const WORLD = {
  config: MISSION.revision,
  targets: ['sat1', 'sat2'],
  modes: ['nominal', 'safe'],
  faults: [{ target: 'sat1', gateway: 'sim-1', fault: 'tm_silence' }],
} as const;

/** What people answered before the statement. */
function answersOf(statements: readonly ProgramStatement[]): Answers {
  const typed = statements.flatMap((each) => (each.kind === 'ask' && each.as !== undefined ? [each.as] : []));
  return Object.fromEntries(typed.map((name) => [name, name.startsWith('period') ? 60 : 5]));
}

describe('a program by chance', () => {
  it('resolves and compiles, whatever is in it (random-program.R1)', () => {
    const kinds = new Set<string>();
    fc.assert(
      fc.property(randomProgram(WORLD), (program) => {
        const statements = statementsOf(program.steps);
        for (const statement of statements) {
          kinds.add(statement.kind);
          const answers = answersOf(statements);
          const sent = statement.kind === 'send' ? [statement] : [];
          if (statement.kind === 'configure') sent.push(...statement.setters);
          for (const each of sent) expect(sendValues(each, MISSION, answers)).toMatchObject({ ok: true });
          if ('condition' in statement) {
            expect(openCondition(statement, MISSION, answers)).toMatchObject({ ok: true });
          }
          if (statement.kind === 'configure') {
            const { target, readbacks, withinMs } = statement;
            const judgement = { kind: 'readbacks' as const, target, readbacks, withinMs };
            expect(openReadbacks(judgement, MISSION)).toMatchObject({ ok: true });
          }
        }
      }),
    );
    expect([...kinds].sort()).toEqual(
      ['ask', 'check', 'configure', 'expect', 'log', 'send', 'set_mode', 'wait', 'wait_until'].sort(),
    );
  });

  it('has each path once, and names it as the tree does', () => {
    fc.assert(
      fc.property(randomProgram(WORLD), ({ steps, faults }) => {
        const paths = pathsOf(steps);
        expect(new Set(paths).size).toBe(paths.length);
        for (const { at } of faults) if (at.step !== undefined) expect(paths).toContain(at.step);
        for (const path of paths) {
          const parent = path.slice(0, Math.max(0, path.lastIndexOf('/')));
          if (parent !== '') expect(paths).toContain(parent);
        }
      }),
    );
  });

  it('runs to its end, with a log as it must be (random-program.R2)', () => {
    const alone = { config: WORLD.config, targets: WORLD.targets, modes: WORLD.modes };
    fc.assert(
      fc.property(randomProgram(alone), (program) => {
        const bench = Bench.start(program).play();
        // Questions time out; whoever decides lets every third step fail.
        for (let turn = 1; bench.events.at(-1)?.event === 'decision_required'; turn += 1) {
          bench.decide(turn % 3 === 0 ? 'fail' : 'skip').play();
        }
        expect(bench.events.at(-1)).toMatchObject({ event: 'finished' });
        expect(runLogFaults(bench.events, { ended: true })).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  it('is the same for the same seed, and is stored like any other', () => {
    const program = programOfSeed(WORLD, 42);
    expect(programOfSeed(WORLD, 42)).toEqual(program);
    const { ir, canonical } = programDocument(program);
    expect(readProgram(Buffer.from(canonical), ir)).toEqual({ ok: true, value: program });
    const shapes = new Set(
      Array.from({ length: 50 }, (_, seed) => pathsOf(programOfSeed(WORLD, seed).steps).join()),
    );
    expect(shapes.size).toBeGreaterThan(30);
  });
});
