/** Names of files that the other entity chooses. */

/** The longest name that a PDU can hold. */
export const NAME_BYTES = 255;

/**
 * Whether a name stays below the folder it is put into: no absolute path, no step upwards, nothing that a file system
 * reads as anything but a name.
 */
export function isNameBelow(name: string): boolean {
  if (name === '' || Buffer.byteLength(name) > NAME_BYTES) return false;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  if (/[\u0000-\u001f\u007f\\]|^\/|^[A-Za-z]:|\uFFFD/.test(name)) return false;
  return name.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}
