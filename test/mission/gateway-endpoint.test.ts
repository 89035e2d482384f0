/** Gateways over UDP and TCP in topology documents: what they compile to, and every fault at once. */

import { describe, expect, it } from 'vitest';
import type { Gateway } from '../../mission/mission.ts';
import { faultsOf, loaded, shown, topology } from './documents.ts';

const address = { host: '127.0.0.1', port: 5_000 };
const packets = { kind: 'space-packet' };
const marked = { kind: 'marker', marker: '1ACFFC1D', length: 100 };

function endpoint(gateway: object): Gateway['endpoint'] {
  return loaded([topology({ gateways: { modem: gateway } })]).gateways.get('modem')?.endpoint;
}

function faults(...gateways: readonly object[]): string[] {
  const named = Object.fromEntries(gateways.map((gateway, index) => [`g${index}`, gateway]));
  return faultsOf([topology({ gateways: named })]).map(shown);
}

describe('what a gateway compiles to', () => {
  it('udp: bound to this machine, taking datagrams of its peer only', () => {
    expect(endpoint({ udp: { port: 7_000, peer: address }, silent_after: '30 s' })).toEqual({
      kind: 'udp',
      bind: { host: '127.0.0.1', port: 7_000 },
      peer: address,
      accept: 'peer',
      silentAfterMs: 30_000,
    });
  });

  it('udp: a multicast group is received on every interface and from anybody', () => {
    const udp = { port: 7_000, peer: address, multicast: { group: '239.1.2.3' } };
    expect(endpoint({ udp })).toMatchObject({
      bind: { host: '0.0.0.0', port: 7_000 },
      accept: 'any',
      multicast: { group: '239.1.2.3', ttl: 1 },
    });
  });

  it('tcp: either side of the connection', () => {
    expect(endpoint({ tcp: { connect: address }, framing: { ...packets, apids: [11], max: 71 } })).toEqual({
      kind: 'tcp',
      side: 'connect',
      address,
      framing: { kind: 'space-packet', maxBytes: 71, apids: [11] },
    });
    expect(endpoint({ tcp: { listen: address }, framing: { kind: 'line', ending: 'crlf' } })).toEqual({
      kind: 'tcp',
      side: 'listen',
      address,
      framing: { kind: 'line', maxBytes: 4_096, ending: 'crlf' },
    });
  });

  it('who may be the radio: a list, and whether a further connection replaces the first', () => {
    const accept = ['192.0.2.7', '192.0.2.0/24', 'fd00::/8'];
    expect(
      endpoint({ tcp: { listen: { ...address, accept, replace: true } }, framing: packets }),
    ).toMatchObject({
      side: 'listen',
      address,
      accept,
      replace: true,
    });
    const withPorts = ['192.0.2.7:5000', '[fd00::1]:5000'];
    expect(endpoint({ udp: { port: 7_000, accept: withPorts } })).toMatchObject({ accept: withPorts });
  });

  it('markers: with a fixed length, or a field that says it', () => {
    expect(
      endpoint({ tcp: { listen: address }, framing: { ...marked, marker: '0x1acffc1d' } }),
    ).toMatchObject({
      framing: {
        marker: '1acffc1d',
        maxBytes: 100,
        length: { kind: 'fixed', bytes: 100 },
        contiguous: false,
        keep: false,
      },
    });
    const length = { at: 4, bytes: 2, add: 7 };
    expect(endpoint({ tcp: { listen: address }, framing: { ...marked, length, max: 300 } })).toMatchObject({
      framing: { maxBytes: 300, length: { kind: 'field', at: 4, bytes: 2, endian: 'big', add: 7 } },
    });
  });

  it('is a kind of its own, run by the service', () => {
    const mission = loaded([topology({ gateways: { a: { udp: { port: 1 } }, b: {} } })]);
    expect([...mission.gateways.values()].map(({ kind }) => kind)).toEqual(['udp', 'external']);
  });
});

describe('what is no gateway', () => {
  it.each([
    [
      'two kinds',
      { simulated: true, udp: { port: 1 } },
      /g0\.udp a gateway is one thing: it has simulated too/,
    ],
    [
      'two sockets',
      { udp: { port: 1 }, tcp: { connect: address }, framing: packets },
      /g0\.tcp .*it has udp too/,
    ],
    [
      'two sides',
      { tcp: { connect: address, listen: address }, framing: packets },
      /g0\.tcp has 2 keys; exactly 1/,
    ],
    [
      'tcp without framing',
      { tcp: { connect: address } },
      /g0\.tcp a TCP stream has no frames of its own .*framing/,
    ],
    [
      'framing of no socket',
      { simulated: true, framing: packets },
      /g0\.framing only gateways over udp or tcp/,
    ],
    ['silence of no socket', { silent_after: '3 s' }, /g0\.silent_after only gateways over udp or tcp/],
    ['no time of silence', { udp: { port: 1 }, silent_after: '0 s' }, /g0\.silent_after .*above 0/],
    ['a port that is none', { udp: { port: 70_000 } }, /g0\.udp\.port is 70000; the maximum is 65535/],
    ['a host that is none', { udp: { port: 1, bind: 'a b' } }, /g0\.udp\.bind .*not a valid host/],
    [
      'a peer without a port',
      { udp: { port: 1, peer: { host: 'a' } } },
      /g0\.udp\.peer the key "port" is missing/,
    ],
    ['no address to accept', { udp: { port: 1, accept: ['gw.lan'] } }, /accept\[0\] gw\.lan is no address/],
    ['a network too long', { udp: { port: 1, accept: ['10.0.0.0/33'] } }, /accept\[0\] .* is no address/],
    [
      'a port of a TCP client',
      { tcp: { listen: { ...address, accept: ['10.0.0.7:4000'] } }, framing: packets },
      /listen\.accept\[0\] 10\.0\.0\.7:4000 names a port/,
    ],
    ['no peer to accept from', { udp: { port: 1, accept: 'peer' } }, /g0\.udp\.accept there is no peer/],
    [
      'a group that is none',
      { udp: { port: 1, multicast: { group: '10.0.0.1' } } },
      /multicast\.group 10\.0\.0\.1 is no/,
    ],
    [
      'an interface that is none',
      { udp: { port: 1, multicast: { group: '239.0.0.1', interface: 'eth0' } } },
      /multicast\.interface eth0 is no address/,
    ],
    ['an echo', { udp: { port: 1 }, echo: true }, /g0\.echo .*cannot tell an echo/],
    [
      'a framing that is none',
      { udp: { port: 1 }, framing: { kind: 'magic' } },
      /g0\.framing\.kind .*space-packet, line/,
    ],
    [
      'a key of another framing',
      { udp: { port: 1 }, framing: { ...packets, ending: 'lf' } },
      /framing\.ending .*has no "ending"/,
    ],
    [
      'frames longer than any',
      { udp: { port: 1 }, framing: { ...packets, max: 100_000 } },
      /framing\.max 100000 bytes/,
    ],
    [
      'a marker that is a number',
      { udp: { port: 1 }, framing: { ...marked, marker: 12_345_678 } },
      /marker 12345678 is no hexadecimal .*quotes/,
    ],
    [
      'half a byte',
      { udp: { port: 1 }, framing: { ...marked, marker: '1acffc1' } },
      /marker "1acffc1" is no hexadecimal/,
    ],
    [
      'a marker of one byte',
      { udp: { port: 1 }, framing: { ...marked, marker: 'c0' } },
      /marker the marker has 1 byte .*2 to 32/,
    ],
    [
      'a length beyond the longest',
      { udp: { port: 1 }, framing: { ...marked, max: 50 } },
      /length 100 bytes are more than the 50/,
    ],
    [
      'a length field beyond it',
      { udp: { port: 1 }, framing: { ...marked, max: 4, length: { at: 3, bytes: 2 } } },
      /length\.at the field ends 5/,
    ],
    [
      'a length field of three bytes',
      { udp: { port: 1 }, framing: { ...marked, length: { at: 0, bytes: 3 } } },
      /length\.bytes .*1, 2, 4/,
    ],
  ])('%s', (_, gateway, fault) => {
    const found = faults(gateway);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(fault);
  });

  it('says all faults at once', () => {
    const found = faults({
      udp: { port: 1, accept: 'peer' },
      echo: true,
      framing: { kind: 'marker', apids: [1] },
    });
    expect(found.map((fault) => fault.split(' ')[1])).toEqual(
      expect.arrayContaining([
        'gateways.g0.udp.accept',
        'gateways.g0.echo',
        'gateways.g0.framing',
        'gateways.g0.framing.apids',
      ]),
    );
    expect(found.filter((fault) => fault.includes('needs the key'))).toHaveLength(2);
  });

  it('two that want the same port', () => {
    const listen = (port: number, host = '127.0.0.1') => ({
      tcp: { listen: { host, port } },
      framing: packets,
    });
    expect(
      faults(
        listen(1),
        { udp: { port: 1 } },
        { tcp: { connect: { host: '127.0.0.1', port: 1 } }, framing: packets },
        listen(1, '0.0.0.0'),
      ),
    ).toMatchObject([expect.stringMatching(/g3 port 1 is taken by gateway g0/)]);
    expect(faults({ udp: { port: 2 } }, { udp: { port: 2 } })).toMatchObject([
      expect.stringMatching(/g1 port 2 is taken by gateway g0/),
    ]);
  });
});
