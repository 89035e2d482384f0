/** The configuration of a dry run, with the models that this service can simulate. */

import { MODELS } from '../links/simulated/models.ts';
import type { Configuration } from '../mission/configuration.ts';
import { type DryConfiguration, dryConfiguration } from '../mission/dry-run.ts';

export function dryRunOf(configuration: Configuration): DryConfiguration {
  return dryConfiguration(configuration, new Set(MODELS.keys()));
}
