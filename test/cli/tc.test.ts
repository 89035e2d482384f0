/** `mcs tc` as a person uses it, against the demo mission. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { mcsProgram } from '../support/program.ts';
import { startInTerminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';

let cell: DemoCell;
beforeAll(async () => {
  cell = await startDemoCell({ memberTtlMs: 20_000 });
}, 60_000);
afterAll(() => cell.stop());

const MCS = await mcsProgram();
/** A command of its own process starts slowly on a busy machine. */
const PATIENTLY = { timeoutMs: 45_000 };

function mcs(...args: string[]) {
  const child = spawn(process.execPath, [...MCS, ...args], {
    env: { ...process.env, MCS_API: cell.api, USER: 'ada' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { output: '', errors: '' };
  child.stdout!.on('data', (text) => {
    said.output += String(text);
  });
  child.stderr!.on('data', (text) => {
    said.errors += String(text);
  });
  // Closed, and not only over: what it said last may come behind its end.
  return { child, said, code: once(child, 'close').then(([code]) => code as number | null) };
}

describe('mcs tc', () => {
  it('sends, follows to the final state and exits 0', async () => {
    const { said, code } = mcs('tc', 'send', 'sat1', 'obc.set_mode', 'mode=NOMINAL');
    expect(await code, said.errors).toBe(0);
    const lines = said.output.trimEnd().split('\n');
    expect(lines).toHaveLength(5);
    expect(lines[0]).toMatch(/^[0-9A-Z]{26}$/);
    expect(lines[1]).toMatch(/PENDING +obc\.set_mode, by ada$/);
    expect(lines.slice(2).map((line) => line.trim().split(/ +/)[1])).toEqual(['ENCODED', 'SENT', 'VERIFIED']);
  });

  it('exits 1 with the reason when it does not end well', async () => {
    const { said, code } = mcs('tc', 'send', 'sat1', 'obc.reboot', '--hazardous');
    expect(await code).toBe(1);
    expect(said.output).toMatch(
      /REJECTED +requires obc\.mode == SAFE: it does not hold \(obc\.mode is NOMINAL\)/,
    );
  });

  it('prints every refusal of the service as it says it, and exits 1', async () => {
    const { said, code } = mcs('tc', 'send', 'sat1', 'obc.set_watchdog', 'period=7 V', 'x=1');
    expect(await code).toBe(1);
    expect(said.errors).toMatch(/^tc::invalid-argument: .*7 V.*\(.*\)$/m);
    expect(said.errors).toMatch(/^tc::unexpected-argument: .*"x"/m);
  });

  it('hazard.H1 a hazardous telecommand needs --hazardous where nobody can be asked, and nothing leaves without', async () => {
    const { said, code } = mcs('tc', 'send', 'sat1', 'obc.reboot');
    expect(await code).toBe(2);
    expect(said).toMatchObject({
      output: '',
      errors: expect.stringMatching(/mcs: obc\.reboot is hazardous and nothing is sent: add --hazardous/),
    });
  });

  it('hazard.H1 in a terminal its name is typed again: another one sends nothing', {
    timeout: 200_000,
  }, async () => {
    const typed = async (name: string): Promise<string> => {
      const command = [process.execPath, ...MCS, 'tc', 'send', 'sat1', 'obc.reboot', '--api', cell.api];
      const terminal = startInTerminal(command, { rows: 24, columns: 120, env: { NO_COLOR: '' } });
      const text = (): string => terminal.screen.lines.join('\n');
      await until(() => text().includes('obc.reboot is hazardous'), PATIENTLY);
      terminal.type(`${name}\r`);
      await until(() => /nothing is sent|REJECTED|VERIFIED/.test(text()), PATIENTLY);
      terminal.kill();
      return text();
    };
    expect(await typed('obc.ping')).toContain('that is not its name; nothing is sent');
    expect(await typed('obc.reboot')).toMatch(/PENDING +obc\.reboot/);
  });

  it('says when nobody answers, and what to do', async () => {
    const { said, code } = mcs('tc', 'send', 'sat1', 'obc.ping', '--api', 'http://127.0.0.1:1');
    expect(await code).toBe(1);
    expect(said.errors).toContain('http://127.0.0.1:1 does not answer');
  });

  it('watches the telecommands of a target as they go', { timeout: 90_000 }, async () => {
    const { child, said } = mcs('tc', 'watch', 'sat1');
    // It follows from now on, so telecommands are sent until it has seen one whole.
    await until(async () => {
      const { code } = mcs('tc', 'send', 'sat1', 'camera.ping');
      await code;
      return /PENDING[\s\S]*COMPLETE/.test(said.output);
    }, PATIENTLY);
    child.kill('SIGTERM');
    expect(said.output).toMatch(/^sat1 {2}[0-9A-Z]{26} {2}.* PENDING +camera\.ping, by ada$/m);
  });
});
