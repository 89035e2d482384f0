/** The alarms that a target has by its catalogue. Mission Control Service, section 2.4 (naming). */

import { alarmKey } from '../../contract/alarm-name.ts';
import type { Target } from '../../mission/mission.ts';

/** Keys of the limits alarms and the named alarms of a target; undefined when its catalogue is not known. */
export function knownAlarms({ name: target, platform }: Target): ReadonlySet<string> | undefined {
  if (platform === undefined) return undefined;
  const limits = platform.measures
    .filter(({ definition: { soft, hard } }) => soft !== undefined || hard !== undefined)
    .map(({ component, instance, definition }) =>
      alarmKey({ target, component, alarm: definition.name, ...(instance !== undefined && { instance }) }),
    );
  const named = platform.alarms.flatMap(({ component, instances, name: alarm }) =>
    instances.length === 0
      ? [alarmKey({ target, component, alarm })]
      : instances.map((instance) => alarmKey({ target, component, instance, alarm })),
  );
  return new Set([...limits, ...named]);
}
