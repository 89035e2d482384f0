/**
 * A small mission with procedures, for the tests of resolution: a target for each thing that can be wrong with one, and
 * a procedure for each kind of statement.
 */

import { stringify } from 'yaml';
import type { Fault } from '../../../contract/errors.ts';
import { statusOf } from '../../../contract/errors.ts';
import type { Program, ProgramNode, ProgramStatement } from '../../../contract/program.ts';
import type { RunRequest } from '../../../contract/run.ts';
import type { SourceFile } from '../../../mission/document/read.ts';
import type { Environment, Mission } from '../../../mission/mission.ts';
import {
  type ResolvedRun,
  type RunKnown,
  type RunOrigin,
  resolveRun,
} from '../../../mission/procedure/resolve-run.ts';
import { loaded, platform } from '../documents.ts';

export const STORED = 'ab'.repeat(32);
const OTHER = 'cd'.repeat(32);

export const boxParts = {
  enums: { Mode: { SAFE: 0, NOMINAL: 1 } },
  components: {
    obc: {
      measures: { mode: { type: 'Mode' }, watchdog: { type: 'f64', unit: 'ms' }, name: { type: 'string' } },
      parameters: {
        watchdog: { type: 'u16', unit: 's', set: 'obc.set_watchdog.period', readback: 'obc.watchdog' },
        mode: { type: 'Mode', readback: 'obc.mode' },
        spare: { type: 'u8', set: 'obc.set_spare.value' },
      },
      telecommands: {
        ping: { changes_state: false, verify: { expect: 'watchdog changes', within: '10 s' } },
        set_watchdog: { args: { period: { type: 'u16', unit: 's', range: ['10 s', '600 s'] } } },
        set_spare: { args: { value: { type: 'u8' } } },
        set_mode: { args: { mode: { type: 'Mode' } } },
        reboot: { hazardous: true },
        tell: {
          changes_state: false,
          args: {
            on: { type: 'bool', default: true },
            data: { type: 'bytes', default: '00' },
            count: { type: 'u64', default: 0 },
            text: { type: 'string', default: '' },
            ratio: { type: 'f32', default: 0.5 },
          },
        },
      },
    },
    battery: {
      instances: ['1', '2'],
      measures: { voltage: { type: 'f64', unit: 'V' }, heater_on: { type: 'f64', unit: 'K' } },
      parameters: {
        heater_on: {
          type: 'f64',
          unit: 'degC',
          set: 'battery.set_heater.on_below',
          readback: 'battery.heater_on',
        },
      },
      telecommands: {
        set_heater: { args: { on_below: { type: 'f64', unit: 'degC', range: ['-20 degC', '20 degC'] } } },
      },
    },
    camera: {
      telecommands: {
        shoot: { args: { exposure: { type: 'f64', unit: 's', range: ['0.1 ms', '500 ms'] } } },
      },
    },
  },
  files: {
    types: { 1: { name: 'image' } },
    telecommands: { erase: { instance: 'file', encode: { fields: [{ type: 'u16', from: '$instance' }] } } },
  },
};

const sat = { sat: 'box' };
const links = {
  uhf: { default: true, gateway: 'sim' },
  sband: { gateway: 'sim', components: ['camera', 'files'] },
};

export const opsParts = {
  library: 'ops',
  version: '1.2.0',
  imports: ['box@1.0.0', 'pod@1.0.0'],
  procedures: {
    take: {
      roles: sat,
      inputs: {
        exposure: { type: 'f64', unit: 'ms', default: '20 ms' },
        cell: { type: 'instance', of: 'battery', default: '2' },
        image: { type: 'file_id', of: 'image' },
        patch: { type: 'file', default: null },
      },
      steps: [
        { log: 'taking {$exposure} with {sat.battery[$cell].voltage}' },
        { step: 'prepare', do: [{ configure: 'sat', mode: 'nominal', within: '30 s' }] },
        {
          step: 'shoot',
          retry: { attempts: 3, delay: '10 s' },
          do: [
            { send: 'sat.camera.shoot', args: { exposure: '$exposure' }, link: 'sband' },
            { ask: 'Level?', as: 'level', type: { type: 'f64', unit: 'dB' }, timeout: '5 min' },
            { log: 'level {$level}' },
          ],
        },
        {
          step: 'store',
          do: [{ step: 'put', do: [{ upload: 'sat.files[$image]', content: '$patch' }] }, { wait: '1 s' }],
        },
        { check: 'sat.battery[$cell].voltage > 6 V', max_age: '60 s' },
        {
          'if failed': [
            { call: 'heat', roles: { craft: 'sat' }, inputs: { below: '-2 degC', cell: '$cell' } },
          ],
        },
      ],
    },
    heat: {
      roles: { craft: 'box' },
      inputs: { below: { type: 'f64', unit: 'K' }, cell: { type: 'instance', of: 'battery' } },
      steps: [
        { step: 'warm', do: [{ send: 'craft.battery[$cell].set_heater', args: { on_below: '$below' } }] },
      ],
    },
    look: { roles: { sat: 'box', eye: 'box' }, steps: [{ send: 'sat.obc.ping', retry: 2 }, { wait: '5 s' }] },
    typed: {
      roles: sat,
      inputs: {
        period: { type: 'u16', unit: 's', default: '60 s' },
        small: { type: 'i8', default: 0 },
        ratio: { type: 'f32', default: 0.5 },
        big: { type: 'u64', default: 0 },
        percent: { type: 'f64', range: [0, 100], default: 1 },
        on: { type: 'bool', default: false },
        mode: { type: 'Mode', default: 'SAFE' },
        data: { type: 'bytes', default: '0x00' },
        text: { type: 'string', default: 'a' },
        cell: { type: 'instance', of: 'battery', default: '1' },
        image: { type: 'file_id', of: 'image', default: null },
        patch: { type: 'file', default: null },
      },
      steps: [
        {
          send: 'sat.obc.tell',
          args: { data: '$data', on: '$on', count: '$big', text: '$text', ratio: '$ratio' },
        },
      ],
    },
    wordy: {
      roles: sat,
      inputs: { text: { type: 'string' } },
      steps: Array.from({ length: 5 }, () => ({ log: 'it is {$text}' })),
    },
    deep: {
      roles: sat,
      inputs: { exposure: { type: 'f64', unit: 's' } },
      steps: [{ call: 'aim', roles: { sat: 'sat' }, inputs: { exposure: '$exposure' } }],
    },
    aim: {
      roles: sat,
      inputs: { exposure: { type: 'f64', unit: 'ms', range: ['0 ms', '900 ms'] } },
      steps: [{ step: 'fire', do: [{ send: 'sat.camera.shoot', args: { exposure: '$exposure' } }] }],
    },
    asked: {
      roles: sat,
      steps: [
        { ask: 'How long?', as: 'wanted', type: { type: 'f64', unit: 'ms' } },
        { send: 'sat.camera.shoot', args: { exposure: '$wanted' } },
      ],
    },
    erase: {
      roles: sat,
      inputs: { image: { type: 'file_id', of: 'image' } },
      steps: [{ send: 'sat.files[$image].erase' }, { download: 'sat.files[$image]', priority: 4 }],
    },
    reboot: { roles: sat, steps: [{ step: 'go', do: [{ send: 'sat.obc.reboot' }] }] },
    reboot_both: { roles: sat, steps: [{ call: 'reboot', roles: { sat: 'sat' } }] },
    set: { roles: sat, steps: [{ set_mode: 'sat', mode: 'nominal' }] },
    configure: { roles: sat, steps: [{ configure: 'sat', mode: 'nominal' }] },
    low: { roles: sat, steps: [{ configure: 'sat', mode: 'low' }] },
    over_sband: { roles: sat, steps: [{ send: 'sat.obc.ping', link: 'sband' }] },
    draft: { status: 'draft', roles: sat, steps: [{ wait: '1 s' }] },
    calls_draft: { roles: sat, steps: [{ call: 'draft', roles: { sat: 'sat' } }] },
    bench_only: { allowed_in: ['bench'], roles: sat, steps: [{ wait: '1 s' }] },
    mixed: { roles: sat, steps: [{ call: 'other', library: 'newer', roles: { sat: 'sat' } }] },
    nothing: {
      roles: sat,
      steps: [
        { step: 'one', do: [{ step: 'same', do: [{ wait: '1 s' }] }] },
        { step: 'two', do: [{ step: 'same', do: [{ wait: '1 s' }] }] },
        { step: 'three', do: [{ step: 'only', do: [{ wait: '1 s' }] }] },
      ],
    },
    pod: { roles: { pod: 'pod' }, steps: [{ wait: '1 s' }] },
  },
};

const library = (parts: object): SourceFile => ({
  file: `library-${JSON.stringify(parts).length}.yaml`,
  text: stringify(parts),
});

export const documents: readonly SourceFile[] = [
  platform(boxParts),
  { file: 'box2.yaml', text: stringify({ platform: 'box', version: '2.0.0', ...boxParts }) },
  { file: 'pod.yaml', text: stringify({ platform: 'pod', version: '1.0.0', components: {} }) },
  library(opsParts),
  library({
    library: 'backup',
    version: '1.0.0',
    imports: ['box@1.0.0'],
    procedures: { look: { roles: sat, steps: [{ wait: '2 s' }] } },
  }),
  library({
    library: 'newer',
    version: '1.0.0',
    imports: ['box@2.0.0'],
    procedures: { other: { roles: sat, steps: [{ send: 'sat.obc.ping', link: 'sband' }] } },
  }),
  {
    file: 'topology.yaml',
    text: stringify({
      topology: 'runs',
      environments: {
        bench: { drafts: 'allowed' },
        lab: {},
        flight: {
          kind: 'in_orbit',
          identity: 'jwt',
          human_orchestration: true,
          hazardous_confirmation: ['supervisor'],
          hazardous_requires_plan: true,
        },
      },
      gateways: {
        sim: { simulated: true, tags: ['sim'], faults: ['cell_drain'] },
        radio: { tags: ['radio'] },
      },
      targets: {
        sat1: {
          platform: 'box@1.0.0',
          environments: ['bench', 'flight', 'lab'],
          modes: ['safe', 'nominal', 'low'],
          links: {
            uhf: { default: true, environments: { bench: { gateway: 'sim' }, flight: { gateway: 'radio' } } },
            sband: links.sband,
          },
          parameters: {
            'obc.watchdog': {
              safe: '60 s',
              nominal: '120 s',
              low: '60 s',
              environments: { lab: { nominal: '600 s' } },
            },
            'obc.mode': { safe: 'SAFE', nominal: 'NOMINAL', low: 'SAFE' },
            'battery.heater_on': {
              safe: '5 degC',
              nominal: '0 degC',
              environments: { lab: { nominal: '4 degC' } },
            },
            'battery[2].heater_on': { nominal: '-2 degC' },
          },
        },
        twin: { platform: 'box@1.0.0', environments: ['bench'], modes: ['nominal'], links },
        bare: { platform: 'box@1.0.0', environments: ['bench'], modes: ['nominal'], links },
        radio1: {
          platform: 'box@1.0.0',
          environments: ['bench'],
          links: { uhf: { default: true, gateway: 'radio' } },
        },
        hot: {
          platform: 'box@1.0.0',
          environments: ['bench'],
          modes: ['nominal'],
          links,
          parameters: { 'obc.watchdog': { nominal: '5 s' } },
        },
        newer1: { platform: 'box@2.0.0', environments: ['bench'], links },
        pod1: {
          platform: 'pod@1.0.0',
          environments: ['bench'],
          links: { uhf: { default: true, gateway: 'sim' } },
        },
        far: {
          platform: 'box@1.0.0',
          environments: ['flight'],
          modes: ['nominal'],
          links,
          parameters: { 'obc.watchdog': { environments: { flight: { nominal: '60 s' } } } },
        },
      },
    }),
  },
];

export const mission: Mission = loaded(documents);

export const known: RunKnown = {
  uploads: new Set([STORED]),
  passes: { find: (plan) => (plan === 'pass-1' || plan === 'contribution-7' ? { id: 'pass-1' } : undefined) },
};
export const UNKNOWN_UPLOAD = OTHER;

export type Part = Partial<Omit<RunRequest, 'run'>>;

const request = (run: string, part: Part): RunRequest => ({
  run,
  environment: 'bench',
  targets: { sat: 'sat1' },
  ...part,
});

/** The resolved run of a request in `bench` with `sat1`, unless it says otherwise; a failure shows every fault. */
export function resolved(run: string, part: Part = {}, origin?: RunOrigin): ResolvedRun {
  const result = resolveRun(mission, request(run, part), known, origin);
  if (!result.ok) throw new Error(JSON.stringify(result.faults, undefined, 1));
  return result.value;
}

export const program = (run: string, part: Part = {}, origin?: RunOrigin): Program =>
  resolved(run, part, origin).program;

/** The faults of a request that must have some, each answered with 422 and with how to repair it. */
export function faultsOf(run: string, part: Part = {}, origin?: RunOrigin): readonly Fault[] {
  const result = resolveRun(mission, request(run, part), known, origin);
  if (result.ok) throw new Error('it resolved');
  for (const { code, message, help, path } of result.faults) {
    if (statusOf(code) !== 422) throw new Error(`${code} is no refusal of resolution`);
    if (message === '' || !help || path === undefined || !/^\//.test(path))
      throw new Error(`${code} does not say what, where and how to mend it: ${message} (${help}) ${path}`);
  }
  return result.faults;
}

/** `code path` of each fault. */
export const reportedAt = (run: string, part: Part = {}, origin?: RunOrigin): string[] =>
  faultsOf(run, part, origin).map(({ code, path }) => `${code} ${path}`);

/** Every statement of a program, in order. */
export function statementsOf(nodes: readonly ProgramNode[]): ProgramStatement[] {
  return nodes.flatMap((node) => [
    ...(node.kind === 'step' ? (node.statements ?? []) : []),
    ...statementsOf(node.steps ?? []),
  ]);
}

/** `lab` orchestrated by people who declare their names; the default link of sat1 has a driver, as in orbit it must. */
export function mannedMission(more: Partial<Environment> = {}): Mission {
  const lab: Environment = {
    ...mission.environments.get('lab')!,
    identity: 'declared',
    humanOrchestration: true,
    ...more,
  };
  const sat1 = mission.targets.get('sat1')!;
  const links = new Map(sat1.links).set('uhf', { ...sat1.links.get('uhf')!, driver: 'enc' });
  return {
    ...mission,
    environments: new Map(mission.environments).set('lab', lab),
    targets: new Map(mission.targets).set('sat1', { ...sat1, links }),
  };
}
