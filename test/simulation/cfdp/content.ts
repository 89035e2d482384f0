/** The content of a file by its name: any part of it can be made, so that none has to be kept. */

export function contentOf(name: string, offset: number, length: number): Buffer {
  const salt = [...name].reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) | 0, 7);
  const bytes = Buffer.allocUnsafe(length);
  for (let n = 0; n < length; n += 1) {
    const at = offset + n;
    bytes[n] = Math.imul(at ^ salt, 0x9e37_79b1) >>> 24;
  }
  return bytes;
}
