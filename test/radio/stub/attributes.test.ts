import { describe, expect, it } from 'vitest';
import { modemDevice, register } from '../../../radio/board/registers.ts';
import { errno, type IioAttribute } from '../../../radio/iio/context.ts';
import { getRegister, openCapture, openOutput, phy, readPhy, rig, setRegister } from './rig.ts';

const failing = (number: number) => expect.objectContaining({ errno: number });
const ofPhy = (name: string): IioAttribute => ({ device: 'ad9361-phy', of: 'device', name });
const debug = (name: string): IioAttribute => ({ device: 'ad9361-phy', of: 'debug', name });
const FILTER = ['RX 3 GAIN -6 DEC 4', 'TX 3 GAIN 0 INT 4', ...Array.from({ length: 64 }, () => '10,10')].join(
  '\n',
);

describe('devices of the modelled board', () => {
  it('have the names of a real one and of the modem', () => {
    expect(rig().board.devices.map(({ name }) => name)).toEqual([
      'cf-ad9361-lpc',
      'ad9361-phy',
      'xadc',
      'cf-ad9361-dds-core-lpc',
      ...Object.values(modemDevice),
    ]);
  });

  it('name the files of attributes as the kernel does', () => {
    const part = rig().board.devices.find(({ name }) => name === 'ad9361-phy')!;
    const files = part.channels.flatMap(({ attributes }) => attributes.map(({ filename }) => filename));
    for (const file of [
      'out_altvoltage0_RX_LO_frequency',
      'out_altvoltage1_TX_LO_powerdown',
      'in_voltage0_hardwaregain',
      'in_voltage_rf_bandwidth',
      'out_voltage_sampling_frequency_available',
      'out_voltage0_hardwaregain',
      'in_voltage0_gain_control_mode',
      'in_out_voltage_filter_fir_en',
      'in_temp0_input',
    ]) {
      expect(files).toContain(file);
    }
  });

  it('every attribute that is reported answers, reading or writing', async () => {
    const { board } = rig();
    for (const { name: device, attributes, debugAttributes, bufferAttributes, channels } of board.devices) {
      const all: IioAttribute[] = [
        ...attributes.map((name) => ({ device, of: 'device', name }) as const),
        ...debugAttributes.map((name) => ({ device, of: 'debug', name }) as const),
        ...bufferAttributes.map((name) => ({ device, of: 'buffer', name }) as const),
        ...channels.flatMap(({ id: channel, output, attributes: of }) =>
          of.map(({ name }) => ({ device, of: 'channel', channel, output, name }) as const),
        ),
      ];
      for (const at of all) {
        if (at.name === 'initialize') continue;
        expect(await board.read(at), at.name).not.toBe('');
      }
    }
  });

  it('the converter cores name the rate of the part at each of their channels', async () => {
    const { board } = rig();
    await phy(board, 'voltage0', false, 'sampling_frequency', '4000000');
    for (const device of ['cf-ad9361-lpc', 'cf-ad9361-dds-core-lpc']) {
      const { channels } = board.devices.find(({ name }) => name === device)!;
      for (const { id: channel, output } of channels) {
        const at = { device, of: 'channel', channel, output, name: 'sampling_frequency' } as const;
        expect(await board.read(at), `${device} ${channel}`).toBe('4000000');
      }
    }
  });

  it('answer by id as by name, and refuse what is not there with the number of the kernel', async () => {
    const { board } = rig();
    expect(await board.read({ device: 'iio:device1', of: 'device', name: 'ensm_mode' })).toBe('fdd');
    await expect(board.read({ ...ofPhy('x'), device: 'y' })).rejects.toEqual(failing(errno.ENODEV));
    await expect(board.read(ofPhy('x'))).rejects.toEqual(failing(errno.ENOENT));
    await expect(board.read(ofPhy('toString'))).rejects.toEqual(failing(errno.ENOENT));
    await expect(board.write(ofPhy('rx_path_rates'), '1')).rejects.toEqual(failing(errno.EACCES));
    await expect(board.read(debug('initialize'))).rejects.toEqual(failing(errno.EACCES));
    await expect(readPhy(board, 'voltage9', false, 'rssi')).rejects.toEqual(failing(errno.ENXIO));
  });
});

describe('the modelled AD9361', () => {
  it('keeps frequencies, odd ones a Hz lower, and refuses those out of range', async () => {
    const { board } = rig();
    await phy(board, 'altvoltage0', true, 'frequency', '437000001');
    expect(await readPhy(board, 'RX_LO', true, 'frequency')).toBe('437000000');
    expect(await readPhy(board, 'altvoltage1', true, 'frequency_available')).toBe('[46875001 1 6000000000]');
    for (const text of ['69999999', '6000000001', '2.4e9', '']) {
      await expect(phy(board, 'altvoltage0', true, 'frequency', text)).rejects.toEqual(failing(errno.EINVAL));
    }
    expect(await readPhy(board, 'RX_LO', true, 'frequency')).toBe('437000000');
  });

  it('refuses a gain while it sets it by itself, and one outside of the band', async () => {
    const { board } = rig();
    expect(await readPhy(board, 'voltage0', false, 'gain_control_mode')).toBe('slow_attack');
    await expect(phy(board, 'voltage0', false, 'hardwaregain', '40')).rejects.toEqual(
      failing(errno.EOPNOTSUPP),
    );
    await phy(board, 'voltage0', false, 'gain_control_mode', 'manual');
    await phy(board, 'voltage0', false, 'hardwaregain', '40.00');
    expect(await readPhy(board, 'voltage0', false, 'hardwaregain')).toBe('40.000000 dB');
    await expect(phy(board, 'voltage0', false, 'hardwaregain', '72')).rejects.toEqual(failing(errno.EINVAL));
    await expect(phy(board, 'voltage0', false, 'gain_control_mode', 'fast')).rejects.toEqual(
      failing(errno.EINVAL),
    );
  });

  it('a retune changes the legal gains and the gain', async () => {
    const { board } = rig();
    await phy(board, 'voltage0', false, 'gain_control_mode', 'manual');
    await phy(board, 'voltage0', false, 'hardwaregain', '70 dB');
    await phy(board, 'altvoltage0', true, 'frequency', '5800000000');
    expect(await readPhy(board, 'voltage0', false, 'hardwaregain_available')).toBe('[-10 1 62]');
    expect(await readPhy(board, 'voltage0', false, 'hardwaregain')).toBe('62.000000 dB');
  });

  it('attenuates in quarters of a dB and reports it as a gain', async () => {
    const { board } = rig();
    await phy(board, 'voltage0', true, 'hardwaregain', '-10.30');
    expect(await readPhy(board, 'voltage0', true, 'hardwaregain')).toBe('-10.250000 dB');
    for (const text of ['1', '-89.8', 'loud']) {
      await expect(phy(board, 'voltage0', true, 'hardwaregain', text)).rejects.toEqual(failing(errno.EINVAL));
    }
  });

  it('echoes a bandwidth clamped, and quantises it for the link', async () => {
    const { board } = rig();
    await phy(board, 'voltage0', false, 'rf_bandwidth', '100');
    expect(await readPhy(board, 'voltage0', false, 'rf_bandwidth')).toBe('200000');
    expect(board.truth().bandwidthHz).toBe(399_289);
  });

  it('takes a low rate only with its filter, loaded and enabled in this order', async () => {
    const { board } = rig();
    const fir = (text: string) => phy(board, 'out', false, 'voltage_filter_fir_en', text);
    const rate = (text: string) => phy(board, 'voltage0', false, 'sampling_frequency', text);
    await expect(rate('1000000')).rejects.toEqual(failing(errno.EINVAL));
    await expect(fir('1')).rejects.toEqual(failing(errno.EINVAL));
    await rate('3000000');
    await board.write(ofPhy('filter_fir_config'), FILTER);
    expect(await board.read(ofPhy('filter_fir_config'))).toBe('FIR Rx: 64,4 Tx: 64,4');
    await fir('1');
    expect(await readPhy(board, 'voltage0', true, 'sampling_frequency_available')).toBe(
      '[520833 1 61440000]',
    );
    await rate('600000');
    await expect(fir('0')).rejects.toEqual(failing(errno.EINVAL));
    await expect(board.write(ofPhy('filter_fir_config'), FILTER)).rejects.toEqual(failing(errno.EBUSY));
    expect(await readPhy(board, 'voltage0', false, 'sampling_frequency')).toBe('600000');
  });

  // As libad9361 chooses taps by rate, and the driver refuses more of them.
  it.each([
    [20_000_000, 4, 128],
    [40_000_000, 2, 128],
    [53_330_000, 2, 96],
    [61_440_000, 2, 64],
    [61_440_000, 1, 64],
  ])('at %d sps a FIR x%d has %d taps at most, whichever is set first', async (sampleRate, factor, most) => {
    const { board } = rig();
    const fir = (text: string) => phy(board, 'out', false, 'voltage_filter_fir_en', text);
    const rate = (hertz: number) => phy(board, 'voltage0', false, 'sampling_frequency', String(hertz));
    const load = async (taps: number): Promise<void> => {
      const text = [`RX 3 GAIN -6 DEC ${factor}`, `TX 3 GAIN 0 INT ${factor}`];
      await board.write(ofPhy('filter_fir_config'), [...text, ...Array(taps).fill('10,10')].join('\n'));
    };
    await rate(sampleRate);
    await load(most);
    await fir('1');
    await fir('0');
    if (most === 128) return;
    await load(most + 16);
    await expect(fir('1')).rejects.toEqual(failing(errno.EINVAL));
    if (factor === 1) return;
    await rate(4_000_000);
    await fir('1');
    await expect(rate(sampleRate)).rejects.toEqual(failing(errno.EINVAL));
    expect(await readPhy(board, 'voltage0', false, 'sampling_frequency')).toBe('4000000');
  });

  it.each([
    'RX 3 GAIN -6 DEC 4\nTX 3 GAIN 0 INT 2\n1,1',
    'RX 3 GAIN -6 DEC 4\nTX 3 GAIN 0 INT 4\n1,1',
    'RX 3 GAIN -6 DEC 3\nTX 3 GAIN 0 INT 3',
    '',
  ])('refuses the filter %j', async (text) => {
    await expect(rig().board.write(ofPhy('filter_fir_config'), text)).rejects.toEqual(failing(errno.EINVAL));
  });

  it('is as after loading the driver once it is initialised', async () => {
    const { board } = rig({ faults: { stoppedClocks: ['adc_clk'] } });
    await phy(board, 'altvoltage0', true, 'frequency', '437000000');
    await board.write(debug('loopback'), '1');
    await board.write(debug('initialize'), '1');
    expect(await readPhy(board, 'altvoltage0', true, 'frequency')).toBe('2400000000');
    expect(await board.read(debug('loopback'))).toBe('0');
    expect(await board.read({ device: 'modem-ctl', of: 'device', name: 'clocks' })).toContain(
      'adc_clk 1 1 245760000',
    );
  });
});

describe('the modelled modem', () => {
  it('reports its clocks: the PLL of the oscillators at half its rate', async () => {
    const { board } = rig({ faults: { stoppedClocks: ['dac_clk'] } });
    const clocks = (await board.read({ device: 'modem-ctl', of: 'device', name: 'clocks' })).split('\n');
    expect(clocks).toContain('dac_clk 0 0 245760000');
    expect(clocks).toContain('rx_rfpll 1 1 1200000000');
    for (const line of clocks) expect(line).toMatch(/^\w+ [01] [01] \d+$/);
  });

  it('keeps what is written to its registers, and knows itself', async () => {
    const { board } = rig();
    expect(await getRegister(board, 'id')).toBe(0x4d4f_444d);
    await setRegister(board, 'receiveOffset', -1200);
    expect(await getRegister(board, 'receiveOffset')).toBe(0xffff_fb50);
    await expect(setRegister(board, 'status', 1)).rejects.toEqual(failing(errno.EACCES));
  });

  it('refuses addresses that are malformed and texts that are no access', async () => {
    const { board } = rig();
    const access = { device: 'modem-ctl', of: 'debug', name: 'direct_reg_access' } as const;
    await board.write(access, '0xffc');
    await expect(board.read(access)).rejects.toEqual(failing(errno.EINVAL));
    for (const text of ['', 'x', '0x08 0x1 0x2', '0x1234567890', '-4']) {
      await expect(board.write(access, text), text).rejects.toEqual(failing(errno.EINVAL));
    }
    expect(Object.values(register).every(({ address }) => address % 4 === 0)).toBe(true);
  });

  it('has one user of each buffer, and none of a device without', async () => {
    const { board } = rig();
    const capture = await openCapture(board);
    await expect(openCapture(board)).rejects.toEqual(failing(errno.EBUSY));
    await expect(capture.write(new Uint8Array(1), 0)).rejects.toEqual(failing(errno.EPERM));
    await capture.close();
    await capture.close();
    await expect(capture.read(1, 0)).rejects.toEqual(failing(errno.EBADF));
    await (await openCapture(board)).close();
    const output = await openOutput(board);
    await expect(output.read(1, 0)).rejects.toEqual(failing(errno.EPERM));
    const options = { samples: 4096, mask: 1 };
    await expect(board.open('ad9361-phy', options)).rejects.toEqual(failing(errno.EINVAL));
    await expect(board.open('modem-rx', { samples: 0, mask: 1 })).rejects.toEqual(failing(errno.EINVAL));
    await expect(board.open('modem-rx', { samples: 1, mask: 2 })).rejects.toEqual(failing(errno.EINVAL));
    await expect(board.open('modem', options)).rejects.toEqual(failing(errno.ENODEV));
  });
});
