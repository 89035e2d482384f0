/** The mission in one answer, for consoles and the command line. Ours. */

import { MissionView } from '../../contract/mission-view.ts';
import { busAnswers } from '../../messaging/bus-answers.ts';
import { missionBytes } from '../../mission/mission-view.ts';
import { busUnavailable } from '../errors.ts';
import { currentMission } from '../mission-of.ts';
import { defineRoute } from '../route.ts';
import { isNamedVersion } from '../served-content.ts';

export const readMission = defineRoute({
  method: 'GET',
  path: '/v1/mission',
  operationId: 'readMission',
  summary: 'What the mission has: targets, environments, gateways, stations, procedures',
  description:
    'What a console needs at its start. It changes only with the configuration: the `ETag` is its revision, and a request ' +
    'with `If-None-Match` is answered 304 while it is current. Measures and telecommands are in the catalogues of targets.',
  tag: 'Mission',
  replies: { 200: MissionView, 304: MissionView },
  errors: ['api::no-configuration', 'api::unavailable'],
  handle({ conditions }, ports) {
    const mission = currentMission(ports);
    if (!mission.ok) return mission;
    // Another instance may serve a newer configuration by now.
    if (!busAnswers(ports.bus)) return busUnavailable();
    const etag = `"${mission.value.revision}"`;
    const headers = { etag, 'cache-control': 'private, no-cache' };
    const bytes = missionBytes(mission.value);
    const isKnown = isNamedVersion(etag, conditions?.ifNoneMatch);
    return { ok: true, value: { status: isKnown ? 304 : 200, bytes, headers } };
  },
});

export const missionRoutes = [readMission];
