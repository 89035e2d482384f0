/** Streams that do not answer cost the time of one request, and not that of each. */

import { describe, expect, it } from 'vitest';
import { Silences } from '../../bus/silences.ts';

describe('a stream that did not answer', () => {
  it('is asked by one at a time, the others are refused at once, with its name (silences.I1)', () => {
    const silences = new Silences();
    silences.enter('S', false)();
    silences.unanswered('S');
    const leave = silences.enter('S', false);
    expect(() => silences.enter('S', false)).toThrow('stream S of the bus does not answer');
    expect(() => silences.enter('T', false)).not.toThrow();
    expect(() => silences.enter('S', true)).not.toThrow();
    leave();
    expect(() => silences.enter('S', false)).not.toThrow();
  });

  it('is as any other from its first answer on (silences.I2)', () => {
    const silences = new Silences();
    silences.unanswered('S');
    silences.enter('S', false);
    silences.answered('S');
    expect(() => silences.enter('S', false)).not.toThrow();
  });
});
