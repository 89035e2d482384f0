/**
 * Simulation control as two processes see it: faults of a simulated gateway, and what is reported each switch. Mission
 * Control Service, sections 4.9 and 6; routes and bodies are ours, the specification names only the error codes.
 */

import Type, { type Static } from 'typebox';

const closed = { additionalProperties: false } as const;

export const SimulatedFault = Type.Object(
  {
    fault: Type.String({ description: 'As the simulation names it.' }),
    on: Type.Boolean(),
  },
  { ...closed, title: 'SimulatedFault' },
);
export type SimulatedFault = Static<typeof SimulatedFault>;

export const SimulatedFaults = Type.Object(
  {
    gateway: Type.String({ description: 'Name of the simulated gateway.' }),
    faults: Type.Array(SimulatedFault, { description: 'Every fault that can be switched.' }),
  },
  {
    ...closed,
    title: 'SimulatedFaults',
    examples: [
      {
        gateway: 'sim-1',
        faults: [
          { fault: 'reject_all', on: true },
          { fault: 'tm_silence', on: false },
        ],
      },
    ],
  },
);
export type SimulatedFaults = Static<typeof SimulatedFaults>;

export const FaultSwitch = Type.Object(
  { on: Type.Boolean({ description: 'Whether the spacecraft has the fault from now on.' }) },
  { ...closed, title: 'FaultSwitch', examples: [{ on: true }] },
);
export type FaultSwitch = Static<typeof FaultSwitch>;

/** Body of `mcs.sim.evt.<target>` (JSON), once for each target the gateway reaches (MC-BUS-015). */
export interface FaultEvent {
  /** Of a fault switched by a run. */
  readonly run?: string;
  /** The caller, when it is known. */
  readonly by?: string;
  readonly target: string;
  readonly fault: string;
  readonly on: boolean;
  readonly at: string;
}
