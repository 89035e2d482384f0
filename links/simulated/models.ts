/** What can stand behind a simulated gateway, by the name that missions give as `model`. */

import { createAcknowledging } from './acknowledging.ts';
import { CUBESAT_3U } from './designs.ts';
import type { ModelOptions, SimulatedPeer } from './peer.ts';
import { createPowerBoard, POWER_BOARD_FAULTS } from './power-board.ts';
import { createSpacecraft, SPACECRAFT_FAULTS } from './spacecraft.ts';
import { createThermalChamber, THERMAL_CHAMBER_FAULTS } from './thermal-chamber.ts';

export interface Model {
  /** Faults that can be switched in it. */
  readonly faults: readonly string[];
  readonly create: (options: ModelOptions) => SimulatedPeer;
}

export const DEFAULT_MODEL = 'cubesat-6u';

export const MODELS: ReadonlyMap<string, Model> = new Map<string, Model>([
  [DEFAULT_MODEL, { faults: SPACECRAFT_FAULTS, create: (options) => createSpacecraft(options) }],
  ['cubesat-3u', { faults: SPACECRAFT_FAULTS, create: (options) => createSpacecraft(options, CUBESAT_3U) }],
  ['acknowledging', { faults: [], create: createAcknowledging }],
  ['power-board', { faults: POWER_BOARD_FAULTS, create: createPowerBoard }],
  ['thermal-chamber', { faults: THERMAL_CHAMBER_FAULTS, create: createThermalChamber }],
]);
