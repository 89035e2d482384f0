import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const tool = fileURLToPath(new URL('../../tools/verify.mjs', import.meta.url));
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'verify-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the tool where the check exits with `check` and the test runner reports `report` and exits with `exit`. */
interface Run {
  readonly check?: number;
  /** Instead of a check that does nothing but exit. */
  readonly beside?: string;
  readonly report?: object;
  readonly exit?: number;
  /** What the test runner does before all else. */
  readonly first?: string;
}

function verify({
  check = 0,
  beside = `node -e "process.exit(${check})"`,
  report,
  exit = 0,
  first = '',
}: Run) {
  const runner = `
    ${first}
    const path = process.argv.find((argument) => argument.startsWith('--outputFile.json=')).split('=')[1];
    const report = ${JSON.stringify(report ?? null)};
    if (report !== null) require('node:fs').writeFileSync(path, JSON.stringify(report));
    console.log('tests ran with', process.argv.slice(-1)[0]);
    process.exit(${exit});`;
  writeFileSync(join(folder, 'runner.cjs'), runner);
  const scripts = {
    lint: beside,
    test: 'node runner.cjs',
    verify: 'npm run lint && npm test',
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts }));
  return new Promise<{ code: number; lines: string[] }>((resolve) => {
    execFile(process.execPath, [tool, 'only-this'], { cwd: folder }, (error, stdout) => {
      resolve({ code: error === null ? 0 : Number(error.code), lines: stdout.trimEnd().split('\n') });
    });
  });
}

const passed = { numPassedTests: 12, numFailedTests: 0, testResults: [] };

describe('the list of long files', () => {
  it('names files that are there, each with its reason', () => {
    const root = fileURLToPath(new URL('../..', import.meta.url));
    const reasons = JSON.parse(readFileSync(join(root, 'test/long-files.json'), 'utf8')) as Record<
      string,
      string
    >;
    for (const [file, reason] of Object.entries(reasons)) {
      expect(existsSync(join(root, file)), file).toBe(true);
      expect(reason, file).toMatch(/\S/);
    }
  });
});

describe('the last line of `mcs test`', () => {
  it('is what the runner counted, and the exit code says that nothing failed', async () => {
    const { code, lines } = await verify({ report: passed });
    expect(lines.at(-1)).toBe('12 passed, 0 failed');
    expect(lines).toContain('tests ran with only-this');
    expect(code).toBe(0);
  });

  it('counts failed tests, and the exit code says so', async () => {
    const { code, lines } = await verify({ report: { ...passed, numFailedTests: 3 }, exit: 1 });
    expect(lines.at(-1)).toBe('12 passed, 3 failed');
    expect(code).toBe(1);
  });

  it('counts a check that failed, and the tests run all the same', async () => {
    const { code, lines } = await verify({ check: 1, report: passed });
    expect(lines.slice(-2)).toEqual(['failed: npm run lint', '12 passed, 1 failed']);
    expect(code).toBe(1);
  });

  it('verify.V1 stands behind what a check says, which runs beside the tests and is shown behind them', async () => {
    writeFileSync(
      join(folder, 'check.cjs'),
      "require('node:fs').writeFileSync('ran', ''); console.log('seen');",
    );
    // A check that waited for the tests would be waited for.
    const first = "while (!require('node:fs').existsSync('ran'));";
    const { lines } = await verify({ first, report: passed, beside: 'node check.cjs' });
    const [ran, seen] = [lines.indexOf('tests ran with only-this'), lines.indexOf('seen')];
    expect(ran).toBeGreaterThanOrEqual(0);
    expect(seen).toBeGreaterThan(ran);
  });

  it('counts a test file that could not be loaded', async () => {
    const testResults = [{ status: 'failed', assertionResults: [] }];
    const { code, lines } = await verify({ report: { ...passed, testResults }, exit: 1 });
    expect(lines.at(-1)).toBe('12 passed, 1 failed');
    expect(code).toBe(1);
  });

  it('comes behind the files that took long without a reason, which is no failure', async () => {
    mkdirSync(join(folder, 'test'));
    writeFileSync(
      join(folder, 'test', 'long-files.json'),
      JSON.stringify({ 'test/elections.test.ts': 'they wait' }),
    );
    const took = (name: string, ms: number) => ({
      name: join(folder, name),
      startTime: 1_000,
      endTime: 1_000 + ms,
      assertionResults: [],
    });
    const testResults = [
      took('test/elections.test.ts', 45_000),
      took('test/slow.test.ts', 20_400),
      took('test/quick.test.ts', 19_900),
    ];
    const { code, lines } = await verify({ report: { ...passed, testResults } });
    expect(lines.filter((line) => line.startsWith('test/'))).toEqual([
      'test/slow.test.ts: 20 s, and no reason in test/long-files.json',
    ]);
    expect(lines.at(-1)).toBe('12 passed, 0 failed');
    expect(code).toBe(0);
  });

  it('is not good when the runner failed and reports no failure, or reports nothing', async () => {
    expect((await verify({ report: passed, exit: 1 })).lines.at(-1)).toBe('12 passed, 1 failed');
    const { code, lines } = await verify({ exit: 1 });
    expect(lines.at(-1)).toBe('0 passed, 1 failed');
    expect(code).toBe(1);
  });
});
