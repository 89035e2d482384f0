/**
 * The configuration of a dry run: the mission as it is, with nothing real at the end of any link and nobody to ask.
 * Mission Control Service, section 4.2 rule 9.
 *
 * Y1. No gateway of it opens a connection, and none is awaited outside: a link that no simulated gateway or recording
 *     serves gets one of its own, with the model of the name of its platform, or else one that acknowledges.
 * Y2. Policies of flight that only people or passes can meet are off; confirmations are still asked, of whoever stands
 *     in.
 */

import { revisionOf } from './canonical.ts';
import type {
  Configuration,
  EnvironmentConfiguration,
  GatewayConfiguration,
  LinkConfiguration,
  LinkParametersConfiguration,
  TargetConfiguration,
} from './configuration.ts';

/** Who stands in for what is behind a link in a dry run. */
export interface DryStandIn {
  readonly target: string;
  readonly link: string;
  readonly gateway: string;
  readonly model: string;
  /** The model is of the platform: there is telemetry. */
  readonly isOfPlatform: boolean;
}

export interface DryConfiguration {
  readonly configuration: Configuration;
  /** Of the dry configuration. */
  readonly revision: string;
  readonly standIns: readonly DryStandIn[];
}

const ACKNOWLEDGING = 'acknowledging';

/** The configuration to run dry; `models`: what can be simulated, by name. */
export function dryConfiguration(
  configuration: Configuration,
  models: ReadonlySet<string>,
): DryConfiguration {
  const { topology, settings } = configuration;
  const kept = topology.gateways.filter(({ kind }) => kind === 'simulated' || kind === 'recording');
  const standIns = topology.targets.flatMap((target) =>
    target.links
      .filter((link) => !isServed(link, kept))
      .map((link) => standInFor(target, link, models, topology.gateways)),
  );
  const dry: Configuration = {
    ...configuration,
    topology: {
      ...topology,
      environments: topology.environments.map(dryEnvironment),
      gateways: [...kept, ...standIns.map(standInGateway)],
      targets: topology.targets.map((target) => ({
        ...target,
        links: target.links.map((link) => dryLink(target, link, kept, standIns)),
      })),
    },
    settings: { ...settings, auth: {} },
  };
  return { configuration: dry, revision: revisionOf(dry), standIns };
}

function dryEnvironment({ kind: _, ...environment }: EnvironmentConfiguration): EnvironmentConfiguration {
  return { ...environment, identity: 'declared', hazardousRequiresPlan: false };
}

/** Whether one of the gateways serves the link, in each environment. */
function isServed(link: LinkConfiguration, gateways: readonly GatewayConfiguration[]): boolean {
  const all = [link, ...link.environments.filter(({ gateway, tags }) => (gateway ?? tags) !== undefined)];
  return all.every((each) => namesOneOf(each, gateways));
}

function namesOneOf(
  { gateway, tags = [] }: Pick<LinkParametersConfiguration, 'gateway' | 'tags'>,
  gateways: readonly GatewayConfiguration[],
): boolean {
  if (gateway !== undefined) return gateways.some(({ name }) => name === gateway);
  return tags.length > 0 && gateways.some((each) => tags.every((tag) => each.tags.includes(tag)));
}

function standInFor(
  { name, platform }: TargetConfiguration,
  link: LinkConfiguration,
  models: ReadonlySet<string>,
  taken: readonly GatewayConfiguration[],
): DryStandIn {
  const [of = ''] = platform.split('@');
  const isOfPlatform = models.has(of);
  let gateway = `dry-${name}-${link.name}`;
  while (taken.some((each) => each.name === gateway)) gateway = `${gateway}-`;
  return { target: name, link: link.name, gateway, model: isOfPlatform ? of : ACKNOWLEDGING, isOfPlatform };
}

function standInGateway({ gateway, model }: DryStandIn): GatewayConfiguration {
  return { name: gateway, kind: 'simulated', tags: [], echo: false, faults: [], settings: { model } };
}

/** Y1 */
function dryLink(
  { name: target }: TargetConfiguration,
  link: LinkConfiguration,
  kept: readonly GatewayConfiguration[],
  standIns: readonly DryStandIn[],
): LinkConfiguration {
  const standIn = standIns.find((each) => each.target === target && each.link === link.name);
  if (standIn === undefined) return link;
  const instead = <Parameters extends LinkParametersConfiguration>(own: Parameters): Parameters => {
    if (namesOneOf(own, kept)) return own;
    const { gateway: _, tags: __, ...others } = own;
    return { ...others, gateway: standIn.gateway } as unknown as Parameters;
  };
  return { ...instead(link), environments: link.environments.map(instead) };
}
