import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const repository = fileURLToPath(new URL('../..', import.meta.url));
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'boundaries-'));
  symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

function check(): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const tool = join(repository, 'tools/check-boundaries.mjs');
    execFile(process.execPath, [tool, root], (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr });
    });
  });
}

const clock = { 'ports/clock.ts': 'export interface Clock { now(): number }\n' };

describe('the check of the boundaries', () => {
  it('passes imports that go down, and says how many it has seen', async () => {
    write({
      ...clock,
      'mission/mission.ts': 'export interface Mission { name: string }\n',
      'ports/source.ts':
        "import type { Mission } from '../mission/mission.ts';\nexport type Source = () => Mission;\n",
      'links/link.ts':
        "import type { Clock } from '../ports/clock.ts';\nimport type { Source } from '../ports/source.ts';\nexport type Link = [Clock, Source];\n",
      'bus/bus.ts':
        "import { connect } from 'nats';\nimport type { Clock } from '../ports/clock.ts';\nexport { connect, type Clock };\n",
    });
    expect(await check()).toEqual({ code: 0, output: 'boundaries hold: 5 source files, 5 imports\n' });
  });

  it('names every crossing of a boundary at once', async () => {
    // Each file breaks the rule it is listed with.
    const broken: [path: string, text: string, rule: string][] = [
      ['links/up.ts', "import '../bus/target.ts';\n", 'links-imports-folders'],
      ['mission/test-import.ts', "import '../test/target.ts';\n", 'mission-imports-folders'],
      ['http/adapter.ts', "import 'nats';\n", 'only-bus-adapts'],
      ['bus/server.ts', "import 'uWebSockets.js';\n", 'only-http-adapts'],
      ['telemetry/package.ts', "import 'yaml';\n", 'telemetry-imports-packages'],
      ['machines/chart.ts', "import 'node:fs';\n", 'machines-are-pure'],
      [
        'ports/value.ts',
        "import { m } from '../mission/m.ts';\nexport const n = m;\n",
        'ports-imports-types',
      ],
      ['actors/run/a.ts', "import '../alarm/b.ts';\n", 'no-sideways-actors'],
      ['bus/cycle.ts', "import './wheel.ts';\n", 'no-cycles'],
      ['bus/barrel.ts', "import './index.ts';\n", 'no-barrels'],
      ['shiny/new.ts', "import './target.ts';\n", 'no-unknown-folder'],
      ['bus/astray.ts', "import './gone.ts';\n", 'no-unresolvable'],
    ];
    const targets = [
      'bus/target.ts',
      'test/target.ts',
      'actors/alarm/b.ts',
      'bus/index.ts',
      'shiny/target.ts',
    ];
    write({
      ...Object.fromEntries(broken.map(([path, text]) => [path, text])),
      ...Object.fromEntries(targets.map((path) => [path, 'export {};\n'])),
      'bus/wheel.ts': "import './cycle.ts';\n",
      'mission/m.ts': 'export const m = 1;\n',
    });
    const { code, output } = await check();
    expect(code).toBe(1);
    const lines = output.split('\n');
    const found = lines.flatMap((line, index) =>
      line.includes(' -> ') ? [`${line.split(' -> ')[0]}: ${lines[index + 1]!.trim().split(':')[0]}`] : [],
    );
    for (const [path, , rule] of broken) expect(found).toContain(`${path}: ${rule}`);
  });

  it('fails when it sees fewer imports than files, as a parser does that knows no TypeScript', async () => {
    write(clock);
    expect(await check()).toMatchObject({ code: 1, output: expect.stringContaining('the check is blind') });
  });
});
