/**
 * The radio and what the board can do. RF Bench Service, section 4; the paths of what is read are not shown there.
 */

import { FrequencyBody, GainBody, LoopbackBody, ResetBody } from '../../contract/bench/radio.ts';
import { asked, type BenchRoute, BOARD_READ, BOARD_WRITE, defineBenchRoute } from './route.ts';
import { AuxShape, CapabilitiesShape, ClocksShape, RadioStatusShape } from './shapes.ts';

const status = { tag: 'Radio', replies: { 200: RadioStatusShape } } as const;

export const radioRoutes: readonly BenchRoute[] = [
  defineBenchRoute({
    ...status,
    method: 'GET',
    path: '/api/v1/radio/state',
    operationId: 'readRadio',
    summary: 'Settings of the radio',
    description: 'As read back from the board, which quantises what is written.',
    errors: BOARD_READ,
    handle: (_request, { bench }) => asked(bench.radio.status()),
  }),
  defineBenchRoute({
    ...status,
    method: 'POST',
    path: '/api/v1/radio/frequency',
    operationId: 'tuneRadio',
    summary: 'Tunes receiver, transmitter or both',
    description:
      'Receiver and transmitter are independent oscillators. With `tune_lo` false only the digital oscillator moves.',
    body: FrequencyBody,
    errors: BOARD_WRITE,
    handle: ({ body }, { bench }) => asked(bench.radio.tune(body)),
  }),
  defineBenchRoute({
    ...status,
    method: 'POST',
    path: '/api/v1/radio/gain',
    operationId: 'setGain',
    summary: 'Sets the gains',
    description:
      'A gain that is absent or null stays as it is. In a loopback the transmitter stays muted. A `tx_gain_db` of -80 or less mutes at once, ahead of everything under way or waiting, whichever run holds the board.',
    body: GainBody,
    errors: [...BOARD_WRITE, 'conflict'],
    handle: ({ body }, { bench }) => asked(bench.radio.gain(body)),
  }),
  defineBenchRoute({
    ...status,
    method: 'POST',
    path: '/api/v1/radio/loopback',
    operationId: 'setLoopback',
    summary: 'Switches the loopback inside the AD9361',
    description: 'While it is on nothing reaches the connector.',
    body: LoopbackBody,
    errors: BOARD_WRITE,
    handle: ({ body }, { bench }) => asked(bench.radio.loopback(body.enabled)),
  }),
  defineBenchRoute({
    ...status,
    method: 'POST',
    path: '/api/v1/radio/reset',
    operationId: 'resetRadio',
    summary: 'Resets the modem',
    description: 'Receiver, transmitter or both; the radio stays tuned.',
    body: ResetBody,
    errors: BOARD_WRITE,
    handle: ({ body }, { bench }) => asked(bench.radio.reset(body.scope)),
  }),
  defineBenchRoute({
    method: 'GET',
    path: '/api/v1/capabilities',
    operationId: 'readCapabilities',
    summary: 'What the board can do',
    description: 'A symbol rate that cannot be reached is listed with the bound it hits.',
    tag: 'Radio',
    replies: { 200: CapabilitiesShape },
    errors: BOARD_READ,
    handle: (_request, { bench }) => asked(bench.radio.capabilities()),
  }),
  defineBenchRoute({
    method: 'GET',
    path: '/api/v1/radio/aux',
    operationId: 'readAux',
    summary: 'The registers of the modem',
    description: 'A register that cannot be read is listed with the reason instead of its value.',
    tag: 'Radio',
    replies: { 200: AuxShape },
    errors: BOARD_READ,
    handle: (_request, { bench }) => asked(bench.radio.aux()),
  }),
  defineBenchRoute({
    method: 'GET',
    path: '/api/v1/radio/clocks',
    operationId: 'readClocks',
    summary: 'The clocks of the board',
    description: '`enable` and `prepare` are authoritative, `rate_hz` is not.',
    tag: 'Radio',
    replies: { 200: ClocksShape },
    errors: BOARD_READ,
    handle: (_request, { bench }) => asked(bench.radio.clocks()),
  }),
];
