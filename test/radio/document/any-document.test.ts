/**
 * Whatever is given as a document: a value or faults as `path: reason`, never a throw, and never other than Ajv on the
 * shape.
 */

import { Ajv } from 'ajv';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { TransmitBody } from '../../../contract/bench/datapath.ts';
import { BENCH_DOCUMENT_KINDS, type BenchDocumentKind, benchSchema } from '../../../contract/bench/schema.ts';
import { readCampaign } from '../../../radio/document/campaign.ts';
import { shapeFaults } from '../../../radio/document/fault.ts';
import { readProfile } from '../../../radio/document/profile.ts';
import { readScenario } from '../../../radio/document/scenario.ts';
import { demoProfiles, demoScenarios, demoTexts, faultsOf } from './demo-bench.ts';

const SEED = 20_261_121;
/** Each case reads and checks whole documents: a few hundred take seconds, also on a busy machine. */
const RUNS = 150;
const profiles = demoProfiles();
const scenarios = new Set(demoScenarios().keys());
const READ = {
  profile: (text: string) => readProfile(text),
  scenario: (text: string) => readScenario(text, profiles),
  campaign: (text: string) => readCampaign(text, { profiles, scenarios }),
} as const satisfies Record<BenchDocumentKind, (text: string) => unknown>;
const documents = BENCH_DOCUMENT_KINDS.flatMap((kind) =>
  [...demoTexts(`${kind}s`).values()].map((text) => ({ kind, text, value: parse(text) as object })),
);

/** The document with one place of it replaced, removed or extended. */
function mutated(value: unknown, steps: readonly number[], change: (at: unknown) => unknown): unknown {
  const [step, ...rest] = steps;
  if (step === undefined || typeof value !== 'object' || value === null) return change(value);
  const entries = Object.entries(value);
  if (entries.length === 0) return change(value);
  const [key] = entries[step % entries.length]!;
  const next = entries.map(
    ([name, each]) => [name, name === key ? mutated(each, rest, change) : each] as const,
  );
  const kept = next.filter(([, each]) => each !== undefined);
  return Array.isArray(value) ? kept.map(([, each]) => each) : Object.fromEntries(kept);
}

const replacement = fc.oneof(
  fc.constantFrom<unknown>(
    undefined,
    null,
    true,
    '',
    'x',
    'wait',
    'slot',
    'active',
    -1,
    0,
    1.5,
    1e10,
    [],
    {},
  ),
  fc.integer(),
  fc.string({ maxLength: 8 }),
  fc.dictionary(fc.string({ maxLength: 8 }), fc.integer(), { maxKeys: 2 }),
);
const mutation = fc.record({
  which: fc.constantFrom(...documents),
  steps: fc.array(fc.nat(20), { maxLength: 6 }),
  by: replacement,
  extends: fc.boolean(),
});
const changed = mutation.map(({ which, steps, by, extends: extend }) => {
  const more = (at: unknown) =>
    extend && typeof at === 'object' && !Array.isArray(at) ? { ...at, more: by } : by;
  return { kind: which.kind, value: mutated(which.value, steps, more) };
});

function expectPaths(faults: readonly string[]): void {
  for (const fault of faults) expect(fault).toMatch(/^[^\n]+?: [^\n]+$/);
}

it('of any text it never throws, and each fault has its path and its reason on one line', () => {
  const broken = fc
    .tuple(fc.constantFrom(...documents), fc.nat(4_000), fc.nat(40), fc.string({ maxLength: 12 }))
    .map(([{ kind, text }, at, cut, put]) => ({
      kind,
      text: text.slice(0, at) + put + text.slice(at + cut),
    }));
  const noise = fc.record({
    kind: fc.constantFrom(...BENCH_DOCUMENT_KINDS),
    text: fc.string({ unit: 'binary' }),
  });
  fc.assert(
    fc.property(fc.oneof(broken, noise), ({ kind, text }) => expectPaths(faultsOf(READ[kind](text)))),
    { numRuns: RUNS, seed: SEED },
  );
});

it('of any value likewise, and what passes has the shape that editors are reported', () => {
  const ajv = new Ajv({ strict: false });
  const validators = new Map(BENCH_DOCUMENT_KINDS.map((kind) => [kind, ajv.compile(benchSchema(kind))]));
  fc.assert(
    fc.property(changed, ({ kind, value }) => {
      const faults = shapeFaults(benchSchema(kind), value);
      expect({ value, fits: faults.length === 0 }).toEqual({ value, fits: validators.get(kind)!(value) });
      const text = stringify(value ?? null);
      expectPaths([...faults, ...faultsOf(READ[kind](text))]);
      if (READ[kind](text).ok) expect(shapeFaults(benchSchema(kind), parse(text))).toEqual([]);
    }),
    { numRuns: RUNS, seed: SEED },
  );
});

it('of transmit requests the shape is judged as a JSON Schema validator judges it', () => {
  const validate = new Ajv({ strict: false }).compile(TransmitBody);
  const body = {
    packets: [
      { protocol: 'raw', payload_hex: 'deadbeef' },
      { protocol: 'csp', header: { src: 1, dst: 2, dport: 10, sport: 33, crc32: true }, payload_hex: '00' },
      { protocol: 'ccsds', header: { apid: 115, type: 'tm' }, payload_hex: '0102', crc16: true },
    ],
    framing: { mode: 'slot', slot_len: 256, pad: 0 },
  };
  fc.assert(
    fc.property(fc.array(fc.nat(9), { maxLength: 5 }), replacement, (steps, by) => {
      const value = mutated(body, steps, () => by);
      expect({ value, fits: shapeFaults(TransmitBody, value).length === 0 }).toEqual({
        value,
        fits: validate(value),
      });
    }),
    { numRuns: RUNS, seed: SEED },
  );
});
