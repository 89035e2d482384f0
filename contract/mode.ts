/** Modes of targets, and the parameters that depend on them. Mission Control Service, sections 2.5 and 4.3. */

import Type, { type Static } from 'typebox';
import { nameBound } from './bounded.ts';
import { oneOf, readReply, textIn } from './reply.ts';
import { Sample } from './value.ts';

const closed = { additionalProperties: false } as const;

export const ModeView = Type.Object(
  {
    target: Type.String(),
    mode: Type.Union([Type.String(), Type.Null()], {
      description: 'The current mode; null when the topology declares none.',
    }),
    default: Type.Optional(Type.String({ description: 'The mode of a target that was never set.' })),
    modes: Type.Array(Type.String(), { description: 'In the order of the topology.' }),
    since: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'When it was set; null for a default that was never set.',
    }),
    by: Type.Optional(Type.String()),
    run: Type.Optional(Type.String({ description: 'The run that set it at the end of a configure.' })),
  },
  {
    ...closed,
    title: 'ModeView',
    examples: [
      {
        target: 'sat1',
        mode: 'imaging',
        default: 'nominal',
        modes: ['nominal', 'imaging'],
        since: '2026-01-02T03:04:05.678Z',
        by: 'ada',
      },
    ],
  },
);
export type ModeView = Static<typeof ModeView>;

export const ModeBody = Type.Object(
  { mode: Type.String(nameBound) },
  { ...closed, title: 'ModeBody', examples: [{ mode: 'imaging' }] },
);
export type ModeBody = Static<typeof ModeBody>;

const ParameterValue = Type.Union([Type.Number(), Type.Boolean(), Type.String()]);

export const ParameterView = Type.Object(
  {
    name: Type.String({ description: '`component[instance].parameter`' }),
    component: Type.String(),
    instance: Type.Optional(Type.String()),
    parameter: Type.String(),
    unit: Type.Optional(Type.String()),
    value: Type.Optional(ParameterValue),
    values: Type.Record(Type.String(), ParameterValue, { description: 'By mode.' }),
    set: Type.Optional(Type.String({ description: 'The telecommand that sets it.' })),
    readback: Type.Optional(
      Type.Object(
        {
          measure: Type.String({ description: '`component[instance].measure`' }),
          sample: Type.Optional(Sample),
          matches: Type.Union([Type.Boolean(), Type.Null()], {
            description: 'Null without a sample or without a value.',
          }),
        },
        closed,
      ),
    ),
  },
  { ...closed, title: 'ParameterView' },
);
export type ParameterView = Static<typeof ParameterView>;

export const ParametersView = Type.Object(
  {
    target: Type.String(),
    mode: Type.Union([Type.String(), Type.Null()]),
    environment: Type.Union([Type.String(), Type.Null()], {
      description: 'Whose overrides apply; null when none do.',
    }),
    parameters: Type.Array(ParameterView),
  },
  {
    ...closed,
    title: 'ParametersView',
    examples: [
      {
        target: 'sat1',
        mode: 'imaging',
        environment: 'bench',
        parameters: [
          {
            name: 'obc.watchdog',
            component: 'obc',
            parameter: 'watchdog',
            unit: 's',
            value: 120,
            values: { nominal: 60, imaging: 120 },
            set: 'obc.set_watchdog',
          },
        ],
      },
    ],
  },
);
export type ParametersView = Static<typeof ParametersView>;

/** How a link of a target is bound now (MC-MODE-016, MC-MODE-017). */
export interface LinkBinding {
  readonly target: string;
  readonly link: string;
  readonly mode: string | null;
  /** Values in the current mode by full parameter name, without overrides. */
  readonly parameters: Readonly<Record<string, number | boolean | string>>;
  /** By environment that overrides some, all that differ there. */
  readonly overrides: Readonly<Record<string, Readonly<Record<string, number | boolean | string>>>>;
  /** Fencing token of the reconciler that delivers it, and the number of its delivery: an older one changes nothing. */
  readonly epoch: number;
  readonly seq: number;
}

/** What a binding says, whoever delivers it. */
export type BindingContent = Omit<LinkBinding, 'epoch' | 'seq'>;

/**
 * Body of `mcs.ctl.rpc.gateway.<gateway>.bind` and `mcs.ctl.rpc.driver.<driver>.bind` (ours): some of its links, each
 * with the `epoch` and `seq` of the delivery. Delivered when a process appears, and again whenever the mode of a target
 * changes.
 */
export interface BindCall {
  readonly bindings: readonly BindingContent[];
  readonly epoch: number;
  readonly seq: number;
}

/**
 * Reply of the verb `bind`. `older`: one of the links is bound by something newer already, and stays so. `refused`: one
 * of the bindings is none. Whatever is said of one, the others are kept.
 */
export type BindReply =
  | { readonly outcome: 'kept' }
  | { readonly outcome: 'older' }
  | { readonly outcome: 'refused'; readonly reason: string };

/** Request on `mcs.ctl.rpc.reconciler.bindings` (ours) of a driver or gateway that serves `bind` from now on. */
export type BindingsWanted = { readonly driver: string } | { readonly gateway: string };

/** What a driver or gateway answered; undefined for a malformed reply. */
export function readBindReply(bytes: Uint8Array): BindReply | undefined {
  const reply = readReply(bytes);
  const outcome = reply && oneOf(reply, 'outcome', ['kept', 'older', 'refused']);
  if (reply === undefined || outcome === undefined) return undefined;
  return outcome === 'refused'
    ? { outcome, reason: textIn(reply, 'reason') ?? 'it gives no reason' }
    : { outcome };
}

/** Entry of bucket `mcs_modes` under the target (section 2.5). */
export interface TargetMode {
  readonly mode: string;
  /** RFC 3339 */
  readonly since: string;
  readonly by?: string;
  readonly run?: string;
}
