/**
 * The register bank of the modem in the programmable logic, behind the debug attribute `direct_reg_access` of its
 * control device. Both boards have it: the model keeps it, a real one answers with it through iiod.
 *
 * Addresses are in bytes, registers are 32 bits wide. A signed value is two's complement.
 */

/** Devices of the modem beside those of the AD9361. */
export const modemDevice = {
  /** Control: registers and the states of clocks. */
  control: 'modem-ctl',
  /** Capture: one channel of bytes, DMA blocks as the demodulator cuts them. */
  receive: 'modem-rx',
  /** Output: one channel of bytes into the modulator. */
  transmit: 'modem-tx',
} as const;

/** `MODM`. */
export const MODEM_ID = 0x4d4f_444d;

export interface Register {
  readonly name: string;
  readonly address: number;
  readonly doc: string;
  readonly writable: boolean;
}

const read = (name: string, address: number, doc: string): Register => ({
  name,
  address,
  doc,
  writable: false,
});
const write = (name: string, address: number, doc: string): Register => ({
  name,
  address,
  doc,
  writable: true,
});

export const register = {
  id: read('ID', 0x00, 'identification, `MODM`'),
  version: read('VERSION', 0x04, 'major in bits 31 to 16, minor in bits 15 to 0'),
  control: write('CONTROL', 0x08, 'bit 0 modulator reset, bit 1 demodulator reset, bit 2 egress open'),
  loopback: write('LOOPBACK', 0x0c, 'bit 0: modulator output to demodulator input inside the logic'),
  clear: write(
    'CLEAR',
    0x10,
    'bit 0 demodulator, bit 1 frame sync, bit 2 receive DMA; held at 1 the receiver stands still',
  ),
  modulation: write('MODULATION', 0x14, '0 bpsk, 1 dbpsk, 2 qpsk, 3 oqpsk, 4 8psk'),
  interpolation: write('INTERP', 0x18, 'interpolation over samples per symbol'),
  samplesPerSymbol: read('OSR', 0x1c, 'samples per symbol of the modem'),
  framing: write('FRAMING', 0x20, 'bit 0 slots, bit 1 scrambler, bit 2 differential coding'),
  frameLength: write('FRAME_LEN', 0x24, 'bytes of a frame'),
  syncWord: write('SYNC_WORD', 0x28, 'attached sync marker, 0: none'),
  coding: write(
    'CODING',
    0x2c,
    'bit 0 convolutional 1/2, bit 1 Reed-Solomon 255,223; interleaving in bits 11 to 8',
  ),
  rolloff: write('ROLLOFF', 0x30, 'roll-off of the pulse in thousandths'),
  receiveOffset: write('RX_NCO', 0x34, 'digital oscillator of the receiver in Hz, signed'),
  transmitOffset: write('TX_NCO', 0x38, 'digital oscillator of the transmitter in Hz, signed'),
  status: read(
    'STATUS',
    0x3c,
    'bit 0 timing lock, bit 1 carrier lock, bit 2 frame sync, bit 3 transmit chain runs',
  ),
  frameCount: read('FRAME_COUNT', 0x40, 'frames cut since reset; that it moves proves nothing'),
  overflow: write('OVERFLOW', 0x44, 'receive blocks lost since cleared; a write of 1 clears'),
  underflow: write('UNDERFLOW', 0x48, 'transmit blocks that came late since cleared; a write of 1 clears'),
  sampleRate: read('SAMPLE_RATE', 0x4c, 'samples per second the modem runs at'),
  corrected: write(
    'FEC_CORRECTED',
    0x50,
    'bytes corrected by Reed-Solomon since cleared; a write of 1 clears',
  ),
  uncorrectable: write('FEC_FAILED', 0x54, 'codewords beyond correction since cleared; a write of 1 clears'),
} as const satisfies Record<string, Register>;

export type RegisterName = keyof typeof register;

export const controlBit = { modulatorReset: 1, demodulatorReset: 2, egress: 4 } as const;
export const clearBit = { demodulator: 1, frameSync: 2, receiveDma: 4 } as const;
export const statusBit = { timingLock: 1, carrierLock: 2, frameSync: 4, transmitting: 8 } as const;
export const framingBit = { slots: 1, scrambler: 2, differential: 4 } as const;

/**
 * Registers of the converter cores, in their own banks: the driver reaches them by `direct_reg_access` with the highest
 * bit set. Where the modem is idle or sends, the transmit core is set to its generators (which are silent) and the
 * logic behind it takes the modem.
 */
export const coreRegister = {
  /** Of either core; write 1 to clear. */
  status: 0x8000_0088,
  /** What a channel of the transmit core sends: the next ones follow in steps of `channelStep`. */
  dataSelect: 0x8000_0418,
  channelStep: 0x40,
} as const;
export const coreStatus = { transmitUnderflow: 1, receiveOverflow: 4 } as const;
/** Values of `dataSelect`: the generators, and samples that a tool writes. */
export const dataSource = { generators: 0, samples: 2 } as const;
export const DATA_SOURCE_MASK = 0xf;
/** Channels of the transmit core: I and Q of two transmitters. */
export const CORE_CHANNELS = 4;
