import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { header } from '../../contract/bus/headers.ts';
import { subject } from '../../contract/bus/subjects.ts';
import type { DecodeReply, DriverAnswer, EncodeReply } from '../../contract/link.ts';
import { startDriverService } from '../../links/driver-service.ts';
import type { Stoppable } from '../../ports/bus.ts';
import { demoMission, TestMissions } from '../support/missions.ts';
import { type KeptLog, keptLog } from '../support/silent-log.ts';
import { DOWN, missionOf } from './cfdp/group-world.ts';
import { MemoryBus } from './memory-bus.ts';

const mission = demoMission();
const ping = { target: 'sat1', link: 'uhf', component: 'obc', telecommand: 'ping', args: {} };
let bus: MemoryBus;
let missions: TestMissions;
let log: KeptLog;
let service: Stoppable;

beforeEach(() => {
  bus = new MemoryBus();
  missions = new TestMissions(mission);
  log = keptLog();
  service = startDriverService({ bus, missions, log });
});
afterEach(() => service.stop());

function ask<Reply>(driver: string, verb: string, call: unknown, headers = {}): Promise<DriverAnswer<Reply>> {
  return bus.ask(subject.driverVerb(driver, verb), call, headers);
}

describe('driver verbs', () => {
  it('encode answers the frame, and MC-ENC-008 sends and publishes nothing', async () => {
    const answer = await ask<EncodeReply>('pus', 'encode', ping);
    expect(answer).toMatchObject({ ok: true, value: { frame: expect.stringMatching(/^1873c000/) } });
    expect([bus.stored, bus.published]).toEqual([[], []]);
  });

  it('MC-ENC-021 decode publishes nothing', async () => {
    const frame = '0873c01700192003190005000140610502932e7b00011c2cff8341ac0000a50e';
    const answer = await ask<DecodeReply>('pus', 'decode', { target: 'sat1', link: 'uhf', frame });
    expect(answer.ok).toBe(false);
    const pong = '0873c016000f2011020000000040610502932e7b9d68';
    expect(await ask('pus', 'decode', { target: 'sat1', link: 'uhf', frame: pong })).toEqual({
      ok: true,
      value: { samples: [] },
    });
    expect([bus.stored, bus.published]).toEqual([[], []]);
  });

  it('driver-service.H4 each process answers what may be asked twice, and no other verb', async () => {
    const call = { target: 'sat1', link: 'uhf', frame: '0873c016000f2011020000000040610502932e7b9d68' };
    const ofAll = (verb: string, asked: object) => bus.ask(subject.driverVerbOfAll('pus', verb), asked);
    expect(await ofAll('encode', ping)).toMatchObject({ ok: true, value: { frame: expect.any(String) } });
    expect(await ofAll('decode', call)).toEqual({ ok: true, value: { samples: [] } });
    expect(await ofAll('state', {})).toMatchObject({ driver: 'pus', protocol: 'pus-c' });
    await expect(ofAll('cfdp', {})).rejects.toMatchObject({ code: 'bus.no-responder' });
  });

  it('a verb the driver lacks is driver::no-verb', async () => {
    const noVerb = { ok: false, faults: [{ code: 'driver::no-verb' }] };
    expect(await ask('packets', 'encode', ping)).toMatchObject(noVerb);
    expect(await ask('packets', 'cfdp', {})).toMatchObject(noVerb);
    expect(await ask('pus', 'cfdp', {})).toMatchObject(noVerb);
  });

  it('MC-CFDP-001 cfdp is answered elsewhere for drivers that speak it, by the mission of the call', async () => {
    const before = missionOf({ naks: 'deferred' });
    const after = missionOf();
    const asked: unknown[] = [];
    const speaking = new TestMissions(before);
    speaking.publish(after);
    const files = startDriverService({
      bus,
      missions: speaking,
      log,
      files: async (driver, call, { revision }) => {
        asked.push({ driver: driver.name, settings: driver.settings, call, revision });
        return { ok: true, value: { outcome: 'completed' } };
      },
    });
    await service.stop();
    expect(await ask('pus', 'cfdp', DOWN)).toEqual({ ok: true, value: { outcome: 'completed' } });
    await ask('pus', 'cfdp', DOWN, { [header.config]: before.revision });
    expect(asked).toMatchObject([
      { driver: 'pus', call: DOWN, revision: after.revision },
      { settings: { cfdp: { naks: 'deferred' } }, revision: before.revision },
    ]);
    await files.stop();
  });

  it('a driver of protocol cfdp is served: it has that verb and no other', async () => {
    await service.stop();
    const more = { drivers: { files: { protocol: 'cfdp', entity: 1 } }, targets: {} };
    const files = startDriverService({
      bus,
      missions: new TestMissions(missionOf({}, more)),
      log,
      files: async () => ({ ok: true, value: { outcome: 'completed' } }),
    });
    expect(await ask('files', 'cfdp', DOWN)).toMatchObject({ ok: true });
    expect(await ask('files', 'encode', ping)).toMatchObject({ faults: [{ code: 'driver::no-verb' }] });
    expect(await ask('files', 'state', {})).toMatchObject({ driver: 'files', protocol: 'cfdp' });
    await files.stop();
  });

  it('malformed calls are refused, not left unanswered', async () => {
    const failed = { ok: false, faults: [{ code: 'driver::encode-failed' }] };
    expect(await ask('pus', 'encode', 17)).toMatchObject(failed);
    expect(await ask('pus', 'encode', { ...ping, args: undefined })).toMatchObject(failed);
    expect(await ask('pus', 'encode', {})).toMatchObject(failed);
    const undecodable = { ok: false, faults: [{ code: 'driver::decode-failed' }] };
    for (const frame of ['', 'abc', 'zz', '00 00', 17]) {
      expect(await ask('pus', 'decode', { target: 'sat1', link: 'uhf', frame })).toMatchObject(undecodable);
    }
  });

  it('driver-service.H3 an outage leaves the call unanswered', async () => {
    bus.connected = false;
    await expect(ask('pus', 'encode', ping)).rejects.toMatchObject({ code: 'bus.timeout' });
  });

  it('MC-ENC-010 advances its counter on encode, over all processes that serve it', async () => {
    const other = startDriverService({ bus, missions, log });
    const frames = new Set<string>();
    for (let index = 0; index < 4; index += 1) {
      const answer = await ask<EncodeReply>('pus', 'encode', ping);
      if (answer.ok) frames.add(answer.value.frame);
      if (index === 1) await service.stop();
    }
    expect(frames.size).toBe(4);
    await other.stop();
  });

  it('driver-service.H2 answers from the mission the call was resolved against', async () => {
    const changed = demoMission((text) =>
      text
        .replace('      ping:\n        description: Ask for', '      pong:\n        description: Ask for')
        .replaceAll('sat.obc.ping', 'sat.obc.pong'),
    );
    missions.publish(changed);
    const under = (revision: string) => ask('pus', 'encode', ping, { [header.config]: revision });
    expect((await under(mission.revision)).ok).toBe(true);
    expect((await under(changed.revision)).ok).toBe(false);
    expect((await ask('pus', 'encode', ping)).ok).toBe(false);
  });

  it('driver-service.H2 with the settings that the driver has in that mission, before and behind a change of them', async () => {
    const changed = demoMission((text) =>
      text.replace('pus: { protocol: pus-c }', 'pus: { protocol: pus-c, source: 7 }'),
    );
    const sourceUnder = async (revision: string) => {
      const answer = await ask<EncodeReply>('pus', 'encode', ping, { [header.config]: revision });
      return answer.ok && answer.value.frame.slice(18, 22);
    };
    missions.publish(changed);
    expect([await sourceUnder(mission.revision), await sourceUnder(changed.revision)]).toEqual([
      '0000',
      '0007',
    ]);
    // A process that is behind knows the mission of the call, and has not taken it up.
    missions.publish(mission);
    expect([await sourceUnder(mission.revision), await sourceUnder(changed.revision)]).toEqual([
      '0000',
      '0007',
    ]);
  });

  it('driver-service.H2 a mission whose driver cannot be made is refused, and why', async () => {
    const broken = demoMission((text) =>
      text.replace('pus: { protocol: pus-c }', 'pus: { protocol: pus-c, time_bytes: 99 }'),
    );
    missions.publish(broken);
    missions.publish(mission);
    const answer = await ask('pus', 'encode', ping, { [header.config]: broken.revision });
    expect(answer).toMatchObject({
      ok: false,
      faults: [{ code: 'driver::encode-failed', message: expect.stringMatching(/time_bytes/) }],
    });
  });
});

describe('a new mission', () => {
  it('MC-GEN-015 brings drivers, takes them away and changes their settings without a restart', async () => {
    missions.publish(
      demoMission((text) =>
        text.replace(
          'pus: { protocol: pus-c }',
          'pus: { protocol: pus-c, source: 7 }\n  spare: { protocol: pus-c }',
        ),
      ),
    );
    expect((await ask('spare', 'encode', ping)).ok).toBe(true);
    const answer = await ask<EncodeReply>('pus', 'encode', ping);
    expect(answer.ok && answer.value.frame.slice(18, 22)).toBe('0007');
    missions.publish(mission);
    await expect(ask('spare', 'encode', ping)).rejects.toMatchObject({ code: 'bus.no-responder' });
  });

  it('does not serve a driver it cannot make, and says why', async () => {
    missions.publish(
      demoMission((text) =>
        text.replace('pus: { protocol: pus-c }', 'pus: { protocol: pus-c, time_bytes: 99 }'),
      ),
    );
    await expect(ask('pus', 'encode', ping)).rejects.toMatchObject({ code: 'bus.no-responder' });
    expect(log.said).toMatchObject([
      { level: 'error', fields: { faults: [expect.stringMatching(/time_bytes/)] } },
    ]);
  });
});

it('serves nothing after it stopped', async () => {
  await service.stop();
  await expect(ask('pus', 'encode', ping)).rejects.toMatchObject({ code: 'bus.no-responder' });
});
