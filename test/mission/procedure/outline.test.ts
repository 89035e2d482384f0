/** The outline of a procedure: what it needs and its steps in words. */

import { describe, expect, it } from 'vitest';
import { outlineOf } from '../../../mission/procedure/outline.ts';
import { procedure, sat } from './small-library.ts';

const other = {
  roles: { craft: 'box' },
  inputs: { cell: { type: 'instance', of: 'battery' } },
  steps: [
    { step: 'heat', do: [{ send: 'craft.battery[$cell].set_heater', args: { below: '2 degC' } }] },
    { 'if failed': [{ confirm: 'Go on?', role: 'supervisor' }] },
  ],
};
const inputs = {
  image: { type: 'file_id', of: 'image', description: 'The image' },
  patch: { type: 'file', default: null },
  level: { type: 'f64', unit: 'dB', range: [null, '3 dB'], default: 1 },
};
const whole = procedure(
  [
    { log: 'level {$level} at {sat.battery[1].voltage}' },
    {
      step: 'shoot',
      retry: { attempts: 3, delay: '10 s' },
      do: [
        { send: 'sat.camera[a].shoot', args: { exposure: '20 ms' }, link: 'sband' },
        { send: 'sat.obc.ping', retry: 2 },
        { ask: 'Level?', as: 'n', type: { type: 'u8', range: [1, 9] }, timeout: '5 min' },
        { expect: 'sat.obc.mode == SAFE', within: '30 s' },
        { check: '$n > 1' },
        { wait_until: 'sat.obc.uptime > 1 min', timeout: '90 s' },
      ],
    },
    {
      step: 'store',
      do: [
        { configure: 'sat', mode: 'nominal', within: '10 s' },
        { set_mode: 'sat', mode: 'safe' },
        {
          step: 'files',
          do: [
            { download: 'sat.files[$image]' },
            { upload: 'sat.files[$image]', content: '$patch' },
            { wait: '1 s' },
          ],
        },
      ],
    },
    {
      'if failed': [
        { call: 'other', roles: { craft: 'sat' }, inputs: { cell: '1' } },
        { send: 'sat.obc.reboot' },
      ],
    },
  ],
  { inputs, status: 'draft', allowed_in: ['bench'], description: 'All of it' },
  { other },
);

describe('the outline of a procedure', () => {
  const outline = outlineOf(whole);

  it('has each step, call and statement in words, indented, with its whole path', () => {
    const lines = outline.lines.map(({ depth, path, text }) => `${'  '.repeat(depth)}${text} <${path}>`);
    expect(lines).toEqual([
      '#1 <#1>',
      '  log "level {$level} at {sat.battery[1].voltage}" <#1>',
      'shoot <shoot>',
      '  send sat.camera[a].shoot (exposure: 20) over sband <shoot>',
      '  send sat.obc.ping, sent again up to 2 times <shoot>',
      '  ask "Level?", the answer is $n, u8, 1 to 9, at most 5 min <shoot>',
      '  expect sat.obc.mode == SAFE, within 30 s <shoot>',
      '  check $n > 1, on samples of the last 1 min <shoot>',
      '  wait until sat.obc.uptime > 1 min, at most 90 s <shoot>',
      'store <store>',
      '  #1 <store/#1>',
      '    configure sat for nominal, readbacks within 10 s <store/#1>',
      '    set the mode of sat to safe <store/#1>',
      '  files <store/files>',
      '    download sat.files[$image], priority 0 <store/files>',
      '    upload $patch to sat.files[$image] <store/files>',
      '    wait 1 s <store/files>',
      'if failed <>',
      '  call other of ops@1.0.0 (craft: sat, cell: 1) <other>',
      '    heat <other/heat>',
      '      send craft.battery[$cell].set_heater (below: 2) <other/heat>',
      '    if failed <other>',
      '      #1 <other/#1>',
      '        confirm "Go on?", by supervisor <other/#1>',
      '  #2 <#2>',
      '    send sat.obc.reboot <#2>',
    ]);
  });

  it('says how often a step is tried and how long it lasts at most', () => {
    const shoot = outline.lines.find(({ text }) => text === 'shoot');
    expect(shoot).toMatchObject({ kind: 'step', attempts: 3, delayMs: 10_000 });
    const [first] = whole.steps.filter((node) => node.kind === 'step' && node.path === 'shoot');
    expect(shoot?.longestMs).toBe(first?.longestMs);
    expect(outline.longestMs).toBeNull();
  });

  it('says what it needs: roles, inputs, environments, people, transfers, hazardous telecommands', () => {
    expect(outline).toMatchObject({
      procedure: 'main',
      library: 'ops@1.0.0',
      description: 'All of it',
      draft: true,
      environments: ['bench'],
      roles: [{ name: 'sat', platform: 'box@1.0.0' }],
      sends: true,
      changesState: true,
      hazardous: [{ path: '#2', telecommand: 'sat.obc.reboot' }],
    });
    expect(outline.inputs).toEqual([
      { name: 'image', type: 'file_id of image', description: 'The image', default: undefined },
      { name: 'level', type: 'f64 in dB, at most 3', description: undefined, default: 1 },
      { name: 'patch', type: 'file', description: undefined, default: null },
    ]);
    expect(outline.questions).toEqual([
      { path: 'shoot', prompt: 'Level?', as: 'n' },
      { path: 'other/#1', prompt: 'Go on?', role: 'supervisor' },
    ]);
    expect(outline.transfers.map(({ path }) => path)).toEqual(['store/files', 'store/files']);
  });

  it('names an enumeration by its values', () => {
    const { inputs: found } = outlineOf(
      procedure([{ wait: '1 s' }], { roles: sat, inputs: { m: { type: 'Mode' } } }),
    );
    expect(found[0]?.type).toBe('Mode (SAFE, NOMINAL)');
  });
});
