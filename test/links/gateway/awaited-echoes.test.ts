import { beforeEach, expect, it } from 'vitest';
import { ECHO_WAIT_MS } from '../../../contract/limits/telecommand.ts';
import { AwaitedEchoes } from '../../../links/gateway/awaited-echoes.ts';

const frame = (hex: string) => Buffer.from(hex, 'hex');
let echoes: AwaitedEchoes;

beforeEach(() => {
  echoes = new AwaitedEchoes();
  for (const [index, hex] of ['aa', 'bb', 'cc'].entries()) {
    echoes.await({ target: 'sat1', key: `k${index}`, frame: frame(hex), at: index });
  }
});

it('MC-TC-041 an echo equal to what was sent conforms, in the order of the sendings', () => {
  expect(echoes.heard(frame('aa'), 10)).toEqual({
    target: 'sat1',
    key: 'k0',
    frame: 'aa',
    conforming: true,
    at: 10,
  });
  expect(echoes.heard(frame('bb'), 11)).toMatchObject({ key: 'k1', conforming: true });
});

it('MC-TC-041 a damaged echo is of the oldest sending and does not conform', () => {
  expect(echoes.heard(frame('ab'), 10)).toMatchObject({ key: 'k0', frame: 'ab', conforming: false });
  expect(echoes.heard(frame('bb'), 11)).toMatchObject({ key: 'k1', conforming: true });
});

it('awaited-echoes.V1 an echo that was not received does not shift the later ones', () => {
  expect(echoes.heard(frame('cc'), 10)).toMatchObject({ key: 'k2', conforming: true });
  expect(echoes.heard(frame('aa'), 11)).toBeUndefined();
});

it('a sending that did not happen, or is too long ago, awaits none', () => {
  echoes.forget('k0');
  expect(echoes.heard(frame('aa'), 10)).toMatchObject({ key: 'k1', conforming: false });
  expect(echoes.heard(frame('cc'), 2 + ECHO_WAIT_MS)).toMatchObject({ key: 'k2' });
  echoes.await({ target: 'sat1', key: 'old', frame: frame('dd'), at: 0 });
  expect(echoes.heard(frame('dd'), ECHO_WAIT_MS + 1)).toBeUndefined();
});
