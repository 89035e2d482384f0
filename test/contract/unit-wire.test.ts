/** What units say, read without trust: every refusal of a registration, and what is no heartbeat and no reply. */

import fc from 'fast-check';
import { createAccount, createUser } from 'nkeys.js';
import { describe, expect, it } from 'vitest';
import { isUserPublicKey } from '../../bus/identity.ts';
import { UNIT_GATEWAYS, UNIT_MESSAGE_BYTES } from '../../contract/limits/unit.ts';
import { readStoredUnit } from '../../contract/stored-unit.ts';
import {
  readHeartbeat,
  readHeartbeatReply,
  readRegistration,
  readRegistrationReply,
  readUnitReply,
} from '../../contract/unit-wire.ts';

const DOCUMENT = {
  kind: 'unit',
  instance: 'bench-07',
  software: { name: 'bench-unit', version: '1.4.0' },
  heartbeat_period_ms: 1_000,
  public_key: createUser().getPublicKey(),
  unit: { hardware_revision: 'C2', gateways: ['uhf-07', 'sband_07'] },
};

const bytes = (value: unknown): Uint8Array =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
const read = (value: unknown, serial = 'bench-07') => readRegistration(bytes(value), serial, isUserPublicKey);
const unit = (more: object) => ({ ...DOCUMENT, unit: { ...DOCUMENT.unit, ...more } });
const without = (field: keyof typeof DOCUMENT) => {
  const { [field]: _, ...rest } = DOCUMENT;
  return rest;
};

/** What is refused, and which fields are named. */
const REFUSED: readonly (readonly [
  ledger: string,
  what: string,
  document: unknown,
  fields: readonly string[],
])[] = [
  ['MC-UNIT-002', 'no section unit', without('unit'), ['unit']],
  ['MC-UNIT-002', 'a section unit that is a list', { ...DOCUMENT, unit: [] }, ['unit']],
  ['MC-UNIT-003', 'an empty revision', unit({ hardware_revision: '' }), ['unit.hardware_revision']],
  ['MC-UNIT-003', 'a blank revision', unit({ hardware_revision: '  ' }), ['unit.hardware_revision']],
  ['MC-UNIT-003', 'no revision', unit({ hardware_revision: undefined }), ['unit.hardware_revision']],
  ['MC-UNIT-004', 'a gateway with a dot', unit({ gateways: ['uhf-07', 'a.b'] }), ['unit.gateways.1']],
  ['MC-UNIT-004', 'a gateway with a wildcard', unit({ gateways: ['>'] }), ['unit.gateways.0']],
  ['MC-UNIT-004', 'a gateway with a space', unit({ gateways: ['a b'] }), ['unit.gateways.0']],
  ['MC-UNIT-004', 'an empty gateway', unit({ gateways: [''] }), ['unit.gateways.0']],
  ['MC-UNIT-004', 'a gateway that is a number', unit({ gateways: [7] }), ['unit.gateways.0']],
  ['MC-UNIT-001', 'a gateway twice', unit({ gateways: ['a', 'a'] }), ['unit.gateways']],
  ['MC-UNIT-001', 'no list of gateways', unit({ gateways: undefined }), ['unit.gateways']],
  [
    'MC-UNIT-001',
    'more gateways than any bench has',
    unit({ gateways: Array.from({ length: UNIT_GATEWAYS + 1 }, (_, index) => `g${index}`) }),
    ['unit.gateways'],
  ],
  ['MC-UNIT-001', 'another kind', { ...DOCUMENT, kind: 'connector' }, ['kind']],
  ['MC-UNIT-001', 'the serial number of another unit', { ...DOCUMENT, instance: 'bench-08' }, ['instance']],
  ['MC-UNIT-001', 'no serial number', without('instance'), ['instance']],
  ['MC-UNIT-001', 'no software', without('software'), ['software.name', 'software.version']],
  [
    'MC-UNIT-001',
    'an empty version',
    { ...DOCUMENT, software: { name: 'a', version: '' } },
    ['software.version'],
  ],
  ['MC-UNIT-001', 'no period', without('heartbeat_period_ms'), ['heartbeat_period_ms']],
  ['MC-UNIT-001', 'a period of nothing', { ...DOCUMENT, heartbeat_period_ms: 0 }, ['heartbeat_period_ms']],
  [
    'MC-UNIT-001',
    'a period of a day',
    { ...DOCUMENT, heartbeat_period_ms: 86_400_000 },
    ['heartbeat_period_ms'],
  ],
  ['MC-UNIT-001', 'a period as text', { ...DOCUMENT, heartbeat_period_ms: '1000' }, ['heartbeat_period_ms']],
  ['MC-UNIT-001', 'no key', without('public_key'), ['public_key']],
  [
    'MC-UNIT-001',
    'the key of an account',
    { ...DOCUMENT, public_key: createAccount().getPublicKey() },
    ['public_key'],
  ],
  ['MC-UNIT-001', 'a boot that is no token', { ...DOCUMENT, boot: 'a b' }, ['boot']],
  ['MC-UNIT-001', 'text that is no JSON', '{', [undefined as never]],
  ['MC-UNIT-001', 'a list', '[]', [undefined as never]],
  [
    'MC-UNIT-001',
    'more bytes than a message may have',
    `{"kind":"${'x'.repeat(UNIT_MESSAGE_BYTES)}"}`,
    [undefined as never],
  ],
];

describe('a registration', () => {
  it('MC-UNIT-001 is read with all its fields, and those that are not known are skipped', () => {
    expect(read({ ...DOCUMENT, colour: 'red', boot: 'b1' })).toEqual({
      ok: true,
      value: { ...DOCUMENT, boot: 'b1' },
    });
  });

  it.each(REFUSED)(
    'MC-UNIT-001 MC-UNIT-002 MC-UNIT-003 MC-UNIT-004 is refused, by %s, with %s',
    (_ledger, _what, document, fields) => {
      const refused = read(document);
      expect(refused.ok).toBe(false);
      if (!refused.ok) expect(refused.faults.map(({ path }) => path)).toEqual(fields);
    },
  );

  it('is refused with every fault at once, each with a sentence', () => {
    const refused = read({ kind: 'x', unit: { hardware_revision: '', gateways: ['a.b'] } });
    if (refused.ok) throw new Error('it was taken');
    expect(refused.faults.map(({ path }) => path)).toEqual([
      'kind',
      'instance',
      'heartbeat_period_ms',
      'public_key',
      'software.name',
      'software.version',
      'unit.hardware_revision',
      'unit.gateways.0',
    ]);
    expect(refused.faults.map(({ message }) => message).join('\n')).toMatchInlineSnapshot(`
      "kind: must be "unit"
      instance: must be the serial number of the subject, bench-07
      heartbeat_period_ms: must be whole milliseconds from 200 to 600000
      must be a public user key of the bus
      software.name: must be a text of 1 to 128 characters
      software.version: must be a text of 1 to 128 characters
      unit.hardware_revision: must be a text of 1 to 128 characters: it is missing, empty or too long
      unit.gateways.0: must be a token: letters, digits, - and _"
    `);
  });
});

describe('what comes from the bus', () => {
  const readers = {
    registration: (text: Uint8Array) => readRegistration(text, 'bench-07', isUserPublicKey),
    heartbeat: readHeartbeat,
    registrationReply: readRegistrationReply,
    heartbeatReply: readHeartbeatReply,
    unitReply: readUnitReply,
    record: readStoredUnit,
  };

  it.each(Object.entries(readers))('unit-wire.W1 never throws as %s', (_name, reader) => {
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 40 }), fc.json().map(bytes)), (text) => {
        reader(text);
      }),
    );
  });

  it('is a heartbeat with what it says, cut to what people read', () => {
    const long = 'x'.repeat(1_000);
    const beat = readHeartbeat(
      bytes({
        health: { state: 'degraded', reason: long },
        activity: { verb: 'update', phase: 'p', percent: 400 },
      }),
    );
    expect(beat?.health.reason?.length).toBe(400);
    expect(beat?.activity).toEqual({ verb: 'update', phase: 'p' });
  });

  it('MC-UNIT-013 is a reply of a unit, with whatever it holds, or a refusal', () => {
    expect(readUnitReply(bytes({ ok: true, value: { passed: true, extra: [1] } }))).toEqual({
      ok: true,
      value: { passed: true, extra: [1] },
    });
    const faults = [{ code: 'unit::refused', message: 'bad signature' }];
    expect(readUnitReply(bytes({ ok: false, faults }))).toEqual({ ok: false, faults });
    for (const text of [
      '{}',
      '{"ok":true}',
      '{"ok":false,"faults":[]}',
      '{"ok":false,"faults":[{"code":"x"}]}',
    ])
      expect(readUnitReply(bytes(text))).toBeUndefined();
  });
});
