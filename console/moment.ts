/** Times as the console writes them: UTC, as in the log of a pass. Pure. */

/** `10:21:07.250Z` */
export function clockTime(at: number): string {
  return new Date(at).toISOString().slice(11);
}

/** `2026-11-21 10:21:07Z` */
export function dateTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')}Z`;
}

/** A length of time in its two largest units: `3 d 4 h`, `12 s`; below a second in tenths. */
export function duration(ms: number): string {
  if (ms < 0) return `-${duration(-ms)}`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}
