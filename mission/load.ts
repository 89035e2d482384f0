/**
 * The compiled configuration to a mission: indexes and closures, frozen. Nothing is checked again; what does not hold
 * here was never compiled and is a defect. Mission Control Service, section 1 item 10.
 *
 * M1. A mission is immutable.
 */

import { assert } from '../contract/assert.ts';
import { ALARM_ANSWER_MS } from '../contract/limits/alarm.ts';
import { STREAM_WARN_AT } from '../contract/limits/bus.ts';
import { EDITOR_BODY_BYTES } from '../contract/limits/editor.ts';
import { TRANSFER_CONTENT_MOST_MS } from '../contract/limits/transfer.ts';
import type { Configuration, LinkConfiguration, TargetConfiguration } from './configuration.ts';
import { loadPlatform } from './load-platform.ts';
import type { Link, LinkParameters, Mission, Target } from './mission.ts';
import type { Platform } from './platform.ts';
import { loadLibraries } from './procedure/load.ts';

/** The mission of a configuration that `compile` made; throws a defect on anything else. */
export function load(configuration: Configuration, revision: string): Mission {
  assert(configuration.format === 1, 'configuration of format 1');
  const { topology, settings } = configuration;
  const platforms = new Map(
    configuration.platforms.map((each) => [`${each.name}@${each.version}`, loadPlatform(each)]),
  );
  return Object.freeze({
    revision,
    environments: byName(topology.environments),
    gateways: byName(topology.gateways),
    // Configurations of the first versions have none.
    stations: byName(topology.stations ?? []),
    drivers: byName(topology.drivers),
    targets: byName(topology.targets.map((each) => loadTarget(each, platforms.get(each.platform)))),
    platforms,
    libraries: loadLibraries(configuration.libraries, platforms),
    settings: deepFrozen({
      maxSubmissionAgeMs: settings.maxSubmissionAgeMs,
      leaderTtlMs: settings.leaderTtlMs,
      replicas: settings.replicas,
      streams: settings.streams ?? {},
      streamsWarnAt: settings.streamsWarnAt ?? STREAM_WARN_AT,
      auth: settings.auth,
      feeders: settings.feeders,
      schedulerMarginMs: settings.schedulerMarginMs,
      maxShelveMs: settings.maxShelveMs,
      alarmRetentionMs: settings.alarmRetentionMs,
      // A configuration of an earlier release has none of these.
      contentRetentionMs: settings.contentRetentionMs ?? TRANSFER_CONTENT_MOST_MS,
      archive: settings.archive ?? {},
      alarmAnswerMs: settings.alarmAnswerMs ?? ALARM_ANSWER_MS,
      editorUrl: settings.editorUrl,
      editorMaxBytes: settings.editorMaxBytes ?? EDITOR_BODY_BYTES,
    }),
  });
}

function byName<Item extends { readonly name: string }>(items: readonly Item[]): ReadonlyMap<string, Item> {
  return new Map(items.map((item) => [item.name, deepFrozen(item)]));
}

function loadTarget(configuration: TargetConfiguration, platform: Platform | undefined): Target {
  const { name, environments, modes, defaultLink } = configuration;
  const links = new Map(
    configuration.links.map((link) => [link.name, loadLink(link, link.name === defaultLink)]),
  );
  assert(links.has(defaultLink), `target ${name} has its default link`);
  return Object.freeze({
    name,
    platformId: configuration.platform,
    platform,
    environments: Object.freeze([...environments]),
    modes: Object.freeze([...modes]),
    parameters: deepFrozen([...configuration.parameters]),
    links,
    defaultLink,
  });
}

function loadLink(configuration: LinkConfiguration, isDefault: boolean): Link {
  const { name, driver, components, transport } = configuration;
  const own = parametersOf(configuration, undefined);
  const byEnvironment = new Map(
    configuration.environments.map((each) => [each.name, parametersOf(each, own)]),
  );
  return Object.freeze({
    name,
    isDefault,
    driver,
    components: components === undefined ? undefined : new Set(components),
    transport: transport === undefined ? undefined : deepFrozen(transport),
    byEnvironment: byEnvironment.size > 0,
    parameters: (environment: string | undefined) => byEnvironment.get(environment ?? '') ?? own,
  });
}

/** An override that names a gateway or tags replaces both. */
function parametersOf(
  { gateway, tags, rate }: { gateway?: string; tags?: readonly string[]; rate?: number },
  base: LinkParameters | undefined,
): LinkParameters {
  const chosen = gateway !== undefined || tags !== undefined ? { gateway, tags } : base;
  return deepFrozen({
    gateway: chosen?.gateway,
    tags: [...(chosen?.tags ?? [])],
    rate: rate ?? base?.rate,
  });
}

/** The value, it and all it holds frozen. */
function deepFrozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFrozen(member);
  return Object.freeze(value);
}
