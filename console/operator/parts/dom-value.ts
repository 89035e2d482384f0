/** What a field of an event holds. */

export function typedIn(event: Event): string {
  return (event.target as HTMLInputElement | HTMLSelectElement).value;
}

export function isTicked(event: Event): boolean {
  return (event.target as HTMLInputElement).checked;
}
