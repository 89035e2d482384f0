/** Resolution under random requests: it never throws, reports only known codes, and gives the same bytes every time. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ERRORS } from '../../../contract/errors.ts';
import type { RunRequest } from '../../../contract/run.ts';
import { readProgram } from '../../../mission/procedure/program-document.ts';
import { resolveRun } from '../../../mission/procedure/resolve-run.ts';
import { known, mission, STORED } from './run-mission.ts';

const procedures = [...mission.libraries.values()].flatMap(({ procedures: all }) => [...all.keys()]);
const roles = fc.constantFrom('sat', 'eye', 'craft', 'pod', '__proto__');
const value = fc.oneof(
  fc.constantFrom('20 ms', '2 min', 'NOMINAL', '1', '0x00ff', STORED, '7 V', ''),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.string(),
);
const inputs = [
  'exposure',
  'cell',
  'image',
  'patch',
  'below',
  'period',
  'small',
  'mode',
  'data',
  'on',
  'big',
];
const trigger = fc.record(
  {
    step: fc.constantFrom('shoot', 'store/put', 'same', 'nowhere', ''),
    after: fc.constantFrom('1 s', '-1 s', 'x'),
  },
  { requiredKeys: [] },
);
const anyRequest: fc.Arbitrary<RunRequest> = fc.record(
  {
    run: fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...procedures) },
      { weight: 1, arbitrary: fc.string() },
    ),
    library: fc.constantFrom('ops', 'backup', 'ops@1.2.0', 'none'),
    environment: fc.constantFrom('bench', 'bench', 'lab', 'flight', 'nowhere'),
    targets: fc.dictionary(roles, fc.constantFrom(...mission.targets.keys(), 'nobody'), {
      noNullPrototype: true,
    }),
    inputs: fc.dictionary(fc.constantFrom(...inputs, 'other'), value, { noNullPrototype: true }),
    plan: fc.constantFrom('pass-1', 'contribution-7', 'pass-2'),
    faults: fc.array(
      fc.record(
        { target: roles, fault: fc.string(), at: trigger, off: fc.option(trigger) },
        { requiredKeys: ['target', 'fault'] },
      ),
      { maxLength: 3 },
    ),
  },
  { requiredKeys: ['run', 'environment', 'targets'] },
);
const soundRequest: fc.Arbitrary<RunRequest> = fc.record({
  run: fc.constant('take'),
  environment: fc.constantFrom('bench', 'lab'),
  targets: fc.constant({ sat: 'sat1' }),
  inputs: fc.record(
    {
      image: fc.nat(),
      exposure: fc.integer({ min: 1, max: 500 }).map((ms) => `${ms} ms`),
      cell: fc.constantFrom('1', '2'),
      patch: fc.constant(STORED),
    },
    { requiredKeys: ['image'] },
  ),
});

/** The same value, the keys of every object in another order. */
function reordered<Value>(value: Value, turn: number): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => reordered(item, turn)) as Value;
  const entries = Object.entries(value).map(([key, member]) => [key, reordered(member, turn)] as const);
  const at = entries.length === 0 ? 0 : turn % entries.length;
  return Object.fromEntries([...entries.slice(at), ...entries.slice(0, at)].reverse()) as Value;
}

const irOf = (request: RunRequest): string => {
  const result = resolveRun(mission, request, known);
  if (!result.ok) throw new Error(JSON.stringify(result.faults));
  return result.value.ir;
};

it('never throws, and each refusal has a code of resolution, a place and how to repair it', () => {
  fc.assert(
    fc.property(anyRequest, (request) => {
      const result = resolveRun(mission, request, known);
      if (result.ok) {
        const { ir, canonical, program } = result.value;
        expect(readProgram(Buffer.from(canonical), ir).ok).toBe(true);
        expect(program.leases.map(({ target }) => target)).toEqual(
          [...new Set(Object.values(program.targets))].sort(),
        );
        return;
      }
      for (const { code, message, help, path } of result.faults) {
        expect(code).toMatch(/^run::/);
        expect(ERRORS[code].status).toEqual([422]);
        expect([message !== '', help !== '' && help !== undefined, path?.startsWith('/')]).toEqual([
          true,
          true,
          true,
        ]);
      }
    }),
    { numRuns: 400 },
  );
});

it('MC-RUN-041 gives the same hash whatever the order of the keys, and twice the same', () => {
  fc.assert(
    fc.property(soundRequest, fc.nat(20), (request, turn) => {
      expect(irOf(reordered(request, turn))).toBe(irOf(request));
    }),
    { numRuns: 100 },
  );
});

it('MC-GEN-021 gives another hash where the inputs mean another thing', () => {
  fc.assert(
    fc.property(soundRequest, soundRequest, (one, other) => {
      const meaning = (request: RunRequest): string => {
        const result = resolveRun(mission, request, known);
        return JSON.stringify(result.ok && [result.value.program.inputs, request.environment]);
      };
      expect(irOf(one) === irOf(other)).toBe(meaning(one) === meaning(other));
    }),
    { numRuns: 100 },
  );
});
