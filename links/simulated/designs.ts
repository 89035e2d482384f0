/** The spacecraft that can be simulated, after the interface control document `missions/demo/README.md`. */

import { FUNCTIONS_3U, FUNCTIONS_6U, type Functions } from './functions.ts';
import { Housekeeping, type Reports } from './housekeeping.ts';
import { type FileTraffic, Housekeeping3U } from './housekeeping-3u.ts';
import type { CfdpDesign } from './onboard-cfdp.ts';
import type { OnboardState } from './onboard-state.ts';
import { SHIPPED_3U, SHIPPED_6U, type Shipped } from './shipped-files.ts';

export interface Design {
  /** Of telecommands and telemetry. */
  readonly apid: number;
  readonly functions: Functions;
  readonly shipped: Shipped;
  /** Absent where files go by telecommands. */
  readonly cfdp?: CfdpDesign;
  readonly reports: (state: OnboardState, traffic: FileTraffic) => Reports;
}

export const CUBESAT_6U: Design = {
  apid: 0x73,
  functions: FUNCTIONS_6U,
  shipped: SHIPPED_6U,
  reports: (state) => new Housekeeping(state),
};

export const CUBESAT_3U: Design = {
  apid: 0x74,
  functions: FUNCTIONS_3U,
  shipped: SHIPPED_3U,
  cfdp: { apid: 0x75, entity: 42n, ground: 1n, pduBytes: 1_024 },
  reports: (state, traffic) => new Housekeeping3U(state, traffic),
};
