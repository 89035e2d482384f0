import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readBenchFolder } from '../../../supervision/bench/folder.ts';
import { DEMO } from '../../support/demo-cell.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcs-bench-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('the documents of a bench', () => {
  it('are those of the demo: profiles, scenarios, campaigns and the model', async () => {
    const read = await readBenchFolder(DEMO);
    if (!read.ok) throw new Error(read.faults.join('\n'));
    const { config, profiles, scenarios, campaigns } = read.value;
    expect(config).toMatchObject({ board: 'stub', wired: 'air' });
    expect(profiles.size).toBe(3);
    expect(scenarios.size).toBeGreaterThanOrEqual(4);
    expect([...campaigns.keys()]).toEqual(['nightly', 'self-test']);
  });

  it('folder.B2 of a folder without any are none, and the model', async () => {
    const read = await readBenchFolder(folder);
    expect(read).toMatchObject({ ok: true, value: { config: {} } });
  });

  it('folder.B1 reports two documents of one name, with both files', async () => {
    await cp(join(DEMO, 'bench'), join(folder, 'bench'), { recursive: true });
    const profiles = join(folder, 'bench', 'profiles');
    await cp(join(profiles, 'qpsk-1m.yaml'), join(profiles, 'second.yaml'));
    const read = await readBenchFolder(folder);
    expect(read).toEqual({
      ok: false,
      faults: [`${join(profiles, 'second.yaml')}: name: "qpsk-1m" is already that of qpsk-1m.yaml`],
    });
  });

  it.each([
    ['board: iiod', /iiod: is missing/],
    ['{ board: iiod, iiod: { host: a }, stub: { seed: 1 } }', /stub: describes a model/],
    ['iiod: { host: a }', /iiod: describes a board, but the bench is the model/],
    ['wired: nowhere', /wired: /],
    ['stub: { iiod_port: 70000 }', /stub\.iiod_port: .*65535/],
    ['stub: { loss: 3 }', /stub\.loss: .*loss_db/],
    ['board: [', /bench\.yaml: line 1/],
  ])('of a bench.yaml with %s are refused, with the path', async (text, reason) => {
    await cp(join(DEMO, 'bench'), join(folder, 'bench'), { recursive: true });
    await writeFile(join(folder, 'bench', 'bench.yaml'), text);
    const read = await readBenchFolder(folder);
    expect(read.ok ? [] : read.faults).toEqual([expect.stringMatching(reason)]);
  });
});
