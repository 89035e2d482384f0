import { describe, expect, it } from 'vitest';
import { type AlarmName, alarmKey, alarmNamed, alarmPath } from '../../contract/alarm-name.ts';
import { subject } from '../../contract/bus/subjects.ts';

const SINGLE: AlarmName = { target: 'sat1', component: 'obc', alarm: 'hot' };
const OF_ONE: AlarmName = { target: 'sat1', component: 'battery', instance: '2', alarm: 'voltage' };

describe('the name of an alarm', () => {
  it('MC-ALM-003 MC-ALM-017 without instances is component.alarm, and _ in keys and subjects', () => {
    expect(alarmPath(SINGLE)).toBe('obc.hot');
    expect(alarmKey(SINGLE)).toBe('sat1.obc._.hot');
    expect(subject.alarmEvent(SINGLE)).toBe('mcs.alarm.evt.sat1.obc._.hot');
  });

  it('MC-ALM-002 of an instance has it in key, subject and path', () => {
    expect(alarmPath(OF_ONE)).toBe('battery[2].voltage');
    expect(alarmKey(OF_ONE)).toBe('sat1.battery.2.voltage');
    expect(subject.alarmEvent(OF_ONE)).toBe('mcs.alarm.evt.sat1.battery.2.voltage');
  });

  it('is read back from its key, and what is no key names none', () => {
    for (const name of [SINGLE, OF_ONE]) expect(alarmNamed(alarmKey(name))).toEqual(name);
    for (const key of ['', 'sat1', 'sat1.obc.hot', 'sat1.obc._.hot.more', 'sat1..1.voltage'])
      expect(alarmNamed(key)).toBeUndefined();
  });
});
