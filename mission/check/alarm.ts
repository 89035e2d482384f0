/** Alarms of a component. Mission Control Service, section 2.4. */

import type { AlarmConfiguration, ComponentConfiguration } from '../configuration.ts';
import type { FaultsAt } from '../document/fault.ts';
import type { AlarmDocument } from '../document/platform.ts';
import type { MeasureTable } from '../measure-table.ts';
import { checkCondition } from './condition.ts';

const REACTION = /^run "([^"]+)"$/;

/** The alarms; a name that a measure with limits already gives to its alarm is reported. */
export function checkAlarms(
  alarms: Readonly<Record<string, AlarmDocument>>,
  component: ComponentConfiguration,
  frame: MeasureTable,
  faults: FaultsAt,
): AlarmConfiguration[] {
  const limited = new Set(
    component.measures
      .filter(({ soft, hard }) => soft !== undefined || hard !== undefined)
      .map(({ name }) => name),
  );
  return Object.entries(alarms).map(([name, { description, when, severity, on_raise }]) => {
    if (limited.has(name)) {
      faults
        .in(name)
        .keyFault(`the limits of the measure ${name} are an alarm of that name`, 'take another name');
    }
    if (name.endsWith('-reaction')) {
      faults
        .in(name)
        .keyFault('names ending in -reaction are alarms of failed reactions', 'take another name');
    }
    const scope = { platform: frame, own: component.name, withoutFiles: 'an alarm reads no files' };
    checkCondition(when, scope, faults.in(name, 'when'));
    const onRaise = on_raise === undefined ? undefined : REACTION.exec(on_raise)?.[1];
    return {
      name,
      ...(description !== undefined && { description }),
      when,
      severity,
      ...(onRaise !== undefined && { onRaise }),
    };
  });
}
