/** `mcs values watch` in a terminal, as a person sees it. */

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { mcsProgram } from '../support/program.ts';
import { type Relay, startRelay } from '../support/relay.ts';
import { startInTerminal, type Terminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';

const MCS = [process.execPath, ...(await mcsProgram())];
const SIZE = { rows: 24, columns: 80 };
/** A command of its own process starts slowly on a busy machine. */
const PATIENTLY = { timeoutMs: 45_000 };
const CTRL_C = '\u0003';

let cell: DemoCell;
let relay: Relay;
const terminals: Terminal[] = [];

beforeAll(async () => {
  cell = await startDemoCell({ roles: ['api', 'drivers', 'gateways', 'telemetry'], memberTtlMs: 20_000 });
  relay = await startRelay(Number(new URL(cell.api).port));
}, 60_000);
afterEach(() => {
  for (const terminal of terminals.splice(0)) terminal.kill();
  relay.refusing = false;
});
afterAll(async () => {
  await relay.stop();
  await cell.stop();
});

function watch(size = SIZE, env: Readonly<Record<string, string>> = { NO_COLOR: '' }): Terminal {
  const api = `http://127.0.0.1:${relay.port}`;
  const terminal = startInTerminal([...MCS, 'values', 'watch', 'sat1', '--api', api], { ...size, env });
  terminals.push(terminal);
  return terminal;
}

const UPTIME = /^obc\.uptime +(\d+) +s +\d+ s/;

/** The row in which the time since the boot stands, and what it says; undefined while it is not there. */
function uptimeOf({ screen }: Terminal): { row: number; seconds: number } | undefined {
  const row = screen.lines.findIndex((line) => UPTIME.test(line));
  const seconds = Number(UPTIME.exec(screen.lines[row] ?? '')?.[1]);
  return row === -1 ? undefined : { row, seconds };
}

/** Resolves when the value of the row has moved on. */
async function moves(terminal: Terminal): Promise<void> {
  const before = (await until(() => uptimeOf(terminal), PATIENTLY)).seconds;
  await until(() => (uptimeOf(terminal)?.seconds ?? before) > before, PATIENTLY);
}

// What other systems call `script` takes other words.
describe.runIf(process.platform === 'linux')('mcs values watch in a terminal', { timeout: 120_000 }, () => {
  it('screen.S2 values-table.T4 draws the table in place, within 80 columns, and nothing scrolls', async () => {
    const terminal = watch();
    const { screen } = terminal;
    const { row } = await until(() => uptimeOf(terminal), PATIENTLY);
    await moves(terminal);
    await moves(terminal);
    expect(uptimeOf(terminal)?.row).toBe(row);
    expect(screen.lines[0]).toMatch(/^sat1 {2}live {2}\d\d:\d\d:\d\dZ {2}\d+ of \d+ measures received/);
    expect(screen.lines[1]).toMatch(/^measure +value +age$/);
    expect(screen.lines[23]).toMatch(/^q quits.* 1-\d+ of \d+$/);
    expect(screen).toMatchObject({ isSecond: true, cursor: false, wrapping: false, scrolled: 0, past: 0 });
    expect([...screen.styles]).not.toEqual([]);
  });

  it('subjects.S1 gives the terminal back at Ctrl-C: its cursor, its lines, and what stood there before', async () => {
    const terminal = watch();
    await until(() => uptimeOf(terminal), PATIENTLY);
    terminal.type(CTRL_C);
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen).toMatchObject({ isSecond: false, cursor: true, wrapping: true });
    expect(terminal.screen.lines.filter((line) => line !== '')).toEqual(['before']);
  });

  it('says that the connection is lost, keeps what it knows, and goes on when the service is back', async () => {
    const terminal = watch();
    const { screen } = terminal;
    const { row } = await until(() => uptimeOf(terminal), PATIENTLY);
    relay.refusing = true;
    relay.cut();
    await until(() => /^sat1 {2}.*trying again/.test(screen.lines[0]!), PATIENTLY);
    expect(uptimeOf(terminal)?.row).toBe(row);
    relay.refusing = false;
    await until(() => screen.lines[0]!.startsWith('sat1  live'), PATIENTLY);
    await moves(terminal);
    expect(uptimeOf(terminal)?.row).toBe(row);
    expect(screen).toMatchObject({ isSecond: true, cursor: false, scrolled: 0, past: 0 });
    terminal.type('q');
    expect(await terminal.ended).toBe(0);
    expect(screen).toMatchObject({ isSecond: false, cursor: true, wrapping: true });
  });

  it('values-table.T2 has no colour with NO_COLOR, and fits a narrow terminal', async () => {
    const terminal = watch({ rows: 12, columns: 30 }, { NO_COLOR: '1' });
    const { screen } = terminal;
    await until(() => screen.lines.some((line) => line.startsWith('battery[1].voltage')), PATIENTLY);
    expect([...screen.styles]).toEqual([]);
    expect(screen).toMatchObject({ scrolled: 0, past: 0 });
    expect(screen.lines.filter((line) => line.endsWith('…'))).not.toEqual([]);
    terminal.type('G');
    await until(() => /^q quits/.test(screen.lines[11]!) && !screen.lines[2]!.startsWith('obc'), PATIENTLY);
  });
});
