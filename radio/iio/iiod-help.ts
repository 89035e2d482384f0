/** What the iiod server answers to `HELP`, for a person at the other end of a terminal. */

const COMMANDS: readonly (readonly [string, string])[] = [
  ['HELP', 'this list'],
  ['EXIT', 'ends the session'],
  ['PRINT', 'the description of the context as XML'],
  ['VERSION', 'the version of the protocol'],
  ['TIMEOUT <ms>', 'how long a transfer of a buffer may wait, 0: without end'],
  [
    'READ <device> [DEBUG|BUFFER|INPUT <channel>|OUTPUT <channel>] [<attribute>]',
    'the value of an attribute',
  ],
  ['WRITE <device> [DEBUG|BUFFER|INPUT <channel>|OUTPUT <channel>] <attribute> <bytes>', 'sets an attribute'],
  ['OPEN <device> <samples> <mask> [CYCLIC]', 'opens the buffer of a device'],
  ['CLOSE <device>', 'closes it'],
  ['READBUF <device> <bytes>', 'samples of an open buffer'],
  ['WRITEBUF <device> <bytes>', 'samples into an open buffer'],
  ['GETTRIG <device>', 'its trigger; there are none here'],
  ['SETTRIG <device> [<trigger>]', 'sets its trigger; there are none here'],
  ['SET <device> BUFFERS_COUNT <count>', 'taken and without effect here'],
];

export const IIOD_HELP = `Commands:\n\n${COMMANDS.map(([form, what]) => `\t${form}\n\t\t${what}\n`).join('')}`;
