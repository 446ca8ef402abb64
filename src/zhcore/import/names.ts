/** Names that Windows keeps for devices, with or without an ending. */
const DEVICES = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
/** Cut here in bytes of UTF-8, so that name, number and ending stay below the 143 bytes of eCryptfs, the tightest in use. */
const MAX_BYTES = 96;

/**
 * A file name (without ending) that every system takes: Chinese and other letters stay, everything that a shell, a URL or Windows
 * treats specially becomes a hyphen.
 *
 * @param fallback where nothing is left
 */
export function safeName(text: string, fallback: string): string {
  let name = text
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N}\p{M}_.-]+/gu, '-')
    .replace(/\.{2,}/g, '.')
    .replace(/-{2,}/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '');
  while (Buffer.byteLength(name) > MAX_BYTES)
    name = [...name]
      .slice(0, -1)
      .join('')
      .replace(/[-.]+$/, '');
  if (name === '') return fallback;
  // README.md is for people and not loaded.
  return DEVICES.test(name) || /^readme$/i.test(name) ? `${name}-1` : name;
}

/** `base`, else `base-2`, `base-3`, … : the first that `taken` does not know. */
export function freeName(base: string, taken: (name: string) => boolean): string {
  if (!taken(base)) return base;
  for (let n = 2; ; n++) if (!taken(`${base}-${n}`)) return `${base}-${n}`;
}
