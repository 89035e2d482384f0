/** The documents of `docs/units.md` are what the service reads and writes: whoever follows them has a unit. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isUserPublicKey, unitInbox } from '../../bus/identity.ts';
import { subject } from '../../contract/bus/subjects.ts';
import {
  UNIT_ANSWER_MS,
  UNIT_CREDENTIAL_MS,
  UNIT_ENROLMENT_MS,
  UNIT_GATEWAYS,
  UNIT_MESSAGE_BYTES,
  UNIT_PERIOD_MS_LEAST,
  UNIT_PERIOD_MS_MOST,
  UNITS_MOST,
} from '../../contract/limits/unit.ts';
import {
  REGISTRATION_CODES,
  readHeartbeat,
  readHeartbeatReply,
  readRegistration,
  readRegistrationReply,
  readUnitReply,
} from '../../contract/unit-wire.ts';
import { UNIT_FAULTS } from '../../links/unit/faults.ts';

const guide = readFileSync('docs/units.md', 'utf8');
const DAY_MS = 24 * 3_600_000;

/** The JSON behind a mark of the guide. */
function document(mark: string): { readonly bytes: Uint8Array; readonly value: unknown } {
  const block = guide.split(`<!-- ${mark} -->\n\`\`\`json\n`)[1]?.split('\n```')[0];
  if (block === undefined) throw new Error(`the guide has no document ${mark}`);
  return { bytes: Buffer.from(block), value: JSON.parse(block) };
}

describe('the guide for units', () => {
  it('MC-UNIT-001 MC-UNIT-022 has a registration that is accepted as it stands, and the answers to one', () => {
    const { bytes, value } = document('registration');
    expect(readRegistration(bytes, 'bench-07', isUserPublicKey)).toEqual({ ok: true, value });
    for (const mark of ['registered', 'refused'])
      expect(document(mark).value).toMatchObject(readRegistrationReply(document(mark).bytes)!);
  });

  it('MC-UNIT-021 has a heartbeat and its answer', () => {
    expect(readHeartbeat(document('heartbeat').bytes)).toEqual(document('heartbeat').value);
    expect(readHeartbeatReply(document('heartbeat answer').bytes)).toEqual({ register: false });
  });

  it('MC-UNIT-008 MC-UNIT-013 has the answers to verbs', () => {
    for (const mark of ['selftest answer', 'verb refused'])
      expect(readUnitReply(document(mark).bytes)).toEqual(document(mark).value);
  });

  it('names the subjects, limits, codes and faults there are', () => {
    const serial = 'SERIAL';
    const subjects = [
      subject.unitRegister(serial),
      subject.unitHeartbeat(serial),
      subject.unitVerb(serial, 'x').replace(/x$/, '*'),
      `${unitInbox(serial)}.>`,
    ];
    for (const named of subjects) {
      expect(guide).toContain(`\`${named.replace(serial, '<serial>')}\``);
      expect(guide).toContain(named.replace(serial, '{{name()}}'));
    }
    for (const code of REGISTRATION_CODES) expect(guide).toContain(`| \`${code}\` |`);
    for (const [fault, does] of Object.entries(UNIT_FAULTS))
      expect(guide).toContain(`| \`${fault}\` | ${does} |`);
    expect([UNIT_ENROLMENT_MS / DAY_MS, UNIT_CREDENTIAL_MS / DAY_MS, UNIT_ANSWER_MS]).toEqual([
      7, 90, 30_000,
    ]);
    expect(guide).toContain(`from ${UNIT_PERIOD_MS_LEAST} to ${UNIT_PERIOD_MS_MOST}`);
    expect(guide).toContain(`there are ${UNITS_MOST} units`);
    expect(guide).toContain(`at most ${UNIT_GATEWAYS}, each once`);
    expect(UNIT_MESSAGE_BYTES).toBe(64 * 1024);
  });
});
