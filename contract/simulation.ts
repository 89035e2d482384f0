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

export const SimulatedFile = Type.Object(
  {
    id: Type.String({ description: 'Identifier on board.' }),
    file_type: Type.Integer({ minimum: 0 }),
    generation: Type.Integer({ minimum: 0, description: 'How many times it was written.' }),
    size: Type.Integer({ minimum: 0, description: 'Bytes.' }),
    crc32: Type.String({ description: 'CRC-32 of its bytes, hexadecimal.' }),
    sha256: Type.String({ description: 'SHA-256 of its bytes, hexadecimal.' }),
  },
  { ...closed, title: 'SimulatedFile' },
);
export type SimulatedFile = Static<typeof SimulatedFile>;

export const SimulatedFiles = Type.Object(
  {
    gateway: Type.String({ description: 'Name of the simulated gateway.' }),
    files: Type.Array(SimulatedFile, { description: 'What is in the file memory, by identifier.' }),
  },
  {
    ...closed,
    title: 'SimulatedFiles',
    examples: [
      {
        gateway: 'sim-1',
        files: [
          {
            id: '5',
            file_type: 3,
            generation: 1,
            size: 0,
            crc32: '00000000',
            sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
          },
        ],
      },
    ],
  },
);
export type SimulatedFiles = Static<typeof SimulatedFiles>;

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
