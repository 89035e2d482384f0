import { describe, expect, it } from 'vitest';
import { buckets } from '../../contract/bus/buckets.ts';
import { streams } from '../../contract/bus/streams.ts';
import { subject } from '../../contract/bus/subjects.ts';

describe('subjects, streams and buckets', () => {
  it('MC-GEN-011 MC-BUS-007 MC-BUS-011 every subject starts with mcs.', () => {
    const made = Object.values(subject).map((make) =>
      typeof make === 'string' ? make : (make as (...parts: string[]) => string)('a', 'b'),
    );
    const streamed = Object.values(streams).flatMap((stream) => [...stream.subjects]);
    for (const each of [...made, ...streamed]) expect(each).toMatch(/^mcs\.[a-z]+/);
    expect(subject.tcEvent('sat1', '01J')).toBe('mcs.tc.evt.sat1.01J');
    expect(subject.alarmControl('sat1')).toBe('mcs.alarm.control.sat1');
  });

  it('MC-GEN-012 every bucket starts with mcs_', () => {
    for (const { name } of Object.values(buckets)) expect(name).toMatch(/^mcs_[a-z]+(_[a-z]+)*$/);
  });

  it('MC-GEN-010 no segment of a subject is anything but a token', () => {
    for (const bad of ['', 'a b', 'a.b', '*', '>', 'a\r\nPUB x', 'ä']) {
      expect(() => subject.tcSubmit(bad), bad).toThrow('not a token');
      expect(() => subject.tcEvent('sat1', bad), bad).toThrow('not a token');
      expect(() => subject.gatewayVerb(bad, 'send'), bad).toThrow('not a token');
    }
  });

  it('keeps request subjects out of every stream (subjects.S2)', () => {
    const patterns = Object.values(streams).flatMap((stream) => [...stream.subjects]);
    const caught = (name: string): boolean =>
      patterns.some((pattern) =>
        new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '[^.]+')}$`).test(name),
      );
    for (const name of [
      subject.driverVerb('pus', 'encode'),
      subject.gatewayVerb('g', 'send'),
      subject.echo('g'),
    ]) {
      expect(caught(name), name).toBe(false);
    }
    expect(caught(subject.tcSubmit('sat1'))).toBe(true);
  });
});
