/** The role `archive`: where its folder is, what it is led under, and what it is kept for. */

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ArchiveSettings } from '../../../mission/configuration.ts';
import { ArchiveWatch } from '../../../supervision/archive/health.ts';
import { machineStorage } from '../../../supervision/archive/storage.ts';
import { realClock } from '../../../supervision/clock.ts';
import type { LeadWork } from '../../../supervision/ownership/leader.ts';
import type { Role, RoleContext } from '../../../supervision/role.ts';
import { startArchive } from '../../../supervision/roles/archive.ts';
import { keptLog } from '../../support/silent-log.ts';
import { until } from '../../support/until.ts';
import { Missions, missionOf } from '../../telemetry/platform.ts';

let folder: string;
let roles: Role[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mcs-archive-role-'));
  roles = [];
});
afterEach(async () => {
  await Promise.all(roles.map((role) => role.stop()));
  rmSync(folder, { recursive: true, force: true });
});

async function led(archive: ArchiveSettings, stateFolder: string | undefined, log = keptLog()) {
  const mission = missionOf('r1', {});
  const missions = new Missions({ ...mission, settings: { ...mission.settings, archive } });
  const context = { clock: realClock, log, missions, registry: new Registry(), stateFolder };
  const role = await startArchive(
    Object.assign(context, {
      archiveHealth: new ArchiveWatch(),
      archiveStorage: machineStorage,
    }) as unknown as RoleContext,
  );
  roles.push(role);
  return new Promise<LeadWork | undefined>((resolve) => role.leadLater!(resolve));
}

describe('the folder of an archive', () => {
  it('is in the state folder of the process, or where archiveFolder says', async () => {
    await led({}, folder);
    expect(readdirSync(join(folder, 'archive'))).toEqual(['identity']);
    await led({ archiveFolder: 'past' }, folder);
    expect(readdirSync(join(folder, 'past'))).toEqual(['identity']);
    await led({ archiveFolder: join(folder, 'elsewhere') }, undefined);
    expect(readdirSync(join(folder, 'elsewhere'))).toEqual(['identity']);
  });

  it('is what is led: those who share it share one lease, others have their own', async () => {
    const [one, same, other] = await Promise.all([
      led({}, folder),
      led({}, folder),
      led({}, join(folder, 'b')),
    ]);
    expect(one?.name).toBe(same?.name);
    expect(other?.name).not.toBe(one?.name);
    const identity = readFileSync(join(folder, 'archive', 'identity'), 'utf8').trim();
    expect(one?.name).toBe(`archive-${identity}`);
    expect((await led({}, folder))?.name).toBe(one?.name);
  });

  it('that is nowhere is said once, and nothing is led', async () => {
    const log = keptLog();
    expect(await led({}, undefined, log)).toBeUndefined();
    expect(log.said.map(({ message }) => message)).toEqual([
      'nothing is archived here: give `archive.folder` in the config document, or --state',
    ]);
  });

  it('whose identity is damaged is not used until somebody has looked', async () => {
    await led({}, folder);
    const path = join(folder, 'archive', 'identity');
    writeFileSync(path, 'no identity\n');
    const log = keptLog();
    const waiting = led({}, folder, log);
    await until(() => log.said.length > 0);
    expect(log.said.map(({ message }) => message)).toEqual(['the folder of the archive cannot be used']);
    await Promise.all(roles.map((role) => role.stop()));
    expect(await waiting).toBeUndefined();
  });
});
