/** What stands behind the gateways of a mission, by kind. External gateways run outside and serve the same subjects. */

import { assertNever } from '../../contract/assert.ts';
import { accepted, type Result, refused } from '../../contract/result.ts';
import type { Gateway as Definition } from '../../mission/mission.ts';
import type { Clock, Random } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { SpacecraftFactory } from '../simulated/spacecraft.ts';
import type { Gateway } from './gateway.ts';
import { createRecording, recordingSettings } from './recording.ts';
import { createSimulated } from './simulated.ts';
import { createTcp } from './tcp.ts';
import { createUdp } from './udp.ts';

interface OpenOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly missionFolder?: string;
  readonly spacecraft?: SpacecraftFactory;
}

/** The gateway of a definition; refuses settings its kind does not have and gateways that run outside. */
export function openGateway(definition: Definition, options: OpenOptions): Result<Gateway, string> {
  switch (definition.kind) {
    case 'simulated':
      return createSimulated(definition, options);
    case 'recording': {
      if (options.missionFolder === undefined) return refused('recordings need the folder of the mission');
      const settings = recordingSettings(definition.settings, options.missionFolder);
      return settings.ok ? accepted(createRecording(settings.value, options)) : settings;
    }
    case 'udp':
    case 'tcp':
      return openEndpoint(definition, options);
    case 'external':
      return refused(`gateway ${definition.name} runs outside this service`);
    default:
      return assertNever(definition.kind);
  }
}

function openEndpoint({ name, endpoint }: Definition, options: OpenOptions): Result<Gateway, string> {
  if (endpoint === undefined) return refused(`gateway ${name} has no socket in the configuration`);
  return accepted(endpoint.kind === 'udp' ? createUdp(endpoint, options) : createTcp(endpoint, options));
}
