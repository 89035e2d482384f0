/** A file from what the page has, as the browser saves what it downloads. */

export function saveFile(name: string, mediaType: string, content: string): void {
  const address = URL.createObjectURL(new Blob([content], { type: mediaType }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
