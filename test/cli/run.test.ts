/** `mcs run` as a person uses it, against the demo mission. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { run as runCommand } from '../../cli/run.ts';
import { DEMO, type DemoCell, startDemoCell } from '../support/demo-cell.ts';
import { mcsProgram } from '../support/program.ts';
import { startRelay } from '../support/relay.ts';
import { until } from '../support/until.ts';

const MCS = await mcsProgram();
/** A machine with much else to do takes seconds to start a command. */
const PATIENTLY = { timeoutMs: 40_000 };
let cell: DemoCell;

beforeAll(async () => {
  cell = await startDemoCell({ memberTtlMs: 20_000 });
}, 60_000);
afterAll(() => cell.stop());

function mcs(...args: string[]) {
  const child = spawn(process.execPath, [...MCS, 'run', ...args], {
    env: { ...process.env, MCS_API: cell.api, USER: 'ada', MCS_TOKEN: '' },
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

/** A command without a process of its own, for what ends by itself; what it throws is what `mcs` prints. */
async function here(...args: string[]): Promise<{ code: number; output: string; errors: string }> {
  const said = { output: '', errors: '' };
  const take = (name: keyof typeof said) => (text: string | Uint8Array) => {
    said[name] += String(text);
    return true;
  };
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(take('output')),
    vi.spyOn(process.stderr, 'write').mockImplementation(take('errors')),
  ];
  for (const [name, value] of Object.entries({ MCS_API: cell.api, USER: 'ada', MCS_TOKEN: '' })) {
    vi.stubEnv(name, value);
  }
  try {
    const code = await runCommand(args);
    return { code, ...said };
  } catch (error) {
    return { code: 1, output: said.output, errors: `${said.errors}${String(error)}` };
  } finally {
    for (const spy of spies) spy.mockRestore();
    vi.unstubAllEnvs();
  }
}

/** What a command printed; it must end with the code. */
async function output(expected: number, ...args: string[]): Promise<string> {
  const { code, output: text, errors } = await here(...args);
  expect(code, errors + text).toBe(expected);
  return expected === 0 ? text : errors;
}

/** A command that follows, once it has shown what is waited for. */
async function following(shown: RegExp, ...args: string[]) {
  const command = mcs(...args);
  await until(() => shown.test(command.said.output), { ...PATIENTLY, what: `${shown}` }).catch((error) => {
    throw new Error(`${String(error)}\n${command.said.output}${command.said.errors}`);
  });
  return command;
}

const bench = ['--environment', 'bench'];
const rehearsal = ['--environment', 'rehearsal'];

describe('mcs run', { timeout: 120_000 }, () => {
  it('starts a run, follows it step by step and exits 0 when it passed', async () => {
    const { said, code } = mcs('start', 'health_check', 'sat=sat1', ...bench, '--follow');
    expect(await code, said.errors + said.output).toBe(0);
    const text = said.output;
    const lines = text.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^[0-9A-Z]{26}$/);
    expect(lines[1]).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} +health_check of ops@1\.0\.0 in bench, sat=sat1, by ada$/,
    );
    expect(text).toMatch(/ 1\/3 {2}step alive\n.* {10}send sat1 obc\.ping {2}[0-9A-Z]{26}\n/);
    expect(text).toMatch(/ 3\/3 {2}step temperatures\n/);
    expect(lines.at(-1)).toMatch(/ passed$/);
    expect(text).not.toContain('\u001b');
  });

  it('asks, reports how to answer, and goes on with the answer', async () => {
    const follow = await following(
      /\? Signal level.*\n +answer: mcs run answer [0-9A-Z]{26}/,
      'start',
      'take_image',
      'sat=sat1',
      'exposure=20 ms',
      ...rehearsal,
      '--follow',
    );
    const run = follow.said.output.slice(0, 26);
    // The log says so first, and what is listed is written behind it.
    const asks = new RegExp(
      `^${run} {2}asks +take_image +sat1 in rehearsal, by ada, at downlink, Signal level of the downlink\\?\n$`,
    );
    await until(async () => asks.test(await output(0, 'list', '--limit', '1')));
    // The end of the identifier is enough.
    const [, question] = /answer: mcs run answer .* --question (\d+)/.exec(follow.said.output)!;
    expect(await output(1, 'answer', run, 'yes', '--path', 'elsewhere')).toContain(
      'asks nothing at elsewhere',
    );
    expect(await output(1, 'answer', run, 'yes', '--question', '1')).toContain(
      `now asks question ${question}, not 1`,
    );
    expect(await output(0, 'answer', run.slice(-8).toLowerCase(), '12 dB')).toContain(
      'taken at downlink: 12 by',
    );
    expect(await follow.code, follow.said.output).toBe(0);
    expect(follow.said.output).toMatch(/inputs .*exposure=20/);
    expect(follow.said.output).toMatch(/yes: 12, by ada\n/);
    expect(await output(1, 'answer', run, 'yes')).toContain(`run ${run} is over, it passed`);
  });

  it('suspends, resumes and aborts, and exits 1 with the reason of a run that failed', async () => {
    const follow = await following(/step s01/, 'start', 'long_check', 'sat=sat1', ...bench, '--follow');
    const run = follow.said.output.slice(0, 26);
    expect(await output(0, 'suspend', run)).toBe('suspend accepted\n');
    await until(() => /suspended by ada\n +resume: mcs run resume/.test(follow.said.output), PATIENTLY);
    expect(await output(0, 'resume', run, '--choice', 'skip')).toBe('resume accepted\n');
    await until(() => /resumed by ada: skip/.test(follow.said.output), PATIENTLY);
    expect(await output(1, 'resume', run)).toMatch(/^run::refused: /);
    expect(await output(0, 'abort', run)).toBe('abort accepted\n');
    expect(await follow.code).toBe(1);
    expect(follow.said.output).toMatch(/run FAILED: aborted by ada\n$/);
    expect(await output(1, 'abort', run)).toMatch(/^run::not-running: /);
    const again = await here('follow', run);
    expect(again.code).toBe(1);
    expect(again.output).toBe(follow.said.output.slice(27));
  });

  it('sends no other word than a choice to a run that waits for a decision', async () => {
    await cell.fault('reject_all', true);
    const follow = await following(
      /decide: mcs run answer/,
      'start',
      'shed_load',
      'sat=sat1',
      'cell=2',
      ...bench,
      '--follow',
    );
    const run = follow.said.output.slice(0, 26);
    expect(await output(1, 'answer', run, 'yes')).toContain('waits for a decision');
    // A no typed for the question before would end the run: it has to name the decision.
    expect(await output(1, 'answer', run, 'no')).toContain('waits for a decision');
    expect(await output(1, 'answer', run, 'reply')).toContain('replay|skip|fail|abort');
    await cell.fault('reject_all', false);
    expect(await output(0, 'answer', run, 'abort')).toContain('taken at payload_off: abort by');
    expect(await follow.code).toBe(1);
  });

  it('switches a fault of a simulated target during the run', async () => {
    const said = await here(
      'start',
      'health_check',
      'sat=sat1',
      ...bench,
      '--fault',
      'sat:slow_completion@power+1 ms',
      '--follow',
    );
    expect(said.code, said.output + said.errors).toBe(0);
    expect(said.output).toMatch(/slow_completion/);
  });

  it('prints every refusal, and how it read the pairs', async () => {
    const text = await output(1, 'start', 'take_image', 'sat=sat9', 'exposure=1 V', ...bench);
    expect(text).toMatch(/^run::missing-target: /m);
    expect(text).toMatch(/^run::invalid-input: .*1 V/m);
    expect(text).toMatch(/^mcs: read as targets: none; as inputs: sat, exposure$/m);
  });

  it.each([
    [['start', 'health_check', 'sat=sat1'], 2, /mcs run start/],
    [['start', 'health_check', 'sat', ...bench], 2, /name=value/],
    [['start', 'health_check', 'sat=sat1', ...bench, '--fault', 'x'], 2, /role:fault/],
    [['follow'], 2, /mcs run follow RUN/],
    // What a shell makes of "$RUN" when it is not set: every identifier ends with it.
    [['abort', ''], 2, /mcs run abort RUN(.|\n)*mcs: RUN is empty/],
    [['follow', 'ZZZZ'], 1, /"ZZZZ" is not a run: no run has this ending/],
    [['answer', '01J5ZK3M8QW7V9XH2C4T6R8YAC'], 2, /mcs run answer/],
    [['answer', '01J5ZK3M8QW7V9XH2C4T6R8YAC', 'yes'], 1, /run::unknown/],
    [['answer', '01J5ZK3M8QW7V9XH2C4T6R8YAC', 'yes', '--question', 'x'], 2, /mcs run answer/],
    [['suspend', '01J5ZK3M8QW7V9XH2C4T6R8YAC', '--choice', 'skip'], 2, /mcs run/],
    [['suspend', '01J5ZK3M8QW7V9XH2C4T6R8YAC'], 1, /run::not-running/],
    [['list', '--limit', 'x'], 1, /api::invalid-body/],
    [['list', '--api', 'http://127.0.0.1:1'], 1, /does not answer/],
    [['follow', '01J5ZK3M8QW7V9XH2C4T6R8YAC', '--api', 'http://127.0.0.1:1'], 1, /does not answer/],
    [['nonsense'], 2, /mcs run list/],
    [['check', 'nowhere'], 1, /no mission folder/],
    [['check', DEMO, 'nothing'], 1, /no procedure nothing/],
  ])('%j ends with %i and a reason', async (args, expected, reason) => {
    const { code, errors } = await here(...args);
    expect(code).toBe(expected);
    expect(errors).toMatch(reason);
  });

  it('checks the procedures of a folder: steps, longest durations and what they need', async () => {
    const text = await output(0, 'check', DEMO, 'take_image');
    expect(text).toMatch(/^take_image of ops@1\.0\.0, at most \d+ min/);
    expect(text).toMatch(/^ {2}input {3}exposure: f64 in ms, .*else 20/m);
    expect(text).toMatch(/^ +[\d a-z]+ {2}step shoot {2}\(3 attempts, 10 s apart\)$/m);
    expect(await output(0, 'check', DEMO)).toMatch(/^long_check of ops@1\.0\.0/m);
  });

  it('goes on following when the connection comes back, and shows every event once', async () => {
    const relay = await startRelay(Number(new URL(cell.api).port));
    const api = ['--api', `http://127.0.0.1:${relay.port}`];
    const follow = await following(
      /step s02/,
      'start',
      'long_check',
      'sat=sat1',
      ...bench,
      '--follow',
      ...api,
    );
    const run = follow.said.output.slice(0, 26);
    relay.refusing = true;
    relay.cut();
    await until(() => follow.said.errors.includes('trying again'), PATIENTLY);
    const shown = follow.said.output.length;
    relay.refusing = false;
    await until(() => follow.said.output.length > shown, PATIENTLY);
    expect(await output(0, 'abort', run)).toBe('abort accepted\n');
    expect(await follow.code).toBe(1);
    await relay.stop();
    const again = await here('follow', run);
    expect(follow.said.output.slice(27)).toBe(again.output);
  });

  it('ends with Ctrl-C, and says that the verdict is not known', async () => {
    const follow = await following(/step s01/, 'start', 'long_check', 'sat=sat1', ...bench, '--follow');
    const run = follow.said.output.slice(0, 26);
    follow.child.kill('SIGINT');
    expect(await follow.code).toBe(130);
    expect(await output(0, 'abort', run)).toBe('abort accepted\n');
  });
});
