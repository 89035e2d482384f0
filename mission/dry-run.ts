/**
 * The configuration of a dry run: the mission as it is, with nothing real at the end of any link and nobody to ask.
 * Mission Control Service, section 4.2 rule 9.
 *
 * Y1. No gateway of it opens a connection: what is not simulated and not a recording is left without one.
 * Y2. Policies of flight that only people or passes can meet are off; confirmations are still asked, of whoever stands
 *     in.
 */

import { revisionOf } from './canonical.ts';
import type { Configuration, EnvironmentConfiguration, GatewayConfiguration } from './configuration.ts';

/** The configuration to run dry, with its own revision. */
export function dryConfiguration(configuration: Configuration): {
  readonly configuration: Configuration;
  readonly revision: string;
} {
  const { topology, settings } = configuration;
  const dry: Configuration = {
    ...configuration,
    topology: {
      ...topology,
      environments: topology.environments.map(dryEnvironment),
      gateways: topology.gateways.map(dryGateway),
    },
    settings: { ...settings, auth: {} },
  };
  return { configuration: dry, revision: revisionOf(dry) };
}

function dryEnvironment({ kind: _, ...environment }: EnvironmentConfiguration): EnvironmentConfiguration {
  return { ...environment, identity: 'declared', hazardousRequiresPlan: false };
}

/** Y1 */
function dryGateway({ endpoint: _, ...gateway }: GatewayConfiguration): GatewayConfiguration {
  const stays = gateway.kind === 'simulated' || gateway.kind === 'recording';
  return stays ? gateway : { ...gateway, kind: 'external' };
}
