/**
 * Constants of the model that are chosen, not taken from the part: what a good board on a cable behaves like. One
 * place, so that they can be doubted together.
 */

export const MODEL = {
  /** Attenuator in the cable from transmitter to receiver. */
  padDb: 60,
  /**
   * Noise over frequency (Hz, dB) of the receiver, and power over frequency (Hz, dBm) of the transmitter, unattenuated.
   */
  noiseFigure: [
    [800e6, 2],
    [2.4e9, 3],
    [5.5e9, 3.8],
  ],
  outputPower: [
    [800e6, 8],
    [2.4e9, 7.5],
    [5.5e9, 6.5],
  ],
  /** Level at the connector that fills the converter at 0 dB of gain: 0.625 V peak over 50 ohm. */
  fullScaleDbm: 5.9,
  /** Signal to noise of the converter over its whole bandwidth. */
  converterSnrDb: 66,
  /** What the demodulator loses against theory. */
  implementationLossDb: 1.5,
  /** Es/N0 never gets better than the errors of the transmitted vectors. */
  vectorErrorDb: 36,
  /** Room a modulated signal needs below full scale; above, each dB costs so many. */
  headroomDb: 3,
  clippingSlope: 3,
  /** dB of the best Es/N0 lost for each part of the signal that an analog filter cuts off. */
  cutOffDb: 60,
  /** Es/N0 inside a loopback, where only the width of the words is left. */
  digitalDb: 60,
  /** Where an automatic gain settles the signal, below full scale. */
  automaticGainDb: -12,
  /** Es/N0 that timing needs, and carrier for symbols of one, two and three bits. */
  timingDb: 0,
  carrierDb: { 1: 2, 2: 5, 3: 11 },
  /** Share of the symbol rate that the carrier may be off. */
  carrierReach: { 1: 0.02, 2: 0.02, 3: 0.005 },
  /** Symbols until timing and carrier are found. */
  timingSymbols: 1000,
  carrierSymbols: 2000,
  /** Blocks of the rings to and from the modem: at 15 MBd some 40 ms, a pause of a garbage collector. */
  ringBlocks: 64,
  /** Blocks that lie in the queues of the receive path when it is armed: at least, and so many more at most. */
  staleBlocks: 2,
  staleBlocksMore: 2,
  /** Bytes in one beat of the DMA: what a rotation is aligned to. */
  beatBytes: 8,
  /** Periods of a block that the way through analog parts takes, and that through a loopback. */
  airLatency: 1,
  loopbackLatency: 0.5,
  /** A block that comes within this many periods after the ring ran dry was meant to follow: it is late. */
  lateBlocks: 1,
  /** Blocks made up for after a late timer: several rings; what a machine slept longer is forgotten. */
  catchUpBlocks: 256,
  /** Blocks that the drivers of the converter cores hold unless a tool asks for another number, and the largest one. */
  driverBlocks: 4,
  driverBlockBytes: 4 * 1024 * 1024,
  /** Bytes of samples that reach a tool each second, as over a slow cable: beyond that blocks are lost. */
  sampleBytesPerS: 16_000_000,
  /** Samples made at a time: about a millisecond, so that nothing else waits for longer. */
  samplesAtOnce: 4096,
  /** Supply and temperature at rest. */
  temperatureC: 31,
  supplyV: 1.0,
} as const;
