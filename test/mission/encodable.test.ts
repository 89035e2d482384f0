/** Telecommands that no driver of a target can encode: a fault where that is certain, with its place and what to write. */

import { describe, expect, it } from 'vitest';
import { compile } from '../../mission/compile.ts';
import { topology } from './documents.ts';

const platform = (telecommand: string): { file: string; text: string } => ({
  file: 'platform.yaml',
  text: `platform: box
version: 1.0.0
components:
  lamp:
    telecommands:
      on: ${telecommand}
  fan: {}
`,
});

const PUS = '{ encode: { service: 8, subtype: 1 } }';
const LINE = '{ encode: { line: "on" } }';
const PACKED = '{ encode: { fields: [{ type: u8, value: 1 }] } }';
const BARE = '{}';

/** Each protocol is a driver and a link of that name; `only` restricts what a link carries. */
function faultsOf(telecommand: string, protocols: readonly string[], only: Record<string, string[]> = {}) {
  const transports: Record<string, object> = {
    csp: { kind: 'csp', version: 1, source: 10, destination: 2, port: 7 },
    text: { kind: 'line' },
  };
  const links = protocols.map((protocol, n) => [
    protocol,
    {
      driver: protocol,
      ...(n === 0 && { default: true }),
      ...(transports[protocol] !== undefined && { transport: transports[protocol] }),
      ...(only[protocol] !== undefined && { components: only[protocol] }),
    },
  ]);
  const flown = topology({
    drivers: Object.fromEntries(protocols.map((protocol) => [protocol, { protocol }])),
    targets: { sat: { platform: 'box@1.0.0', environments: ['bench'], links: Object.fromEntries(links) } },
  });
  const compiled = compile([platform(telecommand), flown]);
  const faults = compiled.ok ? [] : compiled.faults.filter(({ message }) => message.includes('can encode'));
  return faults.map(({ file, line, path, message, help }) => `${file}:${line} ${path} ${message} (${help})`);
}

const AT = 'platform.yaml:6 components.lamp.telecommands.on';
const WHY = 'no driver of target sat can encode on';

describe('a telecommand that no driver of a target can encode', () => {
  it.each([
    [BARE, ['pus-c'], `${AT} ${WHY} (give its encode service and subtype for pus-c)`],
    [LINE, ['pus-c'], `${AT}.encode ${WHY} (give its encode service and subtype for pus-c)`],
    [PUS, ['text'], `${AT}.encode ${WHY} (give its encode line for text)`],
    [BARE, ['csp'], `${AT} ${WHY} (give its encode fields, or {} for csp)`],
    [BARE, ['pus-c', 'space-packet'], `${AT} ${WHY} (give its encode service and subtype for pus-c)`],
    [
      BARE,
      ['pus-c', 'text'],
      `${AT} ${WHY} (give its encode service and subtype for pus-c, or line for text)`,
    ],
  ])('is a fault: %s over %j', (telecommand, protocols, fault) => {
    expect(faultsOf(telecommand, protocols)).toEqual([fault]);
  });

  it.each([
    [PUS, ['pus-c']],
    [LINE, ['text']],
    [LINE, ['pus-c', 'text']],
    [PACKED, ['csp']],
    [BARE, ['outside']],
    [BARE, ['pus-c', 'outside']],
    // It only listens.
    [BARE, ['space-packet']],
  ])(
    'encodable.N1 is none where one can, or where that is not certain: %s over %j',
    (telecommand, protocols) => {
      expect(faultsOf(telecommand, protocols)).toEqual([]);
    },
  );

  it('is one where the link of the driver that can does not carry its component', () => {
    expect(faultsOf(LINE, ['pus-c', 'text'], { text: ['fan'] })).toEqual([
      `${AT}.encode ${WHY} (give its encode service and subtype for pus-c)`,
    ]);
  });
});
